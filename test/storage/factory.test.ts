import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { ConfigInput } from '../../src/config/types.ts';
import { ConfigError, InvalidInputError } from '../../src/errors.ts';
import type { Storage, StorageSettings } from '../../src/storage/contract.ts';
import { createStorageFromConfig, registerStorage } from '../../src/storage/opening/factory.ts';
import { freshDatabase } from '../support/postgres.ts';
import { trustProject } from '../support/trust.ts';

let scratch: string;
let project: string;
const open: Storage[] = [];
let unregister = (): void => {};

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 've-factory-'));
  project = join(scratch, 'shop');
  mkdirSync(project);
});
afterEach(async () => {
  unregister();
  for (const storage of open.splice(0)) await storage.close();
  rmSync(scratch, { recursive: true, force: true });
});

async function create(persistence: ConfigInput['persistence'], env = {}): Promise<Storage> {
  const storage = await createStorageFromConfig(
    { persistence },
    { project_dir: project, home: scratch, env },
  );
  open.push(storage);
  return storage;
}

async function refusal(opening: Promise<unknown>): Promise<ConfigError> {
  const error = await opening.then(
    () => new Error('was not refused'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ConfigError);
  return error as ConfigError;
}

describe.each([
  ['json', '.vibe-engine/store.json', '~/c', 'c/shop/persistence'],
  ['sqlite', '.vibe-engine/persistence.db', '~/c', 'c/shop/persistence.db'],
])('%s', (storage_type, file, base_dir, shared) => {
  test('lies in the project by default, is for its user alone and stays out of git', async () => {
    execFileSync('git', ['init', '-q', project]);
    const storage = await create({ storage_type });
    await storage.save('config', 'a', { b: 1 });
    expect(storage.type).toBe(storage_type);
    expect(existsSync(join(project, file))).toBe(true);
    expect(statSync(join(project, '.vibe-engine')).mode & 0o777).toBe(0o700);
    expect(execFileSync('git', ['-C', project, 'status', '--porcelain'], { encoding: 'utf8' })).toBe('');
  });

  test("leaves a .gitignore of the user's own as it is", async () => {
    mkdirSync(join(project, '.vibe-engine'));
    writeFileSync(join(project, '.vibe-engine/.gitignore'), '!config.json\n');
    await create({ storage_type });
    expect(readFileSync(join(project, '.vibe-engine/.gitignore'), 'utf8')).toBe('!config.json\n');
  });

  test('lies under base_dir by the name of the project', async () => {
    await create({ storage_type, base_dir });
    expect(existsSync(join(scratch, shared))).toBe(true);
    expect(existsSync(join(project, '.vibe-engine'))).toBe(false);
  });

  test('lies at path, and does not hide what is beside it from git', async () => {
    const storage = await create({ storage_type, path: 'data/store' });
    await storage.save('config', 'a', 1);
    expect(existsSync(join(project, 'data/store'))).toBe(true);
    const rules = join(project, 'data/.gitignore');
    const lines = existsSync(rules) ? readFileSync(rules, 'utf8').trim().split('\n') : [];
    expect(lines.slice(1)).toEqual(storage_type === 'json' ? [] : ['/.gitignore', '/store', '/store-*']);
  });
});

test.each(['json', 'sqlite', 'postgres'])('%s is chosen by config.json alone', async (storage_type) => {
  const database = storage_type === 'postgres' ? await freshDatabase() : undefined;
  mkdirSync(join(project, '.vibe-engine'));
  const settings = { persistence: { storage_type, ...(database && { url: database.url }) } };
  writeFileSync(join(project, '.vibe-engine/config.json'), JSON.stringify(settings));
  trustProject(project);
  const { VIBE_ENGINE_STATE_DIR } = process.env;
  const { config } = loadConfig({ project_dir: project, env: { VIBE_ENGINE_STATE_DIR }, home: scratch });
  const first = await createStorageFromConfig(config, { project_dir: project });
  expect(first.type).toBe(storage_type);
  await first.save('conversation', 'c', ['hello']);
  await first.close();
  const second = await createStorageFromConfig(config, { project_dir: project });
  expect(await second.load('conversation', 'c')).toEqual(['hello']);
  await second.close();
  await database?.drop();
});

describe('registered back ends', () => {
  test('are named in the config and get their own settings', async () => {
    const seen: StorageSettings[] = [];
    unregister = registerStorage('shelf', async (settings) => {
      seen.push(settings);
      return (await createStorageFromConfig({ persistence: { path: join(scratch, 'shelf') } })).backend;
    });
    const storage = await create({ storage_type: 'shelf', colour: 'red' });
    expect(storage.type).toBe('json');
    expect(seen).toMatchObject([
      { project_dir: project, persistence: { storage_type: 'shelf', colour: 'red' } },
    ]);
    unregister();
    expect((await refusal(create({ storage_type: 'shelf' }))).code).toBe('UNKNOWN_STORAGE');
  });

  test.each(['json', 'sqlite', 'postgres', '', 'Shelf', '../x'])('cannot be called %j', (type) => {
    expect(() => registerStorage(type, () => Promise.reject())).toThrow(InvalidInputError);
  });
});

describe('refusals', () => {
  test('an unknown storage type names the known ones and the nearest', async () => {
    const error = await refusal(create({ storage_type: 'sqllite' }));
    expect(error.code).toBe('UNKNOWN_STORAGE');
    expect(error.message).toBe('There is no storage type "sqllite"; known are json, postgres, sqlite.');
    expect(error.hint).toContain('Did you mean "sqlite"?');
  });

  test('names every object has are no storage types', async () => {
    expect((await refusal(create({ storage_type: 'constructor' }))).code).toBe('UNKNOWN_STORAGE');
  });

  test('postgres without a server says how to name one', async () => {
    const error = await refusal(create({ storage_type: 'postgres' }));
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', data: { key: 'persistence.url' } });
    expect(error.hint).toContain('DATABASE_URL');
  });

  test('a bad setting is refused before anything is made', async () => {
    expect((await refusal(create({ storage_type: 'json', base_dri: 'x' }))).data.suggestion).toBe(
      'persistence.base_dir',
    );
    expect(existsSync(join(project, '.vibe-engine'))).toBe(false);
  });
});
