/** Trying again: a failed task, from a step, several times; and going on from a checkpoint. */
import { describe, expect, test } from 'vitest';
import { defineTask, type PipelineStep, pipeline } from '../../src/engine/api/definition.ts';
import type { EngineEvent } from '../../src/engine/api/events.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { delayBefore } from '../../src/engine/run/attempts.ts';
import { emptyMemory, remember } from '../../src/engine/task/memory.ts';
import { occurrencesIn } from '../../src/engine/task/occurrences.ts';
import { loadHead } from '../../src/engine/task/records/head.ts';
import {
  checkpointAfter,
  checkpointsOf,
  finish,
  letters,
  outlineOf,
  pausedAtQuestion,
  recordsOf,
  stepsOf,
  untilStatus,
} from './letters.ts';
import { everythingIn, onEachStore } from './stores.ts';

const SOON = { first_delay_ms: 1, jitter: 0 };

/** Three steps, of which the second fails as often as it is told to. */
function flaky(log: string[], failures: { left: number }) {
  return defineTask('flaky', async (task) => {
    for (const name of ['a', 'b', 'c']) {
      await task.step(name, () => {
        log.push(name);
        if (name === 'b' && failures.left-- > 0) throw new Error(`no ${failures.left}`);
      });
    }
    return 'done';
  });
}

async function failed(engine: Engine, definition: ReturnType<typeof flaky>): Promise<string> {
  const { id, outcome } = await engine.start(definition, undefined);
  expect(await outcome).toMatchObject({ status: 'failed' });
  return id;
}

