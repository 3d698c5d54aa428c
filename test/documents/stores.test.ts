/** Stores and what goes over them, as the documents write them. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  ConversationPersistence,
  createStorageFromConfig,
  defineTask,
  EncryptedStorage,
  JsonStorage,
  keyFromEnvironment,
  openEngine,
  PersistenceManager,
  SqliteStorage,
  type Storage,
} from '../../src/index.ts';
import { tempDirs } from '../support/temp.ts';
import { trustProject } from '../support/trust.ts';

const tempDir = tempDirs();
let project: string;
let home: string;
let before: string;

beforeEach(() => {
  before = process.cwd();
  project = tempDir();
  home = tempDir();
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_CONFIG_HOME', '');
  process.chdir(project);
});
afterEach(() => {
  process.chdir(before);
  vi.unstubAllEnvs();
});

function configure(settings: object): void {
  mkdirSync(join(project, '.vibe-engine'), { recursive: true });
  writeFileSync(join(project, '.vibe-engine', 'config.json'), JSON.stringify(settings));
  trustProject(project);
}

const STORES = {
  json: {
    make: (name: string, base?: string): Storage => new JsonStorage(name, base),
    at: (base: string) => join(base, 'tiny', 'persistence'),
    own: '.vibe-engine/store.json',
  },
  sqlite: {
    make: (name: string, base?: string): Storage => new SqliteStorage(name, base),
    at: (base: string) => join(base, 'tiny', 'persistence.db'),
    own: '.vibe-engine/persistence.db',
  },
};

describe.each(Object.entries(STORES))('a store by the name of its project: %s', (type, { make, at, own }) => {
  test('it lies in base_dir, and is opened at its first use', async () => {
    const base = tempDir();
    const storage = make('tiny', base);
    expect(storage.type).toBe(type);
    expect(readdirSync(base)).toEqual([]);
    await storage.save('conversation', 'c1', { text: 'hello' });
    expect(existsSync(at(base))).toBe(true);
    await storage.close();
    const again = make('tiny', base);
    expect(await again.load('conversation', 'c1')).toEqual({ text: 'hello' });
    expect(await again.list('conversation')).toEqual(['c1']);
    expect(await again.delete('conversation', 'c1')).toBe(true);
    await again.close();
    await expect(again.load('conversation', 'c1')).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  });

  test('without a base_dir: this project in its own place, others in ~/.cache, all where the settings say', async () => {
    const save = async (name: string) => {
      const storage = make(name);
      await storage.save('config', 'k', name);
      await storage.close();
    };
    await save(basename(project));
    expect(existsSync(join(project, own))).toBe(true);
    await save('tiny');
    expect(existsSync(at(join(home, '.cache', 'vibe-engine')))).toBe(true);
    configure({ persistence: { base_dir: 'elsewhere' } });
    await save('tiny');
    expect(existsSync(at(join(project, 'elsewhere')))).toBe(true);
  });

  test('it is the store of the settings for the project that has them', async () => {
    configure({ persistence: { storage_type: type, path: 'data/store' } });
    const storage = make(basename(project));
    await storage.save('config', 'k', 1);
    await storage.close();
    const configured = await createStorageFromConfig({
      persistence: { storage_type: type, path: 'data/store' },
    });
    expect(await configured.load('config', 'k')).toBe(1);
    await configured.close();
  });

  test('an engine runs on it, sealed or not', async () => {
    const plain = make('tiny', tempDir());
    const key = keyFromEnvironment({ VIBE_ENGINE_KEY: 'ab'.repeat(32) });
    const sealed = await EncryptedStorage.open(make('tiny', tempDir()), key);
    for (const storage of [plain, sealed]) {
      const engine = await openEngine({ storage, project_dir: project });
      const double = defineTask('double', (task, n: number) => task.step('double', () => n * 2));
      expect(await engine.run(double, 21)).toBe(42);
      await engine.close();
      await storage.close();
    }
  });

  test('what cannot be opened says so at the first use, and can be used once it can', async () => {
    const base = join(project, 'taken');
    writeFileSync(base, '');
    const storage = make('tiny', base);
    const refused = await storage.save('config', 'k', 1).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: expect.any(String), hint: expect.any(String) });
    expect(String(refused)).toContain(base);
    rmSync(base);
    await storage.save('config', 'k', 1);
    expect(await storage.load('config', 'k')).toBe(1);
    await storage.close();
  });

  test('closing one that was never used makes nothing', async () => {
    const base = tempDir();
    const storage = make('tiny', base);
    await storage.close();
    await storage.close();
    await expect(storage.save('config', 'k', 1)).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    expect(readdirSync(base)).toEqual([]);
  });

  test.each(['', ' ', '..', 'a/b', 'a\\b'])('the name %j is refused', (name) => {
    expect(() => make(name, project)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});

test('a PersistenceManager without a store takes the one of the settings', async () => {
  configure({ persistence: { storage_type: 'sqlite', path: '.cache/tiny-claude-code/data.db' } });
  const persistence = new PersistenceManager();
  expect(existsSync(join(project, '.cache'))).toBe(false);
  expect(await persistence.load('notes', 'n1')).toBe(null);
  await persistence.save('notes', 'n1', { at: new Date(0) });
  expect(await persistence.load('notes', 'n1')).toEqual({ at: new Date(0) });
  expect(await persistence.list('notes')).toEqual(['n1']);
  expect(await persistence.delete('notes', 'n1')).toBe(true);
  expect(await persistence.delete('notes', 'n1')).toBe(false);
  await persistence.saveConversation('c1', ['hello']);
  expect(await persistence.load('conversation', 'c1')).toEqual(['hello']);
  await persistence.close();
  expect(existsSync(join(project, '.cache/tiny-claude-code/data.db'))).toBe(true);
});

test('a PersistenceManager over a store by name', async () => {
  const base = tempDir();
  const persistence = new PersistenceManager(new JsonStorage('tiny', base));
  await persistence.save('conversation', 'c1', ['hello']);
  await persistence.close();
  const file = join(base, 'tiny', 'persistence', 'conversation', 'c1.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ $value: ['hello'] });
});

test('conversations, in the store of the settings', async () => {
  const conversations = new ConversationPersistence();
  await conversations.saveConversation('c1', [{ role: 'user', content: 'hello' }]);
  expect(await conversations.loadConversation('c1')).toEqual([{ role: 'user', content: 'hello' }]);
  expect(await conversations.loadConversation('none')).toBe(null);
  conversations.autoSave('c1', ['later']);
  await conversations.close();
  const engine = await openEngine({ project_dir: project });
  expect(await engine.storage.list('conversation')).toEqual(['c1', 'conv-auto-save-c1']);
  await engine.close();
});

test('settings that are wrong are said at the first use', async () => {
  configure({ persistence: { storage_type: 'jsn' } });
  const persistence = new PersistenceManager();
  await expect(persistence.load('notes', 'n1')).rejects.toMatchObject({ code: 'UNKNOWN_STORAGE' });
  writeFileSync(join(project, '.vibe-engine', 'config.json'), '{"persistence":{"pat":"x"}}');
  await expect(new PersistenceManager().list('notes')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});
