/** A whole database that is somebody else's: opened, listed, read, checked and written to. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { START } from '../../../src/storage/chain.ts';
import { openSqliteStorage } from '../../../src/storage/sqlite/open.ts';
import type { Target } from '../target.ts';
import { actOn } from './store.ts';

async function within<T>(run: (path: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 've-fuzz-sqlite-'));
  try {
    return await run(join(dir, 'store.db'));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** As a store of this version leaves it: entries, records, a blob and room that is free. */
const SEED = await within(async (path) => {
  const store = await openSqliteStorage({ path });
  await store.commit({
    task: 't1',
    records: [{ category: 'tasks', key: 't1/state', data: { of: 't1' } }],
    append: { after: START, entries: [{ t: 'retry' }, { t: 'retry', more: 'x'.repeat(6000) }] },
  });
  await store.save('config', 'x', 1);
  await store.putBlobs('t1', [{ kind: 'file', bytes: Buffer.alloc(9000, 'b') }]);
  await store.save('config', 'gone', 'y'.repeat(9000));
  await store.delete('config', 'gone');
  await store.close();
  return readFileSync(path);
});

const PAGE = 4096;

/** One page, with its number before it: what is changed is one page of a database that is whole otherwise. */
const PAGES = Array.from({ length: SEED.length / PAGE }, (_, n) =>
  Buffer.concat([Buffer.from([n]), SEED.subarray(n * PAGE, (n + 1) * PAGE)]),
);

function withPage(numbered: Buffer): Buffer {
  const whole = Buffer.from(SEED);
  const at = ((numbered[0] ?? 0) % PAGES.length) * PAGE;
  numbered.subarray(1, 1 + PAGE).copy(whole, at);
  return whole;
}

const database: Target = {
  name: 'store in a database',
  seeds: PAGES,
  weight: 0.1,
  read: (numbered) =>
    within(async (path) => {
      writeFileSync(path, withPage(numbered));
      const store = await openSqliteStorage({ path });
      try {
        await actOn(store);
      } finally {
        await store.close();
      }
    }),
};

/** The file itself, cut off or changed anywhere. */
const file: Target = {
  ...database,
  name: 'file of a database',
  seeds: [SEED],
  weight: 0.02,
  read: (bytes) =>
    within(async (path) => {
      writeFileSync(path, bytes);
      await (await openSqliteStorage({ path })).close();
    }),
};

export const DATABASES: readonly Target[] = [database, file];