onEachStore((fresh) => {
  test('a failed task is tried again until it succeeds; what succeeded is kept', async () => {
    const engine = await (await fresh()).open();
    const log: string[] = [];
    const task = await failed(engine, flaky(log, { left: 3 }));
    const { outcome } = await engine.retry(task, { attempts: 5, ...SOON });
    expect(await outcome).toEqual({ status: 'completed', output: 'done' });
    expect(log.join('')).toBe('abbbbc');
    const { steps } = await engine.history(task);
    expect(steps.map(({ name, attempts }) => [name, attempts.length])).toEqual([
      ['a', 1],
      ['b', 4],
      ['c', 1],
    ]);
    expect((await loadHead(engine.storage, task))!.retries).toBe(3);
  });

  test('the number of attempts is a maximum, and a condition can end them before', async () => {
    const engine = await (await fresh()).open();
    const log: string[] = [];
    const task = await failed(engine, flaky(log, { left: 100 }));
    expect(await (await engine.retry(task, { attempts: 3, ...SOON })).outcome).toMatchObject({
      status: 'failed',
    });
    expect(log.join('')).toBe('abbbb');
    const asked: [string, number][] = [];
    const when = (error: unknown, attempt: number): boolean => {
      asked.push([(error as Error).message, attempt]);
      return attempt < 2;
    };
    await (await engine.retry(task, { attempts: 10, ...SOON, when })).outcome;
    expect(asked).toEqual([
      ['no 95', 1],
      ['no 94', 2],
    ]);
  });

  test('from a step: what came before is kept, it and all after it run again', async () => {
    const engine = await (await fresh()).open();
    const log: string[] = [];
    const task = await pausedAtQuestion(engine, letters(log), 'abcd');
    const whole = await outlineOf(engine, task);
    log.length = 0;
    const { result, outcome } = await engine.retry(task, { step: 'c' });
    await untilStatus(engine, task, 'waiting');
    expect(log).toEqual(['c', 'd']);
    await engine.pause(task);
    await outcome;
    await expect(result).rejects.toMatchObject({ code: 'RUN_STOPPED' });
    expect(await stepsOf(engine, task)).toEqual(['a', 'b', 'c', 'd']);
    expect(whole).not.toEqual(await outlineOf(engine, task));

    log.length = 0;
    await (
      await engine.retry(task, { step: '/a#1' }).then(async (handle) => {
        await engine.answer(task, '.');
        return handle;
      })
    ).outcome;
    expect(log.join('')).toBe('abcd');
  });

  test('the checkpoint before the step may have been thinned away', async () => {
    const store = await fresh();
    const cleanup = { max_per_task: 3, sample_every: 100 };
    const engine = await store.open({ config: { ...store.config, cleanup } });
    const log: string[] = [];
    const task = await pausedAtQuestion(engine, letters(log), 'abcdefgh');
    expect((await checkpointsOf(engine, task)).length).toBeLessThanOrEqual(3);
    log.length = 0;
    await engine.retry(task, { step: 'g' });
    await untilStatus(engine, task, 'waiting');
    expect(log).toEqual(['g', 'h']);
  });

  test('in a fork, from a step that the parent ran: the parent keeps it', async () => {
    const store = await fresh();
    const engine = await store.open({ config: { ...store.config, cleanup: { grace_hours: 0 } } });
    const log: string[] = [];
    const parent = await pausedAtQuestion(engine, letters(log), 'abcd');
    const { id } = await engine.fork(await checkpointAfter(engine, parent, 'c'));
    const [before, forked] = [await outlineOf(engine, parent), await outlineOf(engine, id)];
    const rewound = async (): Promise<void> => {
      log.length = 0;
      const { outcome } = await engine.retry(id, { step: 'b' });
      await untilStatus(engine, id, 'waiting');
      expect(log).toEqual(['b', 'c', 'd']);
      await engine.pause(id);
      await outcome;
    };
    await rewound();
    expect(await stepsOf(engine, id)).toEqual(['a', 'b', 'c', 'd']);
    expect(await outlineOf(engine, parent)).toEqual(before);
    // None of its checkpoints stood before the step: there is one that does.
    const [oldest] = await recordsOf(engine, id);
    expect(oldest).toMatchObject({ trigger: 'rollback', step_name: 'a', sequence_number: 2 });
    expect(forked).not.toEqual(await outlineOf(engine, id));
    await engine.clean();
    expect(await finish(engine, id)).toBe('abcd!');
    expect(await finish(engine, parent)).toBe('abcd!');
  });

  test('when it was taken back and cannot go on, it is put back as it was', async () => {
    let veto: string | undefined;
    const engine = await (await fresh()).open({
      hooks: { beforeRecovery: () => (veto ? { veto } : undefined) },
    });
    const parent = await pausedAtQuestion(engine, letters([]), 'abcd');
    const { id } = await engine.fork(await checkpointAfter(engine, parent, 'c'));
    veto = 'not now';
    for (const [task, step] of [
      [parent, 'b'],
      [id, 'b'],
    ] as const) {
      const before = await outlineOf(engine, task);
      await expect(engine.retry(task, { step })).rejects.toMatchObject({ code: 'HOOK_VETO' });
      expect(await outlineOf(engine, task)).toEqual(before);
    }
    const before = await outlineOf(engine, parent);
    const target = await checkpointAfter(engine, parent, 'a');
    expect(await engine.recovery.resumeFromCheckpoint(target)).toMatchObject({ success: false });
    expect(await outlineOf(engine, parent)).toEqual(before);
  });

  test('what cannot be tried again is refused, and nothing changes', async () => {
    const engine = await (await fresh()).open();
    const task = await pausedAtQuestion(engine, letters([]), 'ab');
    const before = await everythingIn(engine.storage);
    await expect(engine.retry(task)).rejects.toMatchObject({ code: 'NOT_RESUMABLE' });
    await expect(engine.retry(task, { step: 'z' })).rejects.toMatchObject({
      code: 'USAGE',
      data: { known: ['/a#1', '/b#1'] },
    });
    expect(await everythingIn(engine.storage)).toEqual(before);
    await finish(engine, task);
    const hint = expect.stringContaining('Fork it');
    await expect(engine.retry(task)).rejects.toMatchObject({ code: 'NOT_RESUMABLE', hint });
    await expect(engine.retry(task, { step: 'a' })).rejects.toMatchObject({ code: 'NOT_RESUMABLE', hint });
  });
});

