/** Hooks look, add and veto around steps, tool calls, checkpoints and recoveries. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { HookAnswer, Hooks } from '../../src/engine/api/hooks.ts';
import { checkpointsOf } from './letters.ts';
import { benches, latch, reach } from './setup.ts';

const bench = benches();

test('look: each is told what is about to happen, and how it ended', async () => {
  const seen: unknown[] = [];
  const look =
    (name: keyof Hooks, ...keys: string[]) =>
    (info: object): undefined => {
      const given = info as Record<string, unknown>;
      seen.push([name, ...keys.map((key) => given[key])]);
    };
  const task = defineTask('watched', async (task) => {
    await task.step('a', () => 1);
    await task
      .step('b', () => {
        throw new Error('b failed');
      })
      .catch(() => {});
    await task.tool('grep', { for: 'x' }, () => ['found']);
  });
  const engine = await bench().open({
    config: { checkpoints: { triggers: { after_step: 'off' } } },
    hooks: {
      beforeStep: look('beforeStep', 'id', 'name', 'agent', 'attempt'),
      afterStep: look('afterStep', 'id', 'error'),
      beforeTool: look('beforeTool', 'id', 'input'),
      afterTool: look('afterTool', 'id', 'input', 'error'),
      beforeCheckpoint: look('beforeCheckpoint', 'trigger', 'sequence_number'),
      afterCheckpoint: look('afterCheckpoint', 'trigger', 'sequence_number'),
    },
  });
  await engine.run(task, undefined);
  expect(seen).toEqual([
    ['beforeCheckpoint', 'start', 1],
    ['afterCheckpoint', 'start', 1],
    ['beforeStep', '/a#1', 'a', '', 1],
    ['afterStep', '/a#1', null],
    ['beforeStep', '/b#1', 'b', '', 1],
    ['afterStep', '/b#1', expect.objectContaining({ message: 'b failed' })],
    ['beforeTool', '/tool:grep#1', { for: 'x' }],
    ['afterTool', '/tool:grep#1', { for: 'x' }, null],
    ['beforeCheckpoint', 'end', 2],
    ['afterCheckpoint', 'end', 2],
  ]);
});

describe('add', () => {
  test('to what a step is handed', async () => {
    const engine = await bench().open({
      hooks: { beforeStep: () => ({ add: { budget: 5 } }), beforeTool: async () => ({ add: { dry: true } }) },
    });
    const task = defineTask('adds', async (task) => [
      await task.step('a', ({ added }) => added),
      await task.tool('b', null, ({ added }) => added),
    ]);
    expect(await engine.run(task, undefined)).toEqual([{ budget: 5 }, { dry: true }]);
  });

  test('to the metadata of a checkpoint', async () => {
    const engine = await bench().open({ hooks: { beforeCheckpoint: () => ({ add: { build: 7 } }) } });
    const task = defineTask('adds', (task) => task.checkpoint({ metadata: { why: 'halfway' } }));
    const id = await engine.run(task, undefined);
    const keys = (await engine.storage.list('tasks')).filter((key) => key.includes('/checkpoints/'));
    const stored = await Promise.all(keys.map((key) => engine.storage.load('tasks', key)));
    expect(stored).toContainEqual(expect.objectContaining({ id, metadata: { why: 'halfway', build: 7 } }));
  });
});

describe('veto', () => {
  test('a step: it does not run, the task may go on without it', async () => {
    const ran: string[] = [];
    const engine = await bench().open({
      hooks: { beforeStep: ({ name }) => (name === 'push' ? { veto: 'not on Fridays' } : undefined) },
    });
    const task = defineTask('vetoed', async (task) => {
      await task.step('build', () => void ran.push('build'));
      return task.step('push', () => ran.push('push')).catch((error: unknown) => error);
    });
    expect(await engine.run(task, undefined)).toMatchObject({
      code: 'HOOK_VETO',
      message: 'The hook beforeStep refused: not on Fridays',
    });
    expect(ran).toEqual(['build']);
  });

  test('a tool call: asked again when the task is resumed', async () => {
    let allowed = false;
    let ran = 0;
    const task = defineTask('vetoed', (task) => task.tool('rm', '/', () => ++ran));
    const engine = await bench().open({
      tasks: [task],
      hooks: { beforeTool: () => (allowed ? undefined : { veto: 'ask first' }) },
    });
    const { id, result } = await engine.start(task, undefined);
    await expect(result).rejects.toMatchObject({ code: 'HOOK_VETO' });
    expect(ran).toBe(0);
    allowed = true;
    expect(await (await engine.resume(id)).result).toBe(1);
  });

  test('a checkpoint: it is not made, and what it was to come with is recorded all the same', async () => {
    const engine = await bench().open({
      hooks: {
        beforeCheckpoint: ({ trigger }) => (trigger === 'after_step' ? { veto: 'too many' } : undefined),
      },
    });
    const triggers: string[] = [];
    engine.on('checkpoint', ({ trigger }) => triggers.push(trigger));
    const task = defineTask('vetoed', (task) => task.step('a', () => 'kept'));
    const { id, result } = await engine.start(task, undefined);
    expect(await result).toBe('kept');
    expect(triggers).toEqual(['start', 'end']);
    expect((await engine.history(id)).steps).toMatchObject([{ name: 'a', status: 'success' }]);
  });

  test('a requested checkpoint: the caller gets the error', async () => {
    const engine = await bench().open({
      hooks: { beforeCheckpoint: ({ trigger }) => (trigger === 'manual' ? { veto: 'no' } : undefined) },
    });
    const task = defineTask('vetoed', (task) => task.checkpoint());
    await expect(engine.run(task, undefined)).rejects.toMatchObject({ code: 'HOOK_VETO' });
  });

  test('a recovery: nothing is changed', async () => {
    const at = bench();
    const task = defineTask('vetoed', (task) => task.waitFor('user_input'));
    const before = await at.open();
    const { id } = await before.start(task, undefined);
    await reach(before, id, 'waiting');
    await before.close();
    let allowed = false;
    const told: unknown[] = [];
    const engine = await at.open({
      tasks: [task],
      hooks: {
        beforeRecovery: ({ checkpoint }) => {
          told.push(checkpoint);
          return allowed ? undefined : { veto: 'not here' };
        },
        afterRecovery: ({ checkpoint }) => void told.push(checkpoint),
      },
    });
    const journalEnd = await engine.storage.position(id);
    await expect(engine.resume(id)).rejects.toMatchObject({ code: 'HOOK_VETO' });
    expect(await engine.storage.position(id)).toEqual(journalEnd);
    expect((await engine.state(id))?.status).toBe('waiting');
    allowed = true;
    const { result } = await engine.resume(id);
    await engine.answer(id, 'ok');
    expect(await result).toBe('ok');
    expect(told).toHaveLength(3);
    expect(new Set(told).size).toBe(1);
  });
});

describe('a hook that fails', () => {
  const broken = async (): Promise<never> => {
    throw new Error('hook is broken');
  };

  test('after something changes nothing, and is reported', async () => {
    const at = bench();
    const warnings = heardWarnings();
    const task = defineTask('hooked', async (task) => [
      await task.step('a', () => 'a'),
      await task.tool('b', null, () => 'b'),
      await task
        .step('c', () => {
          throw new Error('c failed');
        })
        .catch((error: Error) => error.message),
      await task.waitFor('user_input'),
    ]);
    const hooks = { afterStep: broken, afterTool: broken, afterCheckpoint: broken, afterRecovery: broken };
    const before = await at.open({ hooks });
    const { id } = await before.start(task, undefined);
    await reach(before, id, 'waiting');
    await before.close();
    const engine = await at.open({ tasks: [task], hooks });
    const { result } = await engine.resume(id);
    await engine.answer(id, 'd');
    expect(await result).toEqual(['a', 'b', 'c failed', 'd']);
    expect(await checkpointsOf(engine, id)).toHaveLength(9);
    const { steps } = await engine.history(id);
    expect(steps.map(({ status }) => status)).toEqual(['success', 'success', 'failed']);
    expect(steps[2]!.attempts).toMatchObject([{ error: { message: 'c failed' } }]);
    expect(await warnings()).toContainEqual({
      code: 'VIBE_ENGINE_HOOK',
      message: 'The hook afterStep threw, and the task continues: hook is broken',
    });
  });

  test.each<[string, () => Promise<HookAnswer>]>([
    ['throws', broken],
    ['adds what cannot be stored', async () => ({ add: { deep: { fn: () => {} } } })],
  ])('before a checkpoint, because it %s, costs the checkpoint alone', async (_, beforeCheckpoint) => {
    const engine = await bench().open({ hooks: { beforeCheckpoint } });
    const warnings = heardWarnings();
    const task = defineTask('hooked', async (task) => {
      const a = await task.step('a', () => 'a');
      const asked = await task.checkpoint().catch((error: Error) => error.message);
      return [a, asked];
    });
    const { id, result } = await engine.start(task, undefined);
    expect(await result).toEqual(['a', expect.stringMatching(/hook is broken|deep\.fn/)]);
    expect(await checkpointsOf(engine, id)).toEqual([]);
    expect((await engine.history(id)).steps).toMatchObject([{ name: 'a', status: 'success' }]);
    expect(await warnings()).toContainEqual(expect.objectContaining({ code: 'VIBE_ENGINE_HOOK' }));
  });
});

test('a task does not wait for who is told of its checkpoints, its end does', async () => {
  const go = latch();
  const told: number[] = [];
  let stepDone = false;
  const engine = await bench().open({
    hooks: {
      afterCheckpoint: async ({ sequence_number }) => {
        await go.promise;
        told.push(sequence_number);
      },
    },
  });
  const task = defineTask('told', async (task) => {
    await task.step('a', () => 'a');
    stepDone = true;
  });
  const { outcome } = await engine.start(task, undefined);
  await expect.poll(() => stepDone).toBe(true);
  expect(told).toEqual([]);
  go.resolve();
  expect((await outcome).status).toBe('completed');
  expect(told).toEqual([1, 2, 3]);
});

describe('the metadata of a checkpoint that was asked for', () => {
  test('is refused when it cannot be stored, by its path and before anything is written', async () => {
    const engine = await bench().open();
    const task = defineTask('odd', (task) =>
      task.checkpoint({ metadata: { a: [1, () => {}] } }).catch((error: object) => ({ ...error })),
    );
    const { id, result } = await engine.start(task, undefined);
    expect(await result).toMatchObject({ code: 'NOT_SERIALISABLE', data: { path: 'a[1]' } });
    expect((await engine.state(id))?.status).toBe('completed');
    expect(await checkpointsOf(engine, id)).toHaveLength(2);
  });

  test('goes to that one, as it was when it was asked for, whatever else is in progress', async () => {
    const engine = await bench().open();
    const task = defineTask('asks', async (task) => {
      const metadata = { name: 'asked' };
      const step = task.step('a', () => 'a');
      const asked = task.checkpoint({ metadata });
      metadata.name = 'changed since';
      await step;
      return asked;
    });
    const { id, result } = await engine.start(task, undefined);
    const asked = await result;
    const records = await engine.checkpoints.listCheckpoints(id);
    expect(records.filter(({ metadata }) => metadata.name === 'asked').map((one) => one.id)).toEqual([asked]);
  });
});

/** Warnings of the process from now on. */
function heardWarnings(): () => Promise<{ code: unknown; message: string }[]> {
  const heard: { code: unknown; message: string }[] = [];
  const hear = (warning: Error): void => {
    heard.push({ code: (warning as { code?: unknown }).code, message: warning.message });
  };
  process.on('warning', hear);
  onTestFinished(() => void process.off('warning', hear));
  return async () => {
    await new Promise((resolve) => setImmediate(resolve)); // They come a turn later.
    return heard;
  };
}
