/** Records that somebody else put into the store: told in words, and nothing is done in their name. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blobIdsIn } from '../../src/checkpoint/values/blob-ref.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { type Head, headRecord, loadHead } from '../../src/engine/task/records/head.ts';
import { discard, newMessage, receive, send } from '../../src/engine/task/records/inbox.ts';
import { loadTracker } from '../../src/engine/task/records/versions.ts';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { systemClock } from '../../src/system/clock.ts';
import { openReservations } from '../../src/workspace/reservations/reservations.ts';
import { boardInStore } from '../../src/workspace/reservations/shared-board.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const now = new Date('2026-11-15T00:00:00.000Z');

test('a message is known by the place it lies in, so that it can be taken out', async () => {
  const storage = await openJsonStorage({ root: tempDir() });
  const mine = newMessage({ kind: 'pause' }, now);
  await send(storage, 't1', mine);
  const forged = { ...newMessage({ kind: 'cancel' }, now), id: mine.id };
  await storage.save('inbox', 't1/other', forged);
  await storage.save('inbox', 't1/odd', { ...forged, id: '../../x' });
  expect(await receive(storage, 't1')).toEqual([mine]);
  await discard(storage, 't1', mine);
  expect(await receive(storage, 't1')).toEqual([]);
  await storage.close();
});

test.each([[null], ['text'], [{ fence: -1, held: [] }], [{ fence: 1, held: [{}] }]])(
  'a board of reservations that is %j is CORRUPT',
  async (data) => {
    const dir = tempDir();
    const storage = await openJsonStorage({ root: dir });
    await storage.save('reservations', 'w', data);
    const reservations = openReservations({
      ...{ board: boardInStore(storage, 'w', systemClock), lease_ms: 1000, locks_dir: join(dir, 'notes') },
      identify: (path: string) => path,
    });
    await expect(reservations.list()).rejects.toMatchObject({ code: 'CORRUPT' });
    await reservations.close();
    await storage.close();
  },
);

test.each([['text'], [7], [{ version: '1.0' }]])('a place in git that is %j is CORRUPT', async (data) => {
  const storage = await openJsonStorage({ root: tempDir() });
  await storage.commit({ task: 't1', records: [{ category: 'tasks', key: 't1/versions', data }] });
  await expect(loadTracker(storage, 't1')).rejects.toMatchObject({ code: 'CORRUPT' });
  await storage.close();
});

test('blobs are found in a set of any size', () => {
  const id = `file/${'a'.repeat(64)}`;
  const many = new Set<unknown>([...Array(300_000).keys()]);
  expect(blobIdsIn({ many: many.add(`blob://${id}`) })).toEqual([id]);
});

const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
const cyclic: Record<string, unknown> = {};
Object.assign(cyclic, { one: cyclic, other: cyclic });
const asks = defineTask('asks', async (task, input: unknown) => {
  await task.step('keep', () => input);
  return task.waitFor('user_input', { prompt: 'Well?' });
});

test.each([
  ['as they are', {}],
  ['through a rule', { redact: (text: string) => text }],
])('input and answers that nest too deeply, or hold themselves, are refused: %s', async (_, hooks) => {
  const engine = await openEngine({ project_dir: tempDir(), tasks: [asks], signals: false, hooks });
  const { id } = await engine.start(asks, 'plain');
  await expect.poll(async () => (await engine.state(id))?.status).toBe('waiting');
  for (const value of [deep, cyclic]) {
    await expect(engine.start(asks, value)).rejects.toMatchObject({ code: 'NOT_SERIALISABLE' });
    await expect(engine.answer(id, value)).rejects.toMatchObject({ code: 'NOT_SERIALISABLE' });
  }
  expect(await engine.tasks()).toHaveLength(1);
  await engine.close();
});

test('names that no task has are passed over in lists and in the queue', async () => {
  const dir = tempDir();
  const engine = await openEngine({ project_dir: dir, tasks: [asks], signals: false });
  const id = await engine.enqueue(asks, 'plain');
  for (const place of ['0-0/a/b', '0-0/ ', 'x']) await engine.storage.save('queue', place, { takeovers: 0 });
  const tasks = join(dir, '.vibe-engine', 'tasks');
  for (const name of ['a b', '..x', 'é']) cpSync(join(tasks, id), join(tasks, name), { recursive: true });
  expect((await engine.tasks()).map((task) => task.task_id)).toEqual([id]);
  const working = engine.work();
  await expect.poll(async () => (await engine.state(id))?.status).toBe('waiting');
  await engine.answer(id, 'done');
  await working;
  expect(await engine.output(id)).toBe('done');
  await engine.close();
});

test.each([
  [
    'more entries than there are',
    (head: Head) => ({ ...head, undone: head.undone.map((one) => ({ ...one, to: 2 ** 53 - 1 })) }),
  ],
  [
    'a record of something else',
    (head: Head) => ({
      ...head,
      undone: head.undone.map((one) => ({ ...one, key: `${head.task_id}/state` })),
    }),
  ],
])('a rollback that is said to have taken out %s cannot be redone', async (_, change) => {
  const engine = await openEngine({ project_dir: tempDir(), tasks: [asks], signals: false });
  const { id, outcome } = await engine.start(asks, 'plain');
  await expect.poll(async () => (await engine.state(id))?.status).toBe('waiting');
  await engine.pause(id);
  await outcome;
  await engine.rollback((await engine.checkpoints.listCheckpoints(id))[0]!.id);
  const head = (await loadHead(engine.storage, id))!;
  await engine.storage.commit({ task: id, records: [headRecord(change(head) as Head)] });
  await expect(engine.redo(id)).rejects.toMatchObject({ code: 'NOTHING_TO_REDO' });
  await engine.close();
});