describe('which step', () => {
  onEachStore(
    (fresh) => {
      test('of several with a name it is the one that failed last, else the newest', async () => {
        const engine = await (await fresh()).open();
        const log: string[] = [];
        let fail = true;
        const loop = defineTask('loop', async (task) => {
          for (let n = 1; n <= 4; n++) {
            await task
              .step('turn', () => {
                log.push(`turn ${n}`);
                if (n === 2 && fail) throw new Error('no');
              })
              .catch(() => log.push('caught'));
          }
          await task.step('last', () => {
            if (fail) throw new Error('no');
          });
        });
        const { id, outcome } = await engine.start(loop, undefined);
        expect(await outcome).toMatchObject({ status: 'failed' });
        fail = false;
        log.length = 0;
        await (await engine.retry(id, { step: 'turn' })).result;
        expect(log).toEqual(['turn 2', 'turn 3', 'turn 4']);
      });

      test('at which a task failed: it alone is run again, also beside others that succeeded', async () => {
        const engine = await (await fresh()).open();
        const log: string[] = [];
        let fail = true;
        const both = defineTask('both', async (task) => {
          const options = { retry: { attempts: 2, first_delay_ms: 1 } };
          const attempt = async (n: number): Promise<void> => {
            log.push(`slow ${n}`);
            if (n === 2) await expect.poll(() => stepsOf(engine, task.id)).toContain('quick');
            if (fail) throw new Error('no');
          };
          const slow = task.step('slow', (step) => attempt(step.attempt), options);
          const quick = task.step('quick', async () => {
            await expect.poll(() => log).toContain('slow 2');
            log.push('quick');
          });
          await Promise.all([slow, quick]);
        });
        const { id, outcome } = await engine.start(both, undefined);
        expect(await outcome).toMatchObject({ status: 'failed' });
        fail = false;
        log.length = 0;
        await (await engine.retry(id, { step: 'slow' })).result;
        expect(log).toEqual(['slow 3']);
      });
    },
    ['sqlite'],
  );
});

