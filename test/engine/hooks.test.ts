/** Hooks look, add and veto around steps, tool calls, checkpoints and recoveries. */
import { describe, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/definition.ts';
import type { Hooks } from '../../src/engine/hooks.ts';
import { benches, reach } from './setup.ts';

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

  test('a checkpoint that was asked for: whoever asked is told', async () => {
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

test('an error in a hook after a checkpoint stops the run, not the process; the task can be resumed', async () => {
  const at = bench();
  const task = defineTask('hooked', (task) => task.step('a', () => 'a'));
  const before = await at.open({
    hooks: {
      afterCheckpoint: async () => {
        throw new Error('hook is broken');
      },
    },
  });
  const { id, outcome } = await before.start(task, undefined);
  expect(await outcome).toMatchObject({ status: 'stopped', error: { message: 'hook is broken' } });
  const engine = await at.open({ tasks: [task] });
  expect(await (await engine.resume(id)).result).toBe('a');
});
