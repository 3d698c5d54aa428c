/** Trying again: back-off, maximum, conditions, time limits, and being told to stop. */
import { describe, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { delayBefore, runLimited } from '../../src/engine/run/attempts.ts';
import { benches } from './setup.ts';

const bench = benches();

describe('the pause before an attempt', () => {
  const retry = {
    attempts: 9,
    first_delay_ms: 100,
    factor: 2,
    max_delay_ms: 500,
    jitter: 0.5,
    when: () => true,
  };

  test('doubles up to its limit', () => {
    const delays = [2, 3, 4, 5, 6].map((attempt) => delayBefore(attempt, retry, () => 0));
    expect(delays).toEqual([100, 200, 400, 500, 500]);
  });

  test('is left to chance by as much as the jitter says', () => {
    expect(delayBefore(2, retry, () => 1)).toBe(50);
    expect(delayBefore(2, { ...retry, jitter: 0 }, () => 1)).toBe(100);
    expect(delayBefore(2, { ...retry, jitter: 1 }, () => 0.25)).toBe(75);
  });
});

describe('a step', () => {
  test('is tried once unless it asks for more', async () => {
    let runs = 0;
    const once = defineTask('once', (task) =>
      task.step('fails', () => {
        runs++;
        throw new Error('no');
      }),
    );
    const engine = await bench().open();
    await expect(engine.run(once, undefined)).rejects.toThrow('no');
    expect(runs).toBe(1);
  });

  test('is tried until it succeeds, and no further', async () => {
    const attempts: number[] = [];
    const flaky = defineTask('flaky', (task) =>
      task.step(
        'flaky',
        ({ attempt }) => {
          attempts.push(attempt);
          if (attempt < 3) throw new Error(`attempt ${attempt}`);
          return attempt;
        },
        { retry: { attempts: 5, first_delay_ms: 1 } },
      ),
    );
    const engine = await bench().open();
    const { id, result } = await engine.start(flaky, undefined);
    expect(await result).toBe(3);
    expect(attempts).toEqual([1, 2, 3]);
    const [step] = (await engine.history(id)).steps;
    expect(step).toMatchObject({ status: 'success' });
    expect(step!.attempts.map(({ attempt, error }) => [attempt, error?.message ?? null])).toEqual([
      [1, 'attempt 1'],
      [2, 'attempt 2'],
      [3, null],
    ]);
  });

  test('fails with its last error when the maximum is reached', async () => {
    const flaky = defineTask('flaky', (task) =>
      task.step(
        'flaky',
        ({ attempt }) => {
          throw new Error(`attempt ${attempt}`);
        },
        { retry: { attempts: 3, first_delay_ms: 1 } },
      ),
    );
    const engine = await bench().open();
    const { id, result } = await engine.start(flaky, undefined);
    await expect(result).rejects.toThrow('attempt 3');
    expect((await engine.state(id))?.data).toMatchObject({ error_message: 'attempt 3', recoverable: true });
  });

  test('is not tried again when its condition refuses the error', async () => {
    const asked: unknown[] = [];
    const picky = defineTask('picky', (task) =>
      task.step(
        'picky',
        () => {
          throw new RangeError('for good');
        },
        {
          retry: {
            attempts: 5,
            first_delay_ms: 1,
            when: (error, attempt) => {
              asked.push([(error as Error).name, attempt]);
              return attempt < 2;
            },
          },
        },
      ),
    );
    const engine = await bench().open();
    await expect(engine.run(picky, undefined)).rejects.toThrow('for good');
    expect(asked).toEqual([
      ['RangeError', 1],
      ['RangeError', 2],
    ]);
  });

  test('counts the attempts of the run before', async () => {
    const at = bench();
    const seen: number[] = [];
    const stuck = defineTask('stuck', (task) =>
      task.step(
        'stuck',
        ({ attempt }) => {
          seen.push(attempt);
          if (attempt === 1) throw new Error('first');
          if (seen.length === 2) return new Promise<never>(() => {});
          throw new Error(`attempt ${attempt}`);
        },
        { retry: { attempts: 3, first_delay_ms: 1 } },
      ),
    );
    const before = await at.open({ tasks: [stuck] });
    const { id } = await before.start(stuck, undefined);
    await expect.poll(() => seen).toEqual([1, 2]);
    await before.close();
    const engine = await at.open({ tasks: [stuck] });
    await expect((await engine.resume(id)).result).rejects.toThrow('attempt 3');
    expect(seen).toEqual([1, 2, 2, 3]);
  });

  test('has all its attempts again when the task is retried', async () => {
    let works = false;
    let runs = 0;
    const hopeless = defineTask('hopeless', (task) =>
      task.step(
        'hopeless',
        () => {
          runs++;
          if (!works) throw new Error('no');
          return runs;
        },
        { retry: { attempts: 2, first_delay_ms: 1 } },
      ),
    );
    const engine = await bench().open({ tasks: [hopeless] });
    const { id, outcome } = await engine.start(hopeless, undefined);
    expect((await outcome).status).toBe('failed');
    expect((await (await engine.resume(id)).outcome).status).toBe('failed');
    expect(runs).toBe(4);
    works = true;
    expect(await (await engine.resume(id)).result).toBe(5);
    const history = await engine.history(id);
    expect(history).toMatchObject({ status: 'success', recovery_attempts: 2 });
    expect(history.steps).toHaveLength(1);
    expect(history.steps[0]!.attempts).toHaveLength(5);
    expect(history.steps[0]!.index).toBe(0);
  });

  test('ends at its time limit, whether it listens or not, and is tried again', async () => {
    const signals: AbortSignal[] = [];
    const slow = defineTask('slow', (task) =>
      task.step(
        'slow',
        ({ attempt, signal }) => {
          signals.push(signal);
          return attempt === 1 ? new Promise<never>(() => {}) : 'in time';
        },
        { timeout_ms: 20, retry: { attempts: 2, first_delay_ms: 1 } },
      ),
    );
    const engine = await bench().open();
    expect(await engine.run(slow, undefined)).toBe('in time');
    const codes = signals.map(({ reason }) => (reason as { code: string }).code);
    expect(codes).toEqual(['STEP_TIMEOUT', 'RUN_STOPPED']); // The second one when the run was over.
  });

  test('that runs out of time fails with a code that is remembered', async () => {
    const at = bench();
    const slow = defineTask('slow', (task) =>
      task.step('slow', () => new Promise<never>(() => {}), { timeout_ms: 5 }),
    );
    const engine = await at.open();
    const { id, result } = await engine.start(slow, undefined);
    await expect(result).rejects.toMatchObject({ code: 'STEP_TIMEOUT' });
    expect((await engine.state(id))?.data).toMatchObject({ error_type: 'STEP_TIMEOUT' });
  });

  test('sees its signal aborted when the task is stopped at once, not when it is paused', async () => {
    const signals: AbortSignal[] = [];
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const listening = defineTask('listening', (task) =>
      task.step('listen', async ({ signal }) => {
        signals.push(signal, task.signal);
        begun.resolve();
        await end.promise;
      }),
    );
    const engine = await bench().open();
    const { id, outcome } = await engine.start(listening, undefined);
    await begun.promise;
    await engine.pause(id);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
    await engine.close();
    expect(await outcome).toMatchObject({ status: 'stopped' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    end.resolve();
  });
});

test('a time limit ends what does not listen, and hands over the outer reason to what does', async () => {
  const outer = new AbortController();
  const reason = new Error('stop');
  const running = runLimited(
    (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    'it',
    60_000,
    outer.signal,
  );
  outer.abort(reason);
  await expect(running).rejects.toBe(reason);
});
