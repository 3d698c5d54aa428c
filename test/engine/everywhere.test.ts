/** The heart of running tasks, the same on every store: remembered, waiting, taken over, queued. */
import { expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/api/context.ts';
import { type Durability, defineTask } from '../../src/engine/api/definition.ts';
import { type Engine, openEngine } from '../../src/engine/engine.ts';
import { ExecutionTracker } from '../../src/engine/tracking/tracker.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { manualClock } from '../support/manual-clock.ts';
import { latch, reach } from './setup.ts';
import { onEveryStore } from './stores.ts';

onEveryStore((fresh) => {
  test('steps, agents and messages are remembered by another engine', async () => {
    const store = await fresh();
    const ran: string[] = [];
    const whole = defineTask('whole', async (task) => {
      await task.message('user', 'go');
      const parts = await Promise.all([1, 2, 3].map((n) => task.step('part', () => ran.push(`part ${n}`))));
      const big = await task.agent('big', (agent) => agent.step('big', () => 'x'.repeat(200_000)));
      const answer = await task.waitFor<string>('user_input', { prompt: 'And?' });
      await task.step('last', () => void ran.push(`last ${answer}`));
      return [parts, big.length, (await task.context()).messages.length];
    });
    const first = await store.open({ tasks: [whole] });
    const { id } = await first.start(whole, undefined);
    await reach(first, id, 'waiting');
    await first.close();
    const second = await store.open({ tasks: [whole] });
    await second.answer(id, 'on');
    expect(await (await second.resume(id)).result).toEqual([[1, 2, 3], 200_000, 1]);
    expect(ran).toEqual(['part 1', 'part 2', 'part 3', 'last on']);
  });

  test('pause and answer reach a task that runs in another engine', async () => {
    const store = await fresh();
    const asks = defineTask('asks', async (task) => {
      const answer = await task.waitFor<string>('user_input');
      await task.waitFor('human_approval');
      return answer;
    });
    const here = await store.open({ tasks: [asks] });
    const there = await store.open({ tasks: [asks] });
    const { id, outcome } = await here.start(asks, undefined);
    await reach(there, id, 'waiting');
    await there.answer(id, 'from afar');
    await expect
      .poll(async () => (await there.state(id))?.data)
      .toMatchObject({ waiting_for: 'human_approval' });
    await there.pause(id, 'enough');
    expect(await outcome).toEqual({ status: 'paused', reason: 'enough' });
    const { result } = await there.resume(id);
    await there.answer(id, 'yes');
    expect(await result).toBe('from afar');
  });

  test('a time limit holds across restarts', async () => {
    const store = await fresh();
    const clock = manualClock(new Date('2026-03-01T12:00:00.000Z'));
    const asks = defineTask('asks', (task) => task.waitFor('user_input', { timeout_ms: 3_600_000 }));
    const first = await store.open({ tasks: [asks], clock });
    const { id } = await first.start(asks, undefined);
    await reach(first, id, 'waiting');
    await first.close();
    clock.advance(3_600_001);
    const second = await store.open({ tasks: [asks], clock });
    await expect((await second.resume(id)).result).rejects.toMatchObject({ code: 'WAIT_TIMEOUT' });
  });

  test('of several who resume at the same time one wins', async () => {
    const store = await fresh();
    const begun = latch();
    let go = false;
    const held = defineTask('held', (task) =>
      task.step('held', async () => {
        begun.resolve();
        if (!go) await new Promise(() => {});
        return 'done';
      }),
    );
    const first = await store.open({ tasks: [held] });
    const { id } = await first.start(held, undefined);
    await begun.promise;
    const second = await store.open({ tasks: [held] });
    await expect(second.resume(id)).rejects.toMatchObject({ code: 'TASK_OWNED' });
    await first.close();
    go = true;
    const third = await store.open({ tasks: [held] });
    const tries = await Promise.allSettled([second.resume(id), third.resume(id)]);
    const won = tries.flatMap((tried) => (tried.status === 'fulfilled' ? [tried.value] : []));
    const lost = tries.flatMap((tried) => (tried.status === 'rejected' ? [tried.reason] : []));
    expect(won).toHaveLength(1);
    expect(lost).toMatchObject([{ code: 'TASK_OWNED' }]);
    expect(await won[0]!.result).toBe('done');
  });

  test('a queue is worked by several engines, each task once', async () => {
    const store = await fresh();
    const ran: number[] = [];
    const job = defineTask('job', (task, n: number) => task.step('run', () => void ran.push(n)));
    const engines = [await store.open({ tasks: [job] }), await store.open({ tasks: [job] })];
    for (let n = 0; n < 8; n++) await engines[0]!.enqueue(job, n, { priority: n % 2 ? 'high' : 'low' });
    await Promise.all(engines.map((engine) => engine.work({ concurrency: 2 })));
    expect(ran.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  test('a checkpoint is loaded with its variables whole, in a fork too', async () => {
    const engine = await (await fresh()).open();
    const variables = { small: 1, large: 'v'.repeat(20_000), odd: { $blob: null, value: 2 } };
    const sets = defineTask('sets', async (task) => {
      for (const [name, value] of Object.entries(variables)) await task.set(name, value);
      return task.checkpoint();
    });
    const id = await engine.run(sets, undefined);
    expect((await engine.checkpoints.loadCheckpoint(id))?.step_variables).toEqual(variables);
    const fork = await engine.fork(id);
    expect((await engine.checkpoints.loadCheckpoint(fork.checkpoint))?.step_variables).toEqual(variables);
  });

  test('a task whose start was cut off right after it was made can be resumed, and is not left in a queue', async () => {
    const store = await fresh();
    const { storage } = await store.open();
    const task = defineTask('cut off', (task) => task.step('run', () => 'ran'));
    const cutOff: Storage = {
      ...storage,
      async commit(commit) {
        const receipt = await storage.commit(commit);
        if (commit.task === 'made') throw new Error('the process dies here');
        return receipt;
      },
    };
    const dying = await openEngine({ project_dir: store.dir, storage: cutOff, automatic_cleanup: false });
    await expect(dying.start(task, undefined, { task_id: 'made' })).rejects.toThrow('dies here');
    await dying.close();
    const engine = await store.open({ tasks: [task] });
    expect(await engine.tasks({ status: 'queued' })).toEqual([]);
    expect(await (await engine.resume('made')).result).toBe('ran');
  });

  test('the checkpoint after a failure says what failed', async () => {
    const engine = await (await fresh()).open();
    const fails = defineTask('fails', async (task) => {
      await task
        .step('risky', () => {
          throw Object.assign(new Error('no network'), { code: 'ENET' });
        })
        .catch(() => {});
      await task.step('safe', () => 'fine');
      throw new RangeError('gave up');
    });
    const { id, outcome } = await engine.start(fails, undefined);
    await outcome;
    const records = await engine.checkpoints.listCheckpoints(id);
    expect(records.map(({ trigger, step_status, error }) => [trigger, step_status, error])).toEqual([
      ['start', 'success', null],
      ['after_step', 'failed', { name: 'Error', message: 'no network', code: 'ENET' }],
      ['after_step', 'success', null],
      ['end', 'success', { name: 'RangeError', message: 'gave up' }],
    ]);
  });

  test('a task may say itself when its steps are on the disk', async () => {
    const engine = await (await fresh()).open();
    const run = async (task: TaskContext): Promise<number[]> => {
      const ends: number[] = [];
      for (const step of ['a', 'b']) {
        await task.step(step, () => step);
        ends.push((await engine.storage.position(task.id)).seq);
      }
      return ends;
    };
    const ends = async (durability: Durability) =>
      engine.run(defineTask(durability, run, { durability }), undefined);
    const [before, after] = (await ends('sync')) as [number, number];
    expect(after).toBe(before + 1);
    // Without the first checkpoint and the step.
    expect(await ends('exit')).toEqual([before - 2, before - 2]);
  });

  test('a checkpoint is validated by its id: whole or damaged, and held to the machine', async () => {
    const store = await fresh();
    const engine = await store.open();
    const needs = { 'env:VIBE_ENGINE_NOT_SET': 'set' };
    const task = defineTask('needs', async (task) => task.set('large', 'v'.repeat(20_000)), {
      env_requirements: needs,
    });
    const { id, result } = await engine.start(task, undefined, { working_dir: store.dir });
    await result;
    const [first, last] = await engine.checkpoints.listCheckpoints(id);
    const environmental = {
      workingDirectoryExists: true,
      filesUnchanged: true,
      dependenciesAvailable: false,
    };
    expect(await engine.checkpoints.validateCheckpoint(last!.id)).toMatchObject({
      valid: false,
      integrity: { checksumMatch: true, blobsAccessible: true },
      environmental,
      problems: ['The variable VIBE_ENGINE_NOT_SET is not set.'],
    });
    for await (const blob of engine.storage.listBlobs(id)) await engine.storage.deleteBlobs(id, [blob.id]);
    const { checkpoints } = engine;
    expect((await checkpoints.validateCheckpoint(last!.id))?.integrity.blobsAccessible).toBe(false);
    expect((await checkpoints.validateCheckpoint(first!.id))?.integrity.blobsAccessible).toBe(true);
    const made = await checkpoints.createCheckpoint({ execution_id: id });
    const key = (await engine.storage.list('tasks')).filter((key) => key.includes('/checkpoints/')).at(-1)!;
    await engine.storage.save('tasks', key, { ...first, step_name: 'changed' });
    expect((await checkpoints.validateCheckpoint(made.id))?.integrity.checksumMatch).toBe(false);
    expect(await checkpoints.validateCheckpoint(`ckpt-${id}-99`)).toBeNull();
  });

  test('what a task came to, and what checking it came to, is there for others, however large', async () => {
    const store = await fresh();
    const output = { text: 'x'.repeat(20_000) };
    let broken = true;
    const checks = defineTask('checks', async (task) => {
      await task.verified({ tests: 'not run' });
      await task.verified({ tests: 12, failed: 0 });
      if (broken) throw new Error('again');
      return output;
    });
    const first = await store.open();
    const { id, outcome } = await first.start(checks, undefined);
    await outcome;
    await expect(first.output(id)).rejects.toMatchObject({ code: 'USAGE' });
    broken = false;
    await (await first.resume(id)).result;
    const other = await store.open();
    expect(await other.output(id)).toEqual(output);
    expect((await other.state(id))?.data).toMatchObject({ verification_results: { tests: 12, failed: 0 } });
  });

  test('resuming a task shows the instructions given when it was paused', async () => {
    const store = await fresh();
    const asks = defineTask('asks', (task) => task.waitFor('user_input'));
    const told: string[] = [];
    const here = await store.open({ tasks: [asks] });
    const there = await store.open({ tasks: [asks], notify: (lines) => told.push(...lines) });
    const { id, outcome } = await here.start(asks, undefined);
    await reach(there, id, 'waiting');
    await there.pause(id, 'lunch', 'mind the dog');
    expect(await outcome).toMatchObject({ status: 'paused', reason: 'lunch' });
    expect((await there.state(id))?.data).toMatchObject({ resume_instructions: 'mind the dog' });
    const recoveries: unknown[] = [];
    there.on('recovery', (event) => recoveries.push(event));
    const { result } = await there.resume(id);
    await there.answer(id, 'yes');
    expect(await result).toBe('yes');
    const where = { iteration: 0, progress: { percent: 0, note: null }, last_step: null };
    expect(recoveries).toMatchObject([
      { task: id, task_name: 'asks', ...where, instructions: 'mind the dog' },
    ]);
    expect(told).toEqual([
      '🔄 Resuming task: asks',
      '📍 Continuing from iteration 0',
      '📝 Last progress: nothing done yet (0 %)',
      '📌 mind the dog',
    ]);
  });

  test('those that can be picked up again are told from the rest', async () => {
    const store = await fresh();
    const asks = defineTask('asks', (task) => task.waitFor('user_input'));
    const fails = defineTask('fails', (_task, recoverable: boolean) => {
      throw Object.assign(new Error('no'), { recoverable });
    });
    const first = await store.open();
    const names = ['answered', 'unanswered', 'paused'];
    for (const task_id of names) {
      await first.start(asks, undefined, { task_id });
      await reach(first, task_id, 'waiting');
    }
    for (const recoverable of [true, false])
      await (await first.start(fails, recoverable, { task_id: `failed-${recoverable}` })).outcome;
    await first.run(
      defineTask('quick', () => 1),
      undefined,
      { task_id: 'completed' },
    );
    expect(await idsOf(first)).toEqual(['failed-true']); // The others run.
    await first.pause('paused');
    await reach(first, 'paused', 'paused');
    await first.close();
    const second = await store.open();
    await new ExecutionTracker(second.storage).trackStep('tracked', { name: 'fetch' });
    await second.answer('answered', 'yes');
    expect(await idsOf(second)).toEqual(['answered', 'failed-true', 'paused']);
  });
});

async function idsOf(engine: Engine): Promise<string[]> {
  return (await engine.tasks({ resumable: true })).map(({ task_id }) => task_id).toSorted();
}
