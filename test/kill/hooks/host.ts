/** The host of a session: answers hooks until its input ends, or until it reaches the point at which something dies. */
import { readSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Payload } from '../../../src/agents/client.ts';
import { hookOf, importFrom, importStore, type StorePlace } from '../../crash/stores.ts';
import { createTrap, type Point } from '../trap.ts';

export interface HostJob {
  readonly place: StorePlace;
  readonly project_dir: string;
  readonly kill: Point | null;
  /** Who dies there; `client`: this process goes on, and finds its input at an end. */
  readonly dies: 'host' | 'client';
}

/** What it says on standard output, a line each. */
export type HostSaid =
  | { readonly type: 'ready' }
  | { readonly type: 'answer'; readonly answer: unknown }
  /** Waits for a byte on `GO` while the client dies. */
  | { readonly type: 'at' }
  | { readonly type: 'problem'; readonly problem: string }
  | { readonly type: 'done'; readonly passed: readonly Point[] };

/** The descriptor from which it hears that the client is dead. */
export const GO = 3;

if (import.meta.main) await main(JSON.parse(process.argv[2]!) as HostJob);

async function main({ place, project_dir, kill, dies }: HostJob): Promise<void> {
  const { openEngine } = await importFrom<typeof import('../../../src/engine/engine.ts')>(
    place.src,
    'engine/engine.ts',
  );
  const { openHost } = await importFrom<typeof import('../../../src/agents/host/host.ts')>(
    place.src,
    'agents/host/host.ts',
  );
  const { CLIENTS } = await importFrom<typeof import('../../../src/agents/all/clients.ts')>(
    place.src,
    'agents/all/clients.ts',
  );
  const open = await importStore(place.src, place.store, place.lease_ms);
  const say = (line: HostSaid): void => void writeSync(1, `${JSON.stringify(line)}\n`);
  const trap = createTrap(kill, dies === 'host' ? undefined : () => clientDies(say));
  (await hookOf(place.src))(trap.io);

  const storage = trap.around(await open(place.target), () => {});
  const engine = await openEngine({
    project_dir,
    storage,
    workspace: true,
    signals: false,
    telemetry: false,
    config: { drift: { every_minutes: null, before_resume: false } },
  });
  const host = openHost({
    client: CLIENTS.find(({ name }) => name === 'claude')!,
    open: async () => engine,
    patience_ms: 0, // Every look at files takes longer: results are recorded first.
    complain: (error) => {
      say({
        type: 'problem',
        problem: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
      return null;
    },
  });
  say({ type: 'ready' });

  for await (const line of createInterface({ input: process.stdin })) {
    host.hook(JSON.parse(line) as Payload).then((answer) => say({ type: 'answer', answer }));
  }
  await host.close();
  await storage.close();
  say({ type: 'done', passed: trap.passed });
}

/** Nothing else happens here until the client is dead: its end of the pipe is closed. */
function clientDies(say: (line: HostSaid) => void): void {
  say({ type: 'at' });
  const byte = Buffer.alloc(1);
  for (;;) {
    try {
      readSync(GO, byte);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
