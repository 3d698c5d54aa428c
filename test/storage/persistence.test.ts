import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CorruptError, InvalidInputError, InvalidStateError, OwnershipError } from '../../src/errors.ts';
import { PersistenceManager } from '../../src/persistence/manager.ts';
import { queueTask } from '../../src/task/transition.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';

let project: string;
let manager: PersistenceManager;

describe.each(['json', 'sqlite', 'postgres'])('persistence on %s', (storage_type) => {
  let database: TestDatabase | undefined;
  const openManager = () => {
    const persistence = { storage_type, url: database?.url };
    return PersistenceManager.open({ persistence }, { project_dir: project, env: {} });
  };

  beforeEach(async () => {
    if (storage_type === 'postgres') database = await freshDatabase();
    project = mkdtempSync(join(tmpdir(), 've-persistence-'));
    manager = await openManager();
  });
  afterEach(async () => {
    await manager.close();
    await database?.drop();
    rmSync(project, { recursive: true, force: true });
  });

  const kinds = {
    conversation: () => ({
      save: (id: string, data: unknown) => manager.saveConversation(id, data),
      load: (id: string) => manager.loadConversation(id),
      list: () => manager.listConversations(),
      delete: (id: string) => manager.deleteConversation(id),
    }),
    history: () => ({
      save: (id: string, data: unknown) => manager.saveHistory(id, data),
      load: (id: string) => manager.loadHistory(id),
      list: () => manager.listHistories(),
      delete: (id: string) => manager.deleteHistory(id),
    }),
    config: () => ({
      save: (id: string, data: unknown) => manager.saveConfig(id, data),
      load: (id: string) => manager.loadConfig(id),
      list: () => manager.listConfigs(),
      delete: (id: string) => manager.deleteConfig(id),
    }),
  };

  test.each(Object.entries(kinds))('a %s is saved, loaded, listed and deleted', async (category, verbs) => {
    const { save, load, list, delete: remove } = verbs();
    expect(await load('one')).toBe(null);
    expect(await remove('one')).toBe(false);
    expect(await list()).toEqual([]);
    const data = { at: new Date('2026-01-02T03:04:05.678Z'), seen: new Set(['a']), text: 'é' };
    expect(await save('one', data)).toEqual(expect.any(String));
    await save('two/part', 2);
    expect(await load('one')).toEqual(data);
    expect(await list()).toEqual(['one', 'two/part']);
    expect(await manager.storage.list(category)).toEqual(['one', 'two/part']);
    await manager.close();
    manager = await openManager();
    expect(await verbs().load('one')).toEqual(data);
    expect(await verbs().delete('one')).toBe(true);
    expect(await verbs().list()).toEqual(['two/part']);
  });

  describe('states', () => {
    const queued = queueTask(
      { task_id: 't-a', task_name: 'Add a login page', input_request: 'please' },
      new Date(0),
    );

    test('lie at {task_id}/state with their checksum, and come back', async () => {
      expect(await manager.loadState('t-a')).toBe(null);
      await manager.saveState(queued);
      expect(await manager.storage.load('tasks', 't-a/state')).toMatchObject({
        version: '1.0',
        task_id: 't-a',
        status: 'queued',
        checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      expect(await manager.loadState('t-a')).toEqual(queued);
    });

    test('that were changed, moved or never whole do not load', async () => {
      await manager.saveState(queued);
      const stored = (await manager.storage.load('tasks', 't-a/state')) as object;
      await manager.storage.save('tasks', 't-a/state', { ...stored, task_name: 'Remove the login page' });
      await expect(manager.loadState('t-a')).rejects.toThrow(CorruptError);
      await manager.storage.save('tasks', 't-b/state', stored);
      await expect(manager.loadState('t-b')).rejects.toThrow(CorruptError);
      await manager.storage.save('tasks', 't-c/state', { ...stored, data: {} });
      await expect(manager.loadState('t-c')).rejects.toThrow(InvalidStateError);
    });

    test('of a claimed task need its fence', async () => {
      const claim = await manager.storage.claim('t-a');
      await expect(manager.saveState(queued)).rejects.toThrow(OwnershipError);
      await manager.saveState(queued, { fence: claim.fence });
      await claim.release();
      expect(await manager.loadState('t-a')).toEqual(queued);
    });
  });

  describe('checkpoints', () => {
    const checkpoint = (sequence: number, created_at = `2026-11-15T09:00:0${sequence}.000Z`) => ({
      id: `ckpt-t-a-${sequence}`,
      task_id: 't-a',
      created_at,
      progress: sequence,
    });

    test('lie under their task by their time, and are found by their id', async () => {
      for (const n of [1, 2, 3]) await manager.saveCheckpoint(checkpoint(n));
      expect(await manager.storage.list('tasks')).toEqual([
        't-a/checkpoints/2026-11-15T09-00-01.000Z',
        't-a/checkpoints/2026-11-15T09-00-02.000Z',
        't-a/checkpoints/2026-11-15T09-00-03.000Z',
      ]);
      expect(await manager.loadCheckpoint('ckpt-t-a-2')).toEqual(checkpoint(2));
      expect(await manager.loadCheckpoint('ckpt-t-a-9')).toBe(null);
      expect(await manager.loadCheckpoint('ckpt-other-2')).toBe(null);
      expect(await manager.listCheckpoints('t-a')).toEqual(['ckpt-t-a-1', 'ckpt-t-a-2', 'ckpt-t-a-3']);
      expect(await manager.deleteCheckpoint('ckpt-t-a-2')).toBe(true);
      expect(await manager.deleteCheckpoint('ckpt-t-a-2')).toBe(false);
      expect(await manager.listCheckpoints('t-a')).toEqual(['ckpt-t-a-1', 'ckpt-t-a-3']);
    });

    test('of one millisecond do not replace each other, the same one again does', async () => {
      const at = '2026-11-15T09:00:00.000Z';
      for (const n of [9, 10, 11]) await manager.saveCheckpoint(checkpoint(n, at));
      await manager.saveCheckpoint({ ...checkpoint(10, at), progress: 77 } as never);
      expect(await manager.listCheckpoints('t-a')).toEqual(['ckpt-t-a-9', 'ckpt-t-a-10', 'ckpt-t-a-11']);
      expect(await manager.loadCheckpoint('ckpt-t-a-10')).toMatchObject({ progress: 77 });
      expect(await manager.loadCheckpoint('ckpt-t-a-9')).toMatchObject({ progress: 9 });
    });

    test('of one millisecond, saved at once, are all kept', async () => {
      const at = '2026-11-15T09:00:00.000Z';
      const all = [1, 2, 3, 4].map((n) => checkpoint(n, at));
      await Promise.all(all.map((each) => manager.saveCheckpoint(each)));
      expect(await manager.listCheckpoints('t-a')).toEqual(all.map(({ id }) => id));
      await Promise.all([1, 2, 3].map((n) => manager.saveCheckpoint({ ...all[1]!, n } as never)));
      expect(await manager.listCheckpoints('t-a')).toEqual(all.map(({ id }) => id));
    });

    test('more than a page of them are all listed', async () => {
      const ids = Array.from({ length: 130 }, (_, i) => i + 1);
      for (const n of ids) {
        await manager.saveCheckpoint(checkpoint(n, new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString()));
      }
      expect(await manager.listCheckpoints('t-a')).toEqual(ids.map((n) => `ckpt-t-a-${n}`));
    });

    test('need an id of their own task', async () => {
      const wrong = [{ task_id: 't-b' }, { id: 'x' }, { id: 'ckpt-t-a-' }, { created_at: 'yesterday' }];
      for (const part of wrong) {
        await expect(manager.saveCheckpoint({ ...checkpoint(1), ...part })).rejects.toThrow(
          InvalidInputError,
        );
      }
      await expect(manager.loadCheckpoint('nonsense')).rejects.toThrow(InvalidInputError);
    });

    test('of a claimed task need its fence', async () => {
      const claim = await manager.storage.claim('t-a');
      await expect(manager.saveCheckpoint(checkpoint(1))).rejects.toThrow(OwnershipError);
      await manager.saveCheckpoint(checkpoint(1), { fence: claim.fence });
      expect(await manager.deleteCheckpoint('ckpt-t-a-1', { fence: claim.fence })).toBe(true);
      await claim.release();
    });
  });
});
