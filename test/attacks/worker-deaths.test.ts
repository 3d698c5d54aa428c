/** What counts as a worker that died of a task: only what was killed in progress, and only since the task came further. */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { admit } from '../../src/engine/lifecycle/admission.ts';
import { tasksToRun } from '../../src/engine/lifecycle/workers.ts';
import { parseQueueRecord } from '../../src/engine/task/records/queue.ts';
import { benches, latch } from '../engine/setup.ts';
import { unlessFull } from '../support/full.ts';
import { asking, deadly, halting, slow } from './dying-worker.ts';

const bench = benches();
const WORKER = join(import.meta.dirname, 'dying-worker.ts');
/** One death is borne, as in the workers' own settings. */
const config = { recovery: { retry: { max_attempts: 1 } } };
const tasks = [deadly, halting, asking, slow];
/** Two that counted would be too many. */
const DEATHS = unlessFull(2, 3);

const worker = (dir: string): ChildProcess => fork(WORKER, [dir], { execArgv: [], stdio: 'inherit' });
const ended = (child: ChildProcess): Promise<string | null> =>
  new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
const ran = (dir: string): number => {
  try {
    return readFileSync(join(dir, 'ran')).length;
  } catch {
    return 0;
  }
};
const queued = async ({ storage }: Engine): Promise<unknown[]> =>
  Promise.all(
    (await storage.list('queue')).map(async (key) => parseQueueRecord(await storage.load('queue', key))),
  );

test('a task that ends every worker is left to a person in the end', async () => {
  const at = bench();
  writeFileSync(join(at.dir, 'deadly'), '');
  const notes: string[] = [];
  const engine = await at.open({ tasks, config, notify: (lines) => notes.push(...lines) });
  const id = await engine.enqueue(deadly, at.dir);
  for (let n = 0; n < 2; n++) expect(await ended(worker(at.dir))).toBe('SIGKILL');
  await engine.work();
  expect(ran(at.dir)).toBe(2);
  expect(notes).toContain(
    `Task ${id} is skipped: 2 workers have died while running it. Resume it by its id.`,
  );
  rmSync(join(at.dir, 'deadly'));
  await engine.work();
  expect((await engine.state(id))?.status).toBe('in_progress');
  await (await engine.resume(id)).result;
});

test('a task that comes further each time is not', async () => {
  const at = bench();
  const engine = await at.open({ tasks, config });
  const id = await engine.enqueue(halting, undefined);
  for (let n = 0; n < 4; n++) expect(await ended(worker(at.dir))).toBe('SIGKILL');
  await engine.work();
  expect(await engine.output(id)).toBe('done');
});

test('a task that only waits for a person is not', async () => {
  const at = bench();
  const engine = await at.open({ tasks, config });
  const id = await engine.enqueue(asking, undefined);
  for (let n = 0; n < DEATHS; n++) {
    const child = worker(at.dir);
    const end = ended(child);
    await expect
      .poll(async () => (await engine.storage.owner(id)) && (await engine.state(id))?.status)
      .toBe('waiting');
    child.kill('SIGKILL');
    await end;
  }
  const worked = engine.work();
  await engine.answer(id, 'yes');
  await worked;
  expect(await engine.output(id)).toBe('yes');
});

test('a worker that was told to end, and is killed before it has, did not die of its task', async () => {
  const at = bench();
  writeFileSync(join(at.dir, 'deadly'), '');
  const engine = await at.open({ tasks, config });
  const id = await engine.enqueue(slow, at.dir);
  for (let n = 1; n <= DEATHS; n++) {
    const child = worker(at.dir);
    const end = ended(child);
    await expect.poll(() => ran(at.dir)).toBe(n);
    child.kill('SIGTERM');
    await expect.poll(() => queued(engine)).toMatchObject([{ takeovers: 0, released: true }]);
    child.kill('SIGKILL');
    await end;
  }
  rmSync(join(at.dir, 'deadly'));
  await engine.work();
  expect((await engine.state(id))?.status).toBe('completed');
});

test('an engine that is closed did not die of its task', async () => {
  const at = bench();
  let held = true;
  let begun = latch();
  const job = defineTask('job', (task) =>
    task.step('run', async () => {
      begun.resolve();
      if (held) await new Promise(() => {});
      return 'done';
    }),
  );
  const id = await (await at.open({ tasks: [job], config })).enqueue(job, undefined);
  for (let n = 0; n < 4; n++) {
    begun = latch();
    const engine = await at.open({ tasks: [job], config });
    const worked = engine.work();
    await begun.promise;
    await engine.close();
    await worked;
  }
  held = false;
  const engine = await at.open({ tasks: [job], config });
  await engine.work();
  expect(await engine.output(id)).toBe('done');
});

test('of two that count the same death one is refused', async () => {
  const at = bench();
  const engine = await at.open({ tasks, config });
  const id = await engine.enqueue(asking, undefined);
  const state = { ...(await engine.state(id))!, status: 'in_progress' as const };
  // Both have read the record before either writes it.
  const read = latch();
  let readers = 0;
  const get: typeof engine.storage.get = async (...record) => {
    const found = await engine.storage.get(...record);
    if (++readers === 2) read.resolve();
    await read.promise;
    return found;
  };
  const host = { storage: { ...engine.storage, get }, config: engine.config, notify: () => {} };
  for await (const turn of tasksToRun(engine.storage)) {
    const both = await Promise.allSettled([1, 2].map(() => admit(host, turn, state as never)));
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'STALE_WRITE' },
    });
  }
  expect(await queued(engine)).toMatchObject([{ takeovers: 1 }]);
});

test('an engine that is closed while it takes a task over lets go of it first', async () => {
  const at = bench();
  writeFileSync(join(at.dir, 'deadly'), '');
  const engine = await at.open({ tasks, config });
  const id = await engine.enqueue(deadly, at.dir);
  expect(await ended(worker(at.dir))).toBe('SIGKILL');
  rmSync(join(at.dir, 'deadly'));
  const { storage } = engine;
  const taken = latch();
  const held = latch();
  const claim: typeof storage.claim = async (task) => {
    const got = await storage.claim(task);
    taken.resolve();
    await held.promise;
    return got;
  };
  const closing = await at.open({ tasks, config, storage: { ...storage, claim } });
  const worked = closing.work();
  await taken.promise;
  let is_closed = false;
  const closed = closing.close().then(() => {
    is_closed = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(is_closed).toBe(false);
  held.resolve();
  await closed;
  await worked;
  expect(await storage.owner(id)).toBeNull();
  expect(await queued(engine)).toMatchObject([{ takeovers: 0 }]);
  expect(ran(at.dir)).toBe(1);
  await engine.work();
  expect((await engine.state(id))?.status).toBe('completed');
});
