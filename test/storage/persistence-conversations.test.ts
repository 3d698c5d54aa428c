import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { NotSerialisableError, StoreError } from '../../src/errors.ts';
import { ConversationPersistence } from '../../src/persistence/conversations.ts';
import { PersistenceManager } from '../../src/persistence/manager.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { createStorageFromConfig } from '../../src/storage/opening/factory.ts';

let project: string;
let storage: Storage;
let saves: unknown[];

beforeEach(async () => {
  project = mkdtempSync(join(tmpdir(), 've-conversations-'));
  storage = await createStorageFromConfig({}, { project_dir: project });
  saves = [];
});
afterEach(async () => {
  vi.useRealTimers();
  await storage.close();
  rmSync(project, { recursive: true, force: true });
});

/** The same store, noting what is written. */
function watched(): Storage {
  return {
    ...storage,
    save: (category, key, data) => {
      saves.push(data);
      return storage.save(category, key, data);
    },
  };
}

describe('auto-save', () => {
  test('many notes make one write of the newest, under an id of its own', async () => {
    const conversations = new ConversationPersistence(watched(), { auto_save_ms: 60_000 });
    for (let turn = 1; turn <= 50; turn++) conversations.autoSave('c', { turn });
    expect(await conversations.loadAutoSaved('c')).toBe(null);
    await conversations.flush();
    expect(saves).toEqual([{ turn: 50 }]);
    expect(await storage.load('conversation', 'conv-auto-save-c')).toEqual({ turn: 50 });
    expect(await conversations.load('c')).toBe(null);
    expect(await conversations.list()).toEqual(['conv-auto-save-c']);
  });

  test('happens by itself after the delay, though notes keep coming', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const conversations = new ConversationPersistence(watched(), { auto_save_ms: 1000 });
    for (let turn = 1; turn <= 15; turn++) {
      conversations.autoSave('c', { turn });
      await vi.advanceTimersByTimeAsync(100);
    }
    vi.useRealTimers();
    await conversations.flush();
    expect(saves).toEqual([{ turn: 10 }, { turn: 15 }]);
  });

  test('a slow older write never lands on a newer one', async () => {
    const order: unknown[] = [];
    const slow: Storage = {
      ...storage,
      save: async (category, key, data) => {
        if (order.length === 0) await new Promise((resolve) => setTimeout(resolve, 30));
        order.push(data);
        return storage.save(category, key, data);
      },
    };
    const conversations = new ConversationPersistence(slow, { auto_save_ms: 0 });
    conversations.autoSave('c', 1);
    const first = conversations.flush();
    await Promise.resolve(); // the first write is in progress
    conversations.autoSave('c', 2);
    await Promise.all([first, conversations.flush()]);
    expect(order).toEqual([1, 2]);
  });

  test('a failed write is thrown by the next call, and the next note is still kept', async () => {
    const conversations = new ConversationPersistence(storage, { auto_save_ms: 60_000 });
    conversations.autoSave('c', { run: () => {} });
    await expect(conversations.flush()).rejects.toThrow(NotSerialisableError);
    conversations.autoSave('c', 'good');
    await conversations.flush();
    expect(await conversations.loadAutoSaved('c')).toBe('good');
  });

  test('deleting a conversation takes what was noted and auto-saved of it along', async () => {
    const conversations = new ConversationPersistence(storage, { auto_save_ms: 60_000 });
    conversations.autoSave('c', 1);
    await conversations.flush();
    conversations.autoSave('c', 2);
    expect(await conversations.delete('c')).toBe(true);
    await conversations.flush();
    expect(await conversations.list()).toEqual([]);
    expect(await conversations.delete('c')).toBe(false);
  });
});

test('closing the manager stores what was noted, then closes the store', async () => {
  const manager = new PersistenceManager(storage, { auto_save_ms: 60_000 });
  manager.conversations.autoSave('c', ['last words']);
  await manager.close();
  await expect(manager.loadConversation('c')).rejects.toThrow(StoreError);
  storage = await createStorageFromConfig({}, { project_dir: project });
  expect(await new ConversationPersistence(storage).loadAutoSaved('c')).toEqual(['last words']);
});

test('closing closes the store also when the last auto-save fails, and says so', async () => {
  const manager = new PersistenceManager(storage);
  manager.conversations.autoSave('c', Symbol('no'));
  await expect(manager.close()).rejects.toThrow(NotSerialisableError);
  await expect(storage.load('conversation', 'c')).rejects.toThrow(StoreError);
});
