import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { inspect, promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { VibeError } from '../../src/errors.ts';
import { openPostgresStorage, type PostgresStorageOptions } from '../../src/postgres.ts';
import { freshDatabase, startPostgresServer, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(() => database.drop());

describe('the schema', () => {
  test('is made once, by one of many that open at the same time, and found again', async () => {
    const open = () => openPostgresStorage({ url: database.url });
    const stores = await Promise.all(Array.from({ length: 6 }, open));
    await stores[0]!.save('config', 'a', 1);
    expect(await stores[5]!.load('config', 'a')).toBe(1);
    await Promise.all(stores.map((store) => store.close()));
    const again = await open();
    expect(await again.load('config', 'a')).toBe(1);
    await again.close();
    expect(await database.query('SELECT key, value FROM vibe_engine.meta ORDER BY key')).toEqual([
      { key: 'format', value: 'vibe-engine' },
      { key: 'version', value: '4' },
    ]);
  });

  test('keeps two stores in one database apart', async () => {
    const one = await openPostgresStorage({ url: database.url, schema: 'one' });
    const two = await openPostgresStorage({ url: database.url, schema: 'two' });
    await one.save('config', 'a', 'of one');
    expect(await two.load('config', 'a')).toBeNull();
    await one.close();
    await two.close();
  });

  test('may lie beside tables of something else', async () => {
    await database.query('CREATE TABLE public.customers (name text)');
    const store = await openPostgresStorage({ url: database.url, schema: 'public' });
    await store.save('config', 'a', 1);
    await store.close();
    expect(await database.query('SELECT * FROM public.customers')).toEqual([]);
  });

  test('of a newer version is refused and left alone', async () => {
    await (await openPostgresStorage({ url: database.url })).close();
    await database.query(`UPDATE vibe_engine.meta SET value = '5' WHERE key = 'version'`);
    const error = await refused({ url: database.url });
    expect(error).toMatchObject({ code: 'STORE_NEWER', data: { version: 5, supported: 4 } });
    expect(await database.query(`SELECT value FROM vibe_engine.meta WHERE key = 'version'`)).toEqual([
      { value: '5' },
    ]);
  });

  test.each([
    ['a table named as one of ours', 'CREATE TABLE vibe_engine.journal (title text)'],
    ['a table meta with other columns', 'CREATE TABLE vibe_engine.meta (title text)'],
    ['a table meta of another program', `CREATE TABLE vibe_engine.meta (key text, value text)`],
    ['a view named as one of our tables', `CREATE VIEW vibe_engine.heads AS SELECT 1 AS task`],
  ])('with %s is refused and left alone', async (_what, sql) => {
    await database.query('CREATE SCHEMA vibe_engine');
    await database.query(sql);
    expect(await refused({ url: database.url })).toMatchObject({ code: 'STORE_FOREIGN' });
    const tables = await database.query(
      `SELECT FROM pg_class WHERE relnamespace = 'vibe_engine'::regnamespace`,
    );
    expect(tables).toHaveLength(1);
  });

  test('that the role may not make or use is NO_PERMISSION', async () => {
    const role = `guest_${randomBytes(6).toString('hex')}`;
    await database.query(`CREATE ROLE ${role} LOGIN PASSWORD 'guest'`);
    const url = new URL(database.url);
    url.username = role;
    url.password = 'guest';
    try {
      expect(await refused({ url: url.href })).toMatchObject({ code: 'NO_PERMISSION' });
      await (await openPostgresStorage({ url: database.url })).close();
      expect(await refused({ url: url.href })).toMatchObject({ code: 'NO_PERMISSION' });
    } finally {
      await database.query(`DROP ROLE ${role}`);
    }
  });
});

describe('a server that loses acknowledged writes', () => {
  test('because of fsync = off is refused by default', async () => {
    const server = await startPostgresServer(['fsync=off']);
    try {
      const { url } = await freshDatabase(server);
      await expectUnsafe(url, 'fsync');
    } finally {
      await server.stop();
    }
  });

  test('because of synchronous_commit = off is refused by default', async () => {
    await using database = await freshDatabase();
    const name = new URL(database.url).pathname.slice(1);
    await database.query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
    await expectUnsafe(database.url, 'synchronous_commit');
  });

  async function expectUnsafe(url: string, setting: string): Promise<void> {
    const error = await refused({ url });
    expect(error).toMatchObject({ code: 'STORE_UNSAFE', data: { setting } });
    expect(error.hint).toContain('allow_unsafe_server');
    const store = await openPostgresStorage({ url, allow_unsafe_server: true });
    await store.save('config', 'a', 1);
    await store.close();
  }
});

describe('a server that cannot be used', () => {
  test.each([
    ['nobody listens', (url: URL) => (url.port = '1'), 'server runs'],
    ['the host does not exist', (url: URL) => (url.hostname = 'host.invalid'), 'host'],
    ['the database does not exist', (url: URL) => (url.pathname = '/absent'), 'createdb'],
    ['the user does not exist', (url: URL) => (url.username = 'nobody_such'), 'user'],
  ])('because %s is STORE_UNAVAILABLE, and the password is not shown', async (_why, change, hint) => {
    const url = new URL(database.url);
    if (!url.hostname.startsWith('127.')) url.searchParams.set('connect_timeout', '5');
    const secret = 'very-secret-word';
    if (hint === 'user') url.password = secret;
    change(url);
    const error = await refused({ url: url.href });
    expect(error.code).toBe('STORE_UNAVAILABLE');
    expect(error.hint).toContain(hint);
    for (const shown of [JSON.stringify(error), String(error), error.stack, inspect(error, { depth: 9 })]) {
      expect(shown).not.toContain(decodeURIComponent(url.password));
    }
  });

  test('a URL that is none is refused without being quoted', async () => {
    const error = await refused({ url: 'postgres//user:very-secret-word@host/db' });
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', data: { key: 'url' } });
    expect(inspect(error, { depth: 9 })).not.toContain('very-secret-word');
  });

  test.each([
    { schema: 'no"quotes' },
    { schema: 'UPPER' },
    { pool_size: 0 },
    { lease_seconds: 0 },
    { reconnect_seconds: -1 },
  ])('so are the settings %o', async (settings) => {
    const error = await refused({ url: database.url, ...settings });
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', data: { key: Object.keys(settings)[0] } });
  });
});

test('without the package pg the error says what to install', async () => {
  const src = new URL('../../src/postgres.ts', import.meta.url).href;
  const program = `
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier === 'pg') throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
        return next(specifier, context);
      },
    });
    const { openPostgresStorage } = await import(${JSON.stringify(src)});
    await openPostgresStorage({ url: 'postgres://localhost/x' }).catch((error) => console.log(JSON.stringify(error)));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  expect(JSON.parse(stdout)).toMatchObject({
    code: 'MISSING_DEPENDENCY',
    hint: 'Install it: npm install pg',
  });
});

test('an open store does not keep the process alive', async () => {
  const src = new URL('../../src/postgres.ts', import.meta.url).href;
  const program = `
    const { openPostgresStorage } = await import(${JSON.stringify(src)});
    const store = await openPostgresStorage({ url: ${JSON.stringify(database.url)} });
    const claim = await store.claim('t1');
    await store.commit({ task: 't1', fence: claim.fence, records: [{ category: 'tasks', key: 't1/state', data: 1 }] });
    console.log('done');`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  expect(stdout).toBe('done\n');
});

async function refused(options: PostgresStorageOptions): Promise<VibeError> {
  const error = await openPostgresStorage(options).then(
    (store) => store.close(),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof VibeError)) throw new Error(`Not refused: ${inspect(error)}`);
  return error;
}
