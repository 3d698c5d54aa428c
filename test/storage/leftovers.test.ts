/** What nothing in a store leads to any more goes when it is compacted; what is being written stays. */
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

test('JSON: copies that repairs kept aside, and files that a process left half written', async () => {
  const root = join(tempDir(), 'store');
  const store = await openJsonStorage({ root });
  await store.save('config', 'k', 1);
  await store.putBlobs(null, [{ kind: 'file', bytes: Buffer.from('bytes') }]);
  const aside = join(root, 'damaged-2026-01-01T00-00-00-000Z');
  mkdirSync(aside);
  writeFileSync(join(aside, 'records.log'), 'x'.repeat(1000));
  const end = '0123456789ab.tmp';
  const old = [`.records.log.${end}`, `config/.k.json.${end}`, `blobs/file/.x.${end}`];
  const others = [`.config.json.${end}`, 'config.json', `blobs/file/.new.${end}`];
  for (const name of [...old, ...others]) writeFileSync(join(root, name), 'x'.repeat(100));
  for (const name of [old[2]!, others[0]!]) utimesSync(join(root, name), 1, 1);
  expect(await store.compact(null)).toBeGreaterThanOrEqual(1300);
  expect(existsSync(aside)).toBe(false);
  for (const name of old) expect(existsSync(join(root, name)), name).toBe(false);
  for (const name of others) expect(existsSync(join(root, name)), name).toBe(true);
  expect(await store.load('config', 'k')).toBe(1);
  await store.close();
});

test('SQLite: rows that repairs kept aside, and the bytes of what was removed', async () => {
  const dir = tempDir();
  const path = join(dir, 'store.db');
  const store = await openSqliteStorage({ path });
  const other = await openSqliteStorage({ path }); // Another process that has it open does not prevent it.
  await store.save('config', 'gone', 'a word in confidence');
  await store.delete('config', 'gone');
  const db = new DatabaseSync(path);
  const insert = 'INSERT INTO damaged (task, set_aside_at, seq, hash, data) VALUES (?, ?, 1, ?, ?)';
  db.prepare(insert).run('t1', '', '', 'a word in confidence');
  db.close();
  await store.compact(null);
  const files = readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { name } of files)
    expect(readFileSync(join(dir, name)).includes('confidence'), name).toBe(false);
  await other.save('config', 'more', 1);
  expect(await store.list('config')).toEqual(['more']);
  await other.close();
  await store.close();
});