describe('ExecutionRecovery', () => {
  const steps = (log: string[]): PipelineStep<number[]>[] =>
    [1, 2, 3, 4].map((n) => ({
      name: `step ${n}`,
      run: (context) => {
        log.push(`${n}`);
        return [...context, n];
      },
    }));

  onEachStore((fresh) => {
    test('goes on after a checkpoint, with the code of the task', async () => {
      const engine = await (await fresh()).open();
      const log: string[] = [];
      const task = await pausedAtQuestion(engine, letters(log), 'abcd');
      const target = await checkpointAfter(engine, task, 'b');
      log.length = 0;
      const resumed = engine.recovery.resumeFromCheckpoint(target);
      await untilStatus(engine, task, 'waiting');
      await engine.answer(task, '!');
      expect(await resumed).toEqual({ success: true, status: 'completed', output: 'abcd!', task });
      expect(log).toEqual(['c', 'd']);
    });

    test('goes on with the steps that are left, from what the last one before gave', async () => {
      const store = await fresh();
      const engine = await store.open();
      const log: string[] = [];
      const broken = steps(log);
      broken[2] = {
        name: 'step 3',
        run: () => {
          throw new Error('no');
        },
      };
      const { id, outcome } = await engine.start(defineTask('numbers', pipeline(broken)), [0]);
      expect(await outcome).toMatchObject({ status: 'failed' });
      await engine.close();

      // The code of the task is not known here, and not needed.
      const next = await store.open();
      const target = await checkpointAfter(next, id, 'step 2');
      log.length = 0;
      const left = [...steps(log).slice(2), { name: 'step 1', run: (context: number[]) => [...context, 1] }];
      const result = await next.recovery.resumeFromCheckpoint(target, left);
      expect(result).toEqual({ success: true, status: 'completed', output: [0, 1, 2, 3, 4, 1], task: id });
      expect(log).toEqual(['3', '4']);
      const history = await next.history(id);
      expect(history.steps.map(({ name, index }) => [name, index])).toEqual([
        ['step 1', 0],
        ['step 2', 1],
        ['step 3', 2],
        ['step 4', 3],
        ['step 1', 4],
      ]);
    });

    test('retries from a step, as often as the settings say', async () => {
      const store = await fresh();
      const retry = { max_attempts: 3, first_delay_seconds: 0.001 };
      const engine = await store.open({ config: { ...store.config, recovery: { retry } } });
      const log: string[] = [];
      const task = await failed(engine, flaky(log, { left: 3 }));
      const first = await engine.recovery.retryFromStep(task, 'b');
      expect(first).toMatchObject({ success: true, task, output: 'done' });
      expect(log.join('')).toBe('abbbbc');
    });

    test('a recovery that fails is a result and an event, not a throw', async () => {
      const engine = await (await fresh()).open();
      const events: EngineEvent[] = [];
      engine.on('recovery.failed', (event) => events.push(event));
      const task = await failed(engine, flaky([], { left: 100 }));
      const { recovery } = engine;
      const target = await checkpointAfter(engine, task, 'a');
      expect(await recovery.retryFromStep(task, 'b', { attempts: 2, ...SOON })).toMatchObject({
        success: false,
        reason: 'no 97',
      });
      expect(await recovery.resumeFromCheckpoint(target)).toMatchObject({ success: false, reason: 'no 96' });
      expect(await recovery.rollbackToCheckpoint('ckpt-none-1')).toMatchObject({
        success: false,
        error: { code: 'CHECKPOINT_NOT_FOUND' },
      });
      expect(await recovery.rollbackToCheckpoint('nonsense')).toMatchObject({ success: false });
      expect(await recovery.retryFromStep('none', 'b')).toMatchObject({ success: false });
      expect(events).toMatchObject([
        { verb: 'retry', task, reason: 'no 97' },
        { verb: 'resume', task, reason: 'no 96' },
        { verb: 'rollback', task: 'none' },
        { verb: 'rollback', task: null },
        { verb: 'retry', task: 'none' },
      ]);
    });

    test('rolls back, and later checkpoints and their history are gone', async () => {
      const engine = await (await fresh()).open();
      const task = await pausedAtQuestion(engine, letters([]), 'abc');
      const target = await checkpointAfter(engine, task, 'a');
      expect(await engine.recovery.rollbackToCheckpoint(target)).toMatchObject({ success: true, done: true });
      const { steps, last_checkpoint } = await engine.history(task);
      expect([steps.map(({ name }) => name), last_checkpoint]).toEqual([['a'], target]);
    });
  });
});

test('the delay before an attempt grows by a factor, up to a maximum', () => {
  const retry = { attempts: 9, first_delay_ms: 10, factor: 2, max_delay_ms: 50, jitter: 0, when: () => true };
  expect([2, 3, 4, 5, 6].map((attempt) => delayBefore(attempt, retry))).toEqual([10, 20, 40, 50, 50]);
});

test('code that starts in the middle counts names on from what is remembered', () => {
  const memory = emptyMemory();
  const at = '2026-01-01T00:00:00.000Z';
  const step = { t: 'step', agent: '', index: 0, at, ms: 1, attempt: 1, result: null } as const;
  const agent = { t: 'agent', at, ms: 1, status: 'success', result: null } as const;
  const said = { t: 'message', at, role: 'user', content: 'x', bytes: 1 } as const;
  for (const entry of [
    { ...step, id: '/turn#1', name: 'turn' },
    { ...step, id: '/turn#2', name: 'turn' },
    { ...step, id: '/a#b#1', name: 'a#b' },
    { t: 'wait', id: 'sub/wait#3', at, kind: 'user_input', prompt: null, timeout_at: null } as const,
    { ...agent, id: '/sub', name: 'sub' },
    { ...agent, id: '/sub@2', name: 'sub' },
    { ...agent, id: '/me@home', name: 'me@home' },
    { ...said, agent: 'sub' },
  ]) {
    remember(memory, entry);
  }
  expect(Object.fromEntries(occurrencesIn(memory))).toEqual({
    '/turn': 2,
    '/a#b': 1,
    'sub/wait': 3,
    '/sub@agent': 2,
    '/me@home@agent': 1,
    'sub|message': 1,
  });
});
