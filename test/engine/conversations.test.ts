/** Conversations that save themselves: a copy for readers, beside the journal and off the task's path. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { roundOf } from '../../src/engine/lifecycle/readable-copies.ts';
import { PersistenceManager } from '../../src/persistence/manager.ts';
import { benches, reach } from './setup.ts';
import { onEachStore } from './stores.ts';

const bench = benches();

interface Saved {
  readonly task_id: string;
  readonly task_name: string;
  readonly saved_at: string;
  readonly messages: readonly { readonly content: unknown }[];
  readonly tool_outputs: readonly unknown[];
  readonly decisions: readonly unknown[];
}

const load = (engine: Engine, id: string) =>
  new PersistenceManager(engine.storage).conversations.loadAutoSaved(id) as Promise<Saved | null>;
const contents = async (engine: Engine, id: string) =>
  (await load(engine, id))?.messages.map(({ content }) => content) ?? null;

onEachStore((fresh) => {
  test('saved at a wait, at a pause and at the end', async () => {
    const engine = await (await fresh()).open();
    const talks = defineTask('talks', async (task) => {
      await task.message('user', 'hello');
      const answer = await task.waitFor<string>('user_input', { prompt: 'And?' });
      await task.message('assistant', answer);
      await task.tool('bash', 'ls', () => 'a.ts');
      await task.decide('stop here');
      await task.sleep(answer === 'slowly' ? 60_000 : 0);
      await task.message('assistant', 'bye');
    });
    const { id, outcome } = await engine.start(talks, undefined, { task_name: 'Talk' });
    await reach(engine, id, 'waiting');
    await expect.poll(() => contents(engine, id)).toEqual(['hello']);
    await engine.answer(id, 'slowly');
    await expect.poll(async () => (await engine.history(id)).steps.length).toBe(1);
    await engine.pause(id);
    await outcome;
    await expect.poll(() => contents(engine, id)).toEqual(['hello', 'slowly']);
    expect(await load(engine, id)).toMatchObject({
      task_id: id,
      task_name: 'Talk',
      tool_outputs: [{ tool: 'bash', input: 'ls', output: 'a.ts' }],
      decisions: [{ what: 'stop here' }],
    });
    expect(await engine.storage.list('conversation')).toEqual([`conv-auto-save-${id}`]);
  });
});

test('saved while the task runs, at most as often as asked for', async () => {
  const engine = await bench().open({ auto_save: { every_ms: 100 } });
  let saves = 0;
  const save = engine.storage.save.bind(engine.storage);
  engine.storage.save = (category, key, data) => {
    if (category === 'conversation') saves++;
    return save(category, key, data);
  };
  const end = Promise.withResolvers<void>();
  const talks = defineTask('talks', async (task) => {
    for (let n = 1; n <= 50; n++) {
      await task.message('assistant', n);
      await task.step('step', () => n);
    }
    await end.promise;
  });
  const { id, result } = await engine.start(talks, undefined);
  await expect.poll(async () => (await contents(engine, id))?.at(-1)).toBe(50);
  expect((await engine.state(id))?.status).toBe('in_progress');
  expect(saves).toBeLessThan(25);
  end.resolve();
  await result;
});

test('the journal of a task that says nothing is not read while it runs', async () => {
  const engine = await bench().open({ auto_save: { every_ms: 1 } });
  let reads = 0;
  const read = engine.storage.readParts.bind(engine.storage);
  engine.storage.readParts = (task, range) => {
    reads++;
    return read(task, range);
  };
  const works = defineTask('works', async (task) => {
    for (let n = 0; n < 50; n++) await task.step('step', () => sleep(2, n));
    return reads;
  });
  expect(await engine.run(works, undefined)).toBe(0);
});

test('the next copy of a task waits for those of all others that are due, too', () => {
  const tasks = Array.from({ length: 16 }, (_, n) => `t${n}`);
  const took = new Map([...tasks.map((task) => [task, 30] as const), ['not due', 1000]]);
  expect(roundOf(took, tasks.slice(1), 't0')).toBe(16 * 30);
  expect(roundOf(took, tasks, 't0')).toBe(16 * 30);
  expect(roundOf(took, [], 't0')).toBe(30);
  expect(roundOf(took, ['new'], 'new, too')).toBe(0);
});

test('closing the engine saves what is due', async () => {
  const at = bench();
  const talks = defineTask('talks', async (task) => {
    await task.message('user', 'hello');
    await task.step('step', () => 1);
    await new Promise(() => {});
  });
  const before = await at.open();
  const { id } = await before.start(talks, undefined);
  await expect.poll(async () => (await before.history(id)).steps.length).toBe(1);
  await before.close();
  expect(await contents(await at.open(), id)).toEqual(['hello']);
});

test('a long conversation is saved trimmed, without asking the summariser', async () => {
  const engine = await bench().open({
    config: { checkpoints: { durability: 'async' } },
    summariser: () => {
      throw new Error('costs money');
    },
  });
  const talks = defineTask('talks', async (task) => {
    for (let n = 1; n <= 70; n++) await task.message('assistant', `message ${n}`);
  });
  const { id, result } = await engine.start(talks, undefined);
  await result;
  await expect.poll(() => load(engine, id)).not.toBeNull();
  const { messages } = (await load(engine, id))!;
  expect(messages).toHaveLength(51);
  expect(messages[0]).toMatchObject({ role: 'summary' });
  expect(messages.at(-1)).toMatchObject({ content: 'message 70' });
});

describe('switched off', () => {
  test('nothing is saved; the history still is', async () => {
    const engine = await bench().open({ auto_save: false });
    const talks = defineTask('talks', (task) => task.message('user', 'hello'));
    const { id, result } = await engine.start(talks, undefined);
    await result;
    await expect.poll(() => engine.storage.load('history', id)).not.toBeNull();
    expect(await engine.storage.list('conversation')).toEqual([]);
  });
});
