/** What is stored in the open is encrypted, and back: nothing is lost, nothing readable is left, and tasks go on. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { createStorageFromConfig } from '../../src/storage/opening/factory.ts';
import { keysDecrypt } from '../../src/verbs/care/keys-decrypt.ts';
import { keysEncrypt } from '../../src/verbs/care/keys-encrypt.ts';
import { expectCode } from '../contract/support.ts';
import { onEveryStore, type Store } from '../engine/stores.ts';
import {
  contentOf,
  ENCRYPT,
  expectHealthy,
  holding,
  keyInEnvironment,
  openNamed,
  openProject,
  populate,
  SECRET,
  type Tasks,
  talker,
} from '../moving/world.ts';
import { FULL } from '../support/full.ts';
import { misfits } from '../verbs/shapes.ts';
import { type CliRun, cli } from './cli.ts';

const KEY = keyInEnvironment();

async function data<T = Record<string, unknown>>(run: Promise<CliRun>): Promise<T> {
  const { out, err } = await run;
  const answer = JSON.parse(out) as { ok: boolean; data: T };
  if (!answer.ok) throw new Error(out + err);
  return answer.data;
}

/** Files in which a server keeps the tables of the store that was left, and those of them that have the secret. */
async function heldByServer({ config }: Store): Promise<string[]> {
  const { url, schema } = config.persistence as { url: string; schema: string };
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('CHECKPOINT');
    const { rows } = await client.query<{ dir: string; path: string }>(
      `WITH own AS (SELECT c.oid, reltoastrelid FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = $1)
       SELECT current_setting('data_directory') AS dir, pg_relation_filepath(oid) AS path
       FROM (SELECT oid FROM own UNION SELECT reltoastrelid FROM own WHERE reltoastrelid <> 0) AS files
       WHERE pg_relation_filepath(oid) IS NOT NULL`,
      [schema],
    );
    expect(rows.length).toBeGreaterThan(5);
    const files = rows.map(({ dir, path }) => join(dir, path)).filter((file) => existsSync(file));
    return files.filter((file) => readFileSync(file).includes(SECRET));
  } finally {
    await client.end();
  }
}

onEveryStore((fresh, type) => {
  let store: Store;
  let tasks: Tasks;
  let before: Record<string, string>;
  beforeEach(async () => {
    store = await fresh();
    tasks = await populate(store);
    before = await contentOf(store.dir);
  });

  test('encrypted, and decrypted again, everything is the same and tasks go on', async () => {
    const { dir } = store;
    const found = type === 'postgres' ? await heldByServer(store) : holding(dir, SECRET);
    expect(found).not.toEqual([]);
    const encrypted = await data(cli(dir, [...ENCRYPT, '--json'], KEY));
    expect(misfits(encrypted, keysEncrypt.data)).toEqual([]);
    expect(encrypted).toMatchObject({ tasks: 5, key_file: null });
    expect(await contentOf(dir)).toEqual(before);
    await expectHealthy(dir);
    expect(type === 'postgres' ? await heldByServer(store) : holding(dir, SECRET)).toEqual([]);
    const sealed = await openNamed(dir);
    expect(sealed.encrypted).toBe(true);
    await sealed.close();

    const engine = await openProject(dir);
    await engine.answer(tasks.fork, 'Ada');
    expect(await (await engine.resume(tasks.fork)).result).toBe('Ada 60000');
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('first\n');
    const { id: again } = await engine.fork(
      (await engine.checkpoints.listCheckpoints(tasks.twice)).at(-1)!.id,
    );
    await engine.answer(again, 'Eve');
    expect(await (await engine.resume(again)).result).toBe('Eve 5');
    await engine.redo(tasks.edits);
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('third\n');
    await engine.rollback((await engine.checkpoints.listCheckpoints(tasks.edits))[2]!.id);
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe(`second ${SECRET}\n`);
    await engine.close();

    const now = await contentOf(dir);
    const decrypted = await data(cli(dir, ['keys', 'decrypt', '--json'], KEY));
    expect(misfits(decrypted, keysDecrypt.data)).toEqual([]);
    expect(await contentOf(dir)).toEqual(now);
    await expectHealthy(dir);
    const plain = await openProject(dir);
    expect(plain.storage.encrypted).toBe(false);
    await plain.answer(tasks.talk, 'Bob');
    expect(await (await plain.resume(tasks.talk)).result).toBe('Bob 60000');
    const { id } = await plain.fork((await plain.checkpoints.listCheckpoints(tasks.talk)).at(-1)!.id);
    expect((await plain.history(id)).steps.length).toBeGreaterThan(0);
    await plain.close();
    await expectHealthy(dir);
  });

  // What is the store's own in it, claims and fences, is shown by the contract suite.
  if (FULL || type === 'json')
    test('of two at once one does it, and a process from before is told', async () => {
      const { dir } = store;
      const { config } = loadConfig({ project_dir: dir });
      const stale = await openProject(dir);
      const runs = await Promise.all([cli(dir, ENCRYPT, KEY), cli(dir, ENCRYPT, KEY)]);
      expect(runs.filter(({ exit }) => exit === 0)).toHaveLength(1);
      const { err } = runs.find(({ exit }) => exit !== 0)!;
      expect(err).toMatch(/^error STORE_MOVING|^error STORE_MOVED|already on here/);
      expect(await contentOf(dir)).toEqual(before);
      await expectHealthy(dir);
      await expectCode(stale.start(talker, { large: '' }), 'STORE_MOVED');
      await expectCode(stale.resume(tasks.fork), 'STORE_MOVED');
      await expectCode(stale.enqueue(talker, { large: '' }), 'STORE_MOVED');
      await expectCode(stale.storage.save('config', 'k', 1), 'STORE_MOVED');
      await expectCode(stale.storage.tasks(), 'STORE_MOVED');
      await expectCode(stale.work(), 'STORE_MOVED');
      await stale.close();
      await expectCode(createStorageFromConfig(config, { project_dir: dir }), 'STORE_MOVED');
    });
});
