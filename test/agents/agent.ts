/** An agent: a process that runs one task after another on the shared files, until it is told to stop or is killed. */
import { existsSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConfigInput } from '../../src/config/types.ts';
import type { TaskContext } from '../../src/engine/api/context.ts';
import type { Question } from '../../src/engine/api/prompter.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { TaskStatus } from '../../src/task/status.ts';
import type { ConflictedFile } from '../../src/workspace/resolve/conflicted-file.ts';
import { type Random, random } from '../crash/random.ts';
import { importFrom } from '../crash/stores.ts';
import { whenFree } from '../kill/free.ts';
import { drawSpot, type Spot, united, withMark } from './pages.ts';

export interface AgentJob {
  readonly src: string;
  readonly project_dir: string;
  readonly config: ConfigInput;
  readonly agent: string;
  readonly seed: number;
  /** Its first task that is not known to be done. */
  readonly first: number;
  /** Once this file is there, it starts no further task. */
  readonly stop: string;
}

/** What it says on standard output, a line each; `done` with the number of the task. */
export type Said =
  | { readonly type: 'ready' | 'stopped' }
  | { readonly type: 'done'; readonly number: number };

/** One call of `task.files`, as the task itself was told that it ended. */
export interface Call extends Spot {
  readonly mark: string;
  /** Of the step. */
  readonly id: string;
  /** A status, or the code of the error. */
  readonly outcome: string;
}

/** What a task comes to. */
export interface TaskReport {
  readonly calls: readonly Call[];
  /** Whether the file that it made for itself is to be there. */
  readonly kept: boolean;
}

const EDITS_A_TASK = 20;
/** Errors that an agent has to reckon with; after any other the task fails. */
const EXPECTED = new Set(['FILE_CONFLICT', 'FILE_RESERVED', 'RESERVATION_LOST']);

if (import.meta.main) await main(JSON.parse(process.argv[2]!) as AgentJob);

async function main({ src, project_dir, config, agent, seed, first, stop }: AgentJob): Promise<void> {
  const { openEngine } = await importFrom<typeof import('../../src/engine/engine.ts')>(
    src,
    'engine/engine.ts',
  );
  const { defineTask } = await importFrom<typeof import('../../src/engine/api/definition.ts')>(
    src,
    'engine/api/definition.ts',
  );
  const say = (said: Said): void => void process.stdout.write(`${JSON.stringify(said)}\n`);
  const edits = defineTask('edits', async (task: TaskContext, number: number) => {
    const report = await edit(task, random(seed, task.id));
    if (regrets(seed, task.id)) throw new Error(`${number} was a mistake`);
    return report;
  });
  const engine = await openEngine({
    project_dir,
    config,
    tasks: [edits],
    workspace: { resolvers: agent === 'b' ? [moody(random(seed, process.pid))] : [] },
  });
  say({ type: 'ready' });
  flushCompileCache(); // Most are killed, and compiling takes longer than they live.
  for (let number = first; ; number++) {
    const task_id = taskOf(agent, number);
    const state = await engine.state(task_id);
    if (state === null && number > 1 && existsSync(stop)) break;
    if (isUnderWay(state?.status)) {
      const take = () => (state ? engine.resume(task_id) : engine.start(edits, number, { task_id }));
      const end = await (await whenFree(take)).outcome;
      if (end.status === 'failed' && !regrets(seed, task_id)) throw end.error;
    }
    if (regrets(seed, task_id)) await takeBack(engine, task_id);
    say({ type: 'done', number });
  }
  await engine.close();
  say({ type: 'stopped' });
}

function isUnderWay(status: TaskStatus | undefined): boolean {
  return status === undefined || status === 'in_progress' || status === 'queued';
}

/** Such a task fails in the end, and all that it did is undone while the others go on. */
export function regrets(seed: number, task: string): boolean {
  return /^[ab]-\d+$/.test(task) && random(seed, task, 'regrets').oneIn(4);
}

async function takeBack(engine: Engine, task: string): Promise<void> {
  /** Nobody else writes the task's own file, whatever it was cut off at. */
  const ask = async ({ options, data }: Question): Promise<string> =>
    data.path === ownFile(task)
      ? 'use_checkpoint'
      : options.find((option) => option === 'use_current' || option === 'skip')!;
  if ((await engine.state(task))?.status === 'failed') {
    const [start] = await engine.checkpoints.listCheckpoints(task);
    await whenFree(() => engine.rollback(start!.id, { on_modified: 'merge', prompter: { ask } }));
  }
  if ((await engine.state(task))?.status !== 'cancelled') await whenFree(() => engine.cancel(task));
}

/** Holds its own name. */
export function ownFile(task: string): string {
  return `own/${task}.txt`;
}

/** Marks are `{task}.{number of the call}`. */
export function taskOfMark(mark: string): string {
  return mark.slice(0, mark.lastIndexOf('.'));
}

export function taskOf(agent: string, number: number): string {
  return `${agent}-${number}`;
}

/** Answers every call it made, in order: those of runs before this one as they are remembered. */
async function edit(task: TaskContext, rng: Random): Promise<TaskReport> {
  const calls: Call[] = [];
  const counts = new Map<string, number>();
  const call = async (
    spot: Spot,
    verb: 'edit' | 'write',
    run: (mark: string) => Promise<{ status: string }>,
  ) => {
    const name = `files.${verb} ${spot.path}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    const mark = `${task.id}.${calls.length}`;
    const outcome = await run(mark).then(({ status }) => status, expectedCode);
    calls.push({ ...spot, mark, id: `/${name}#${count}`, outcome });
    return outcome;
  };

  const own = ownFile(task.id);
  const kept = rng.oneIn(2);
  await task.files.write(own, own);
  for (let n = 0; n < EDITS_A_TASK; n++) {
    const spot = drawSpot(rng);
    const { path } = spot;
    const thinking = rng.below(3) === 0 ? rng.below(60) : rng.below(4);
    const reads = rng.oneIn(2);
    for (let outcome = 'FILE_RESERVED'; outcome === 'FILE_RESERVED'; ) {
      if (reads) {
        const text = await task.files.read(path);
        await sleep(thinking);
        outcome = await call(spot, 'write', (mark) => task.files.write(path, withMark(spot, mark, text!)));
      } else {
        outcome = await call(spot, 'edit', (mark) =>
          task.files.edit(path, async (text) => {
            await sleep(thinking);
            return withMark(spot, mark, text);
          }),
        );
      }
      if (outcome === 'FILE_RESERVED') await sleep(20);
    }
  }
  if (!kept) await task.files.delete(own);
  return { calls, kept };
}

function expectedCode(error: { code?: string }): string {
  if (error.code !== undefined && EXPECTED.has(error.code)) return error.code;
  throw error;
}

/** A resolver that knows the answer, has none, or gives one that must not be taken. */
function moody(rng: Random) {
  return {
    name: 'moody',
    async resolve({ path, ours, theirs, merge }: ConflictedFile): Promise<Uint8Array | null> {
      await sleep(rng.below(20));
      if (rng.oneIn(3)) return null;
      if (rng.oneIn(3)) return merge.bytes;
      return Buffer.from(united(path, Buffer.from(ours).toString(), Buffer.from(theirs).toString()));
    },
  };
}
