/** Sessions of agents inside `exec`: their hosts hand what they are told to the process that runs the command. */
import { CLIENTS } from '../../agents/all/clients.ts';
import type { Payload } from '../../agents/client.ts';
import { type Host, openHost } from '../../agents/host/host.ts';
import { taskSocketPath } from '../../agents/socket-path.ts';
import type { SessionsWithin } from '../../engine/api/attaching.ts';
import type { Engine } from '../../engine/engine.ts';
import { type LocalService, serveAt } from '../../system/process/local-service.ts';

/** A hook, as a host sends it on. */
export interface HookWithin {
  readonly client: string;
  /** Of the client: each has its own calls. */
  readonly process: number;
  readonly payload: Payload;
}

/** Null where that cannot be: then the command is recorded alone. */
export function serveWithin(engine: Engine, sessions: SessionsWithin): Promise<LocalService | null> {
  const hosts = new Map<string, Host>();
  const recordedHere = { open: async () => engine, attach: sessions.attach };
  const hostOf = (named: string, process: number): Host => {
    const client = CLIENTS.find(({ name }) => name === named)!;
    const key = `${named} ${process}`;
    const host = hosts.get(key) ?? openHost({ client, ...recordedHere, complain: String });
    hosts.set(key, host);
    return host;
  };
  return serveAt(taskSocketPath(sessions.task), async (body) => {
    const { client, process, payload } = body as HookWithin;
    return hostOf(client, process).hook(payload);
  });
}
