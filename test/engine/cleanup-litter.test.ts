/** What crashes leave beside the tasks, and copies of what is gone: clean-up takes them, and nothing that someone needs. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { type Engine, openEngine } from '../../src/engine/engine.ts';
import { newMessage, send } from '../../src/engine/task/records/inbox.ts';
import { enqueue } from '../../src/engine/task/records/queue.ts';
import { PersistenceManager } from '../../src/persistence/manager.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { manualClock } from '../support/manual-clock.ts';
import { blobsOf } from './cleanup-world.ts';
import { reach } from './setup.ts';
import { onEachStore, type Store } from './stores.ts';

const DAY = 24 * 3_600_000;
const LARGE = 'x'.repeat(20_000);

onEachStore((fresh) => {
  test('a letter to a task that is over goes, one to a task that is not stays', async () => {
    const engine = await (await fresh()).open();
    const asks = defineTask('asks', (task) => task.waitFor('user_input'));
    const over = await engine.start(asks, undefined);
    await reach(engine, over.id, 'waiting');
    await engine.answer(over.id, 'yes');
    await over.result;
    const open = await engine.start(asks, undefined);
    await reach(engine, open.id, 'waiting');
    await engine.pause(open.id);
    await open.outcome;
    // As if the process had been killed between the end of the task and of its run.
    const letter = newMessage({ kind: 'answer', value: 'yes' }, new Date());
    for (const { id } of [over, open]) await send(engine.storage, id, letter);
    const letters = () => engine.storage.list('inbox');
    // With the record that its question was answered.
    expect((await engine.clean({ dry_run: true })).freed).toMatchObject({ records: 2 });
    expect(await letters()).toHaveLength(2);
    const { freed, freed_bytes } = await engine.clean();
    expect(freed).toMatchObject({ records: 2, record_bytes: freed_bytes });
    expect(freed_bytes).toBeGreaterThan(50);
    expect(await letters()).toEqual([`${open.id}/${letter.id}`]);
  });

  test('copies of conflicts go when they are old, resolutions when they are many, the newest last', async () => {
    const store = await fresh();
    const clock = manualClock(new Date());
    const engine = await store.open({ workspace: true, clock });
    const collides = defineTask('collides', async ({ files }) => {
      await files.write('a.txt', 'one\n');
      writeFileSync(join(store.dir, 'a.txt'), 'theirs\n');
      await files.write('a.txt', 'ours\n').catch(() => {});
    });
    await engine.run(collides, undefined);
    for (const n of [1, 2, 3]) await engine.storage.save('resolutions', `r${n}`, { resolution: `${n}` });
    const copies = () => readdirSync(join(store.dir, '.vibe-engine', 'conflicts'));
    const policy = { max_resolutions: 1 };
    expect((await engine.clean({ policy, dry_run: true })).freed).toMatchObject({ records: 2 });
    expect([copies().length, (await engine.storage.list('resolutions')).length]).toEqual([1, 3]);
    expect((await engine.clean({ policy })).freed).toMatchObject({ records: 2 });
    expect(await engine.storage.list('resolutions')).toEqual(['r3']);
    expect(copies()).toHaveLength(1);
    clock.advance(31 * DAY);
    const { freed } = await engine.clean();
    expect(freed.records).toBe(1);
    expect(freed.record_bytes).toBeGreaterThan(20);
    expect(copies()).toEqual([]);
  });

  test('a place in the queue goes with what it was for', async () => {
    const engine = await (await fresh()).open();
    const job = defineTask('job', () => 'done');
    const queued = await engine.enqueue(job, undefined);
    const done = await engine.start(job, undefined);
    await done.result;
    const place = { priority: 'normal', estimated_complexity: null, input_request: null } as const;
    const created_at = new Date().toISOString();
    for (const task_id of [done.id, 'never-made'])
      await enqueue(engine.storage, { ...place, task_id, created_at });
    await engine.clean();
    expect(await engine.storage.list('queue')).toEqual(['2-1/never-made', `2-1/${queued}`]);
    await engine.clean({ policy: { grace_hours: 0 } });
    expect(await engine.storage.list('queue')).toEqual([`2-1/${queued}`]);
  });

  test('the saved conversation of a task goes with its journal; those of others, and of users, stay', async () => {
    const clock = manualClock(new Date('2026-03-01T12:00:00.000Z'));
    const engine = await (await fresh()).open({ clock });
    const talks = defineTask('talks', (task) => task.message('user', 'hello'));
    const old = await engine.start(talks, undefined);
    await old.result;
    const saved = () => engine.storage.list('conversation');
    await expect.poll(saved).toHaveLength(1);
    const { conversations } = new PersistenceManager(engine.storage);
    conversations.autoSave('mine', { messages: ['of a program of its own'] });
    await conversations.flush();
    clock.advance(7 * DAY);
    const recent = await engine.start(talks, undefined);
    await recent.result;
    await expect.poll(saved).toHaveLength(3);
    await engine.clean(); // The old one's checkpoints leave the lists.
    expect(await saved()).toHaveLength(3);
    clock.advance(DAY);
    expect((await engine.clean()).freed.records).toBe(1);
    expect((await saved()).toSorted()).toEqual(
      [`conv-auto-save-${recent.id}`, 'conv-auto-save-mine'].toSorted(),
    );
    expect((await engine.history(old.id)).status).toBe('success');
  });

  test.each<[string, (engine: Engine) => Promise<unknown>, string]>([
    ['started', (engine) => engine.start(large, LARGE, { task_id: 'half' }), 'half'],
    ['queued', (engine) => engine.enqueue(large, LARGE, { task_id: 'half' }), 'half'],
    [
      'checkpointed by hand',
      (engine) => engine.checkpoints.createCheckpoint({ execution_id: 'half', step_state: LARGE }),
      'half',
    ],
  ])(
    'blobs of a task that was being %s when the process died go after the grace period',
    async (_, make, task) => {
      const store = await fresh();
      const engine = await store.open();
      await dieAfterBlobs(store, engine.storage, make);
      expect(await blobsOf(engine.storage, task)).toHaveLength(1);
      expect(await engine.tasks()).toEqual([]);
      await engine.clean();
      expect(await blobsOf(engine.storage, task)).toHaveLength(1);
      const { freed } = await engine.clean({ policy: { grace_hours: 0 } });
      expect(freed).toMatchObject({ blobs: 1 });
      expect(await blobsOf(engine.storage, task)).toEqual([]);
      expect((await engine.storage.tasks()).keys).toEqual([]);
      await engine.run(large, LARGE, { task_id: task });
      expect((await engine.clean({ policy: { grace_hours: 0 } })).freed.blobs).toBe(0);
    },
  );

  test('blobs of a fork that was being made when the process died go after the grace period', async () => {
    const store = await fresh();
    const engine = await store.open();
    const sets = defineTask('sets', async (task) => {
      for (let n = 0; n < 9; n++) await task.set(`v${n}`, String(n).repeat(9_000));
      return task.checkpoint();
    });
    const checkpoint = await engine.run(sets, undefined);
    await dieAfterBlobs(store, engine.storage, (dying) => dying.fork(checkpoint));
    const [note] = await engine.storage.list('forks');
    const fork = note!.split('/')[1]!;
    expect(await blobsOf(engine.storage, fork)).toHaveLength(1);
    await engine.clean({ policy: { grace_hours: 0 } });
    expect(await blobsOf(engine.storage, fork)).toEqual([]);
    expect(await engine.storage.list('forks')).toEqual([]);
  });
});

const large = defineTask('large', (_task, input: string) => input.length);

/** The first blobs that are put are the last thing that is done. */
async function dieAfterBlobs(
  { dir }: Store,
  storage: Storage,
  act: (dying: Engine) => Promise<unknown>,
): Promise<void> {
  const dead = new Error('the process dies here');
  let died = false;
  const unlessDead =
    <A extends unknown[], R>(run: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      if (died) throw dead;
      return run(...given);
    };
  const mortal: Storage = {
    ...storage,
    commit: unlessDead(storage.commit),
    save: unlessDead(storage.save),
    delete: unlessDead(storage.delete),
    async putBlobs(task, blobs) {
      await storage.putBlobs(task, blobs);
      died = true;
      throw dead;
    },
  };
  const dying = await openEngine({ project_dir: dir, storage: mortal, automatic_cleanup: false });
  await expect(act(dying)).rejects.toThrow('dies here');
  await dying.close();
}
