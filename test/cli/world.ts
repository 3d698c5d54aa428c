/** A project with a task in every state, as people leave them behind. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { type Edits, editor } from '../engine/file-world.ts';
import { untilStatus } from '../engine/letters.ts';
import type { Store } from '../engine/stores.ts';
import { trustProject } from '../support/trust.ts';

export interface Tasks {
  readonly completed: string;
  readonly failed: string;
  readonly paused: string;
  readonly waiting: string;
  readonly interrupted: string;
  readonly queued: string;
}

const review = defineTask('review', async (task, input: { file: string }) => {
  await task.message('user', `Review ${input.file}`);
  const found = await task.step('read', () => ['no tests', 'no types']);
  await task.decide({ what: 'ask for tests', why: found.join(', ') });
  await task.step('write', () => 'x'.repeat(100));
  await task.progress(90.9, 'nearly done');
  return found.length;
});
const fetches = defineTask('fetch-issues', async (task) => {
  await task.step('sign in', () => 'ok');
  await task.step('fetch', () => Promise.reject(new Error('the API answered 503')), {
    retry: { attempts: 1 },
  });
});
const asks = defineTask('deploy', async (task) => {
  await task.step('build', () => 'built');
  return task.waitFor('human_approval', { prompt: 'Deploy to production?' });
});
const rests = defineTask('refactor', async (task) => {
  await task.step('plan', () => 'rename it everywhere');
  await task.waitFor('user_input', { prompt: 'Which name?' });
});

/** So that a process of its own opens the same store. */
export function configure({ dir, config }: Pick<Store, 'dir' | 'config'>): void {
  mkdirSync(join(dir, '.vibe-engine'), { recursive: true });
  writeFileSync(join(dir, '.vibe-engine', 'config.json'), JSON.stringify(config));
  trustProject(dir);
}

export async function populate(store: Store): Promise<Tasks> {
  configure(store);
  const engine = await store.open({ tasks: [review, fetches, asks, rests] });
  const completed = await engine.start(review, { file: 'login.ts' }, { task_name: 'review login' });
  await completed.result;
  const failed = await engine.start(fetches, undefined);
  await failed.outcome;
  const paused = await engine.start(rests, undefined);
  await untilStatus(engine, paused.id, 'waiting');
  await engine.pause(paused.id, 'lunch', 'mind the tests');
  await paused.outcome;
  const waiting = await engine.start(asks, undefined);
  await untilStatus(engine, waiting.id, 'waiting');
  const interrupted = await engine.start(
    defineTask('migrate', async (task) => {
      await task.step('first', () => 1);
      await task.sleep(3_600_000);
    }),
    undefined,
  );
  await untilStatus(engine, interrupted.id, 'in_progress');
  const queued = await engine.enqueue(review, { file: 'later.ts' }, { priority: 'high' });
  await engine.close();
  const ids = { completed, failed, paused, waiting, interrupted };
  const entries = Object.entries(ids).map(([name, { id }]) => [name, id]);
  return { ...(Object.fromEntries(entries) as Omit<Tasks, 'queued'>), queued };
}

/** A task that makes these changes to files, a step each, and is paused then; answers its id. */
export async function edits(engine: Engine, dir: string, changes: Edits['changes']): Promise<string> {
  const { id, outcome } = await engine.start(editor, { dir, changes, end: 'pause' });
  await untilStatus(engine, id, 'waiting');
  await engine.pause(id);
  await outcome;
  return id;
}
