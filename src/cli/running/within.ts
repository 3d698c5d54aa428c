/** Sessions of agents inside `exec`: their hosts hand what they are told to the process that runs the command. */
import { CLIENTS } from '../../agents/all/clients.ts';
import type { Payload } from '../../agents/client.ts';
import { type Host, openHost } from '../../agents/host/host.ts';
import { taskSocketPath } from '../../agents/socket-path.ts';
import type { SessionsWithin } from '../../engine/api/attaching.ts';
import type { Engine } from '../../engine/engine.ts';
import { type LocalService, serveAt } from '../../system/process/local-service.ts';
import { toldOnce, type Words } from '../common/told-once.ts';

/** A hook, as a host sends it on. */
export interface HookWithin {
  readonly client: string;
  /** Of the client: each has its own calls. */
  readonly process: number;
  /** It is refused if it cannot be recorded. */
  readonly strict: boolean;
  readonly payload: Payload;
}

/** Null where that cannot be: then the command is recorded alone. */
export function serveWithin(
  engine: Engine,
  sessions: SessionsWithin,
  words: Words,
): Promise<LocalService | null> {
  const hosts = new Map<string, Host>();
  const recordedHere = { open: async () => engine, attach: sessions.attach };
  const complain = toldOnce(words);
  const hostOf = ({ client: named, process, strict }: HookWithin): Host => {
    const client = CLIENTS.find(({ name }) => name === named)!;
    const key = `${named} ${process}`;
    const host = hosts.get(key) ?? openHost({ client, strict, ...recordedHere, complain });
    hosts.set(key, host);
    return host;
  };
  return serveAt(taskSocketPath(sessions.task), async (body) => {
    const told = body as HookWithin;
    return hostOf(told).hook(told.payload);
  });
}
