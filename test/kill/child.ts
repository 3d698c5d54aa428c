/** A process that works on the task until it is done, or until it reaches the point at which it kills itself. */
import { hookOf, importFrom, importStore, type StorePlace } from '../crash/stores.ts';
import { whenFree } from './free.ts';
import { INPUT, type Scene, twentySteps } from './task.ts';
import { createTrap, type Point } from './trap.ts';
import { noteTo } from './witness.ts';

export interface Job {
  readonly place: StorePlace;
  readonly project_dir: string;
  readonly witness: string;
  readonly task: string;
  readonly run: number;
  readonly kill: Point | null;
}

/** What it says on standard output, a line each. */
export type Said =
  | { readonly type: 'ready' }
  | { readonly type: 'waiting' }
  /** The claim was lost, as leases may be on a busy machine: another run has to go on. */
  | { readonly type: 'lost' }
  | { readonly type: 'done'; readonly passed: readonly Point[] };

if (import.meta.main) await main(JSON.parse(process.argv[2]!) as Job);

async function main({ place, project_dir, witness, task, run, kill }: Job): Promise<void> {
  const { openEngine } = await importFrom<typeof import('../../src/engine/engine.ts')>(
    place.src,
    'engine/engine.ts',
  );
  const { defineTask } = await importFrom<typeof import('../../src/engine/api/definition.ts')>(
    place.src,
    'engine/api/definition.ts',
  );
  const open = await importStore(place.src, place.store, place.lease_ms);
  const trap = createTrap(kill);
  const note = noteTo(witness, run);
  const say = (line: Said): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
  (await hookOf(place.src))(trap.io);
  say({ type: 'ready' });

  const at = (moment: string, { id, attempt }: { id: string; attempt: number }): void =>
    trap.reached(`${moment} ${id} ${attempt}`);
  const scene: Scene = {
    run,
    begins: (step) => {
      const { id, attempt, unknown } = step;
      note({ what: 'begin', id, attempt, unknown: unknown?.began_at ?? null });
      at('begin', step);
    },
    halfWay: (step) => at('during', step),
    ends: (step) => {
      note({ what: 'end', id: step.id, attempt: step.attempt });
      at('end', step);
    },
  };
  const before = (step: { id: string; attempt: number }): undefined => at('before', step) as undefined;
  const after = (step: { id: string; attempt: number }): void => at('after', step);

  const storage = trap.around(await open(place.target), note);
  const definition = defineTask('twenty-steps', twentySteps(scene));
  const engine = await openEngine({
    project_dir,
    storage,
    tasks: [definition],
    hooks: { beforeStep: before, beforeTool: before, afterStep: after, afterTool: after },
  });
  engine.on('task.status', ({ to }) => {
    if (to === 'waiting') say({ type: 'waiting' });
  });

  const found = await engine.state(task);
  note({ what: 'found', status: found?.status ?? null });
  let lost = false;
  if (found?.status !== 'completed') {
    const take = () => (found ? engine.resume(task) : engine.start(definition, INPUT, { task_id: task }));
    try {
      const { result } = await (storage.shared ? whenFree(take) : take());
      await result;
    } catch (error) {
      lost = storage.shared && wasFencedOut(error);
      if (!lost) throw error;
    }
  }
  await engine.close();
  await storage.close();
  say(lost ? { type: 'lost' } : { type: 'done', passed: trap.passed });
}

function wasFencedOut(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return code === 'FENCED_OUT' || (cause !== undefined && wasFencedOut(cause));
}
