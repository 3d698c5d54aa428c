/** Executions that something else runs, recorded step by step. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { ExecutionTracker } from '../../src/engine/tracking/tracker.ts';
import { PersistenceManager } from '../../src/persistence/manager.ts';
import { manualClock } from '../support/manual-clock.ts';
import { benches } from './setup.ts';
import { onEachStore } from './stores.ts';

const bench = benches();

onEachStore((fresh) => {
  test('steps and errors are recorded; the history has them all', async () => {
    const { storage } = await (await fresh()).open();
    const clock = manualClock(new Date('2026-01-01T00:00:00.000Z'));
    const tracker = new ExecutionTracker(storage, { clock });
    const fetched = await tracker.trackStep('run-1', {
      name: 'fetch',
      result: { rows: 3 },
      duration_ms: 250,
    });
    expect(fetched).toBe('/fetch#1');
    clock.advance(1000);
    await tracker.trackError('run-1', new RangeError('bad row'), { name: 'process', will_retry: true });
    expect(await tracker.getExecutionHistory('run-1')).toMatchObject({ status: 'paused', end_time: null });
    await tracker.trackError('run-1', new RangeError('bad row again'), { name: 'process', duration_ms: 10 });
    expect(await tracker.getExecutionHistory('run-1')).toMatchObject({
      status: 'failed',
      error: 'bad row again',
      end_time: '2026-01-01T00:00:01.000Z',
    });
    clock.advance(1000);
    await tracker.trackStep('run-1', { name: 'process', agent: '', result: 'x'.repeat(20_000) });
    await tracker.trackStep('run-1', { name: 'verify', agent: '/checker' });
    await tracker.trackEnd('run-1', { status: 'success', output: 'ok' });

    const history = await tracker.getExecutionHistory('run-1');
    expect(history).toMatchObject({
      execution_id: 'run-1',
      start_time: '2026-01-01T00:00:00.000Z',
      end_time: '2026-01-01T00:00:02.000Z',
      total_duration: 2000,
      status: 'success',
      task_status: 'completed',
      recovery_attempts: 1,
      checkpoints: [],
      last_checkpoint: null,
    });
    expect(history!.steps).toMatchObject([
      {
        id: '/fetch#1',
        index: 0,
        status: 'success',
        agent: null,
        started_at: '2025-12-31T23:59:59.750Z',
        duration_ms: 250,
        result: '{"rows":3}',
      },
      {
        id: '/process#1',
        index: 1,
        status: 'success',
        duration_ms: 10,
        attempts: [
          { attempt: 1, error: { name: 'RangeError', message: 'bad row' } },
          { attempt: 2, error: { name: 'RangeError', message: 'bad row again' } },
          { attempt: 3, error: null },
        ],
        result: expect.stringMatching(/^20002 bytes in blob:\/\/step_results\//),
      },
      { id: '/checker/verify#1', index: 2, agent: '/checker', status: 'success', result: 'null' },
    ]);
  });

  test('a step without a name is refused, and nothing is recorded', async () => {
    const { storage } = await (await fresh()).open();
    const tracker = new ExecutionTracker(storage);
    const step = { step_name: 'fetch' } as never;
    await expect(tracker.trackStep('run-1', step)).rejects.toMatchObject({ code: 'USAGE' });
    expect(await tracker.getExecutionHistory('run-1')).toBeNull();
  });

  test('several trackers of one execution lose nothing of each other', async () => {
    const { storage } = await (await fresh()).open();
    const trackers = [1, 2, 3].map(() => new ExecutionTracker(storage));
    await Promise.all(
      trackers.flatMap((tracker, n) =>
        [1, 2, 3, 4].map((m) => tracker.trackStep('shared', { name: 'step', result: `${n}-${m}` })),
      ),
    );
    const { steps } = (await trackers[0]!.getExecutionHistory('shared'))!;
    expect(steps.map(({ id, index }) => [id, index])).toEqual(
      Array.from({ length: 12 }, (_, n) => [`/step#${n + 1}`, n]),
    );
    expect(new Set(steps.map(({ result }) => result)).size).toBe(12);
  });
});

describe('an execution', () => {
  test('can rest and go on, which is a recovery', async () => {
    const { storage } = await bench().open();
    const tracker = new ExecutionTracker(new PersistenceManager(storage));
    await tracker.trackStep('run-1', { name: 'a' });
    await tracker.trackEnd('run-1', { status: 'paused', reason: 'night' });
    await tracker.trackEnd('run-1', { status: 'paused', reason: 'again' });
    expect(await tracker.getExecutionHistory('run-1')).toMatchObject({
      task_status: 'paused',
      recovery_attempts: 0,
    });
    await new ExecutionTracker(storage).trackStep('run-1', { name: 'a' });
    expect(await tracker.getExecutionHistory('run-1')).toMatchObject({
      recovery_attempts: 1,
      steps: [{ id: '/a#1' }, { id: '/a#2' }],
    });
  });

  test('that is over takes no more steps', async () => {
    const { storage } = await bench().open();
    const tracker = new ExecutionTracker(storage);
    await tracker.trackStep('run-1', { name: 'a' });
    await tracker.trackEnd('run-1', { status: 'success' });
    await expect(tracker.trackStep('run-1', { name: 'b' })).rejects.toMatchObject({
      code: 'ILLEGAL_TRANSITION',
    });
  });

  test('may fail as a whole, without a step', async () => {
    const { storage } = await bench().open();
    const tracker = new ExecutionTracker(storage);
    await tracker.trackError('run-1', 'no network');
    expect(await tracker.getExecutionHistory('run-1')).toMatchObject({
      status: 'failed',
      error: 'no network',
      steps: [],
    });
  });

  test('of an engine is read, not written', async () => {
    const engine = await bench().open();
    const task = defineTask('engine', (task) => task.step('a', () => 1));
    const { id, result } = await engine.start(task, undefined);
    await result;
    const tracker = new ExecutionTracker(engine.storage);
    const { checkpoints, last_checkpoint, ...same } = await engine.history(id);
    const whole = (await tracker.getExecutionHistory(id, { context: 'none' }))!;
    expect(whole).toMatchObject(same);
    expect(whole.checkpoints.map((one) => one.id)).toEqual(checkpoints);
    expect(whole.last_checkpoint?.id).toBe(last_checkpoint);
    await expect(tracker.trackStep(id, { name: 'b' })).rejects.toMatchObject({ code: 'USAGE' });
    expect(await tracker.getExecutionHistory('nobody')).toBeNull();
  });

  test('is there after kill -9 up to the last call that resolved', async () => {
    const at = bench();
    const source = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
    const program = join(at.dir, 'tracks.ts');
    writeFileSync(
      program,
      `import { createStorageFromConfig } from ${source('storage/opening/factory.ts')};
import { ExecutionTracker } from ${source('engine/tracking/tracker.ts')};
const storage = await createStorageFromConfig({}, { project_dir: ${JSON.stringify(at.dir)} });
const tracker = new ExecutionTracker(storage);
for (let n = 1; ; n++) {
  await tracker.trackStep('run-1', { name: 'step', result: n });
  process.stdout.write(n + '\\n');
}`,
    );
    const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
    let acknowledged = 0;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      acknowledged = Number(text.trimEnd().split('\n').at(-1));
      if (acknowledged >= 20) child.kill('SIGKILL');
    });
    await once(child, 'close');
    const { storage } = await at.open();
    const tracker = new ExecutionTracker(storage);
    const before = (await tracker.getExecutionHistory('run-1'))!.steps.length;
    expect(before).toBeGreaterThanOrEqual(acknowledged);
    expect(await tracker.trackStep('run-1', { name: 'step' })).toBe(`/step#${before + 1}`);
  });
});
