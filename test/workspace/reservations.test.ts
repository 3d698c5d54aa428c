import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openPostgresStorage } from '../../src/postgres.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts';
import type { Clock } from '../../src/system/clock.ts';
import { ensureDir } from '../../src/system/files.ts';
import { openFileLocks } from '../../src/workspace/editing/file-locks.ts';
import { openReservations, type Reservations } from '../../src/workspace/reservations/reservations.ts';
import {
  boardInFile,
  boardInStore,
  type SharedBoard,
} from '../../src/workspace/reservations/shared-board.ts';
import { expectCode } from '../contract/support.ts';
import { manualClock } from '../support/manual-clock.ts';
import { freshDatabase } from '../support/postgres.ts';
import { tempDirs } from '../support/temp.ts';

const MINUTE = 60_000;
const tempDir = tempDirs();
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Opened = { readonly board: SharedBoard; close(): Promise<void> };

const inStore = async (open: () => Promise<Storage>, clock: Clock): Promise<Opened> => {
  const storage = await open();
  return { board: boardInStore(storage, 'w', clock), close: () => storage.close() };
};

const openers: Record<string, () => Promise<(clock: Clock) => Promise<Opened>>> = {
  json: async () => {
    const root = join(tempDir(), '.vibe-engine');
    return (clock) => inStore(() => openJsonStorage({ root }), clock);
  },
  sqlite: async () => {
    const path = join(tempDir(), 'persistence.db');
    return (clock) => inStore(() => openSqliteStorage({ path }), clock);
  },
  postgres: async () => {
    const database = await freshDatabase();
    closers.push(database.drop);
    return (clock) => inStore(() => openPostgresStorage({ url: database.url }), clock);
  },
  file: async () => {
    const root = tempDir();
    return async (clock) => {
      const files = await openFileLocks(root);
      return { board: boardInFile(join(root, 'board.json'), files.turn, clock), close: files.close };
    };
  },
};

describe.each(Object.keys(openers))('%s', (type) => {
  async function world() {
    const open = await openers[type]!();
    const locks_dir = join(tempDir(), 'locks');
    ensureDir(locks_dir);
    const clock = manualClock(new Date('2026-11-15T12:00:00Z'));
    /** As another process would have it. */
    const reservations = async (): Promise<Reservations> => {
      const { board, close } = await open(clock);
      const identify = (path: string) => path.replace(/^\.\//, '');
      const made = openReservations({ board, locks_dir, identify, lease_ms: 5 * MINUTE, clock });
      closers.push(async () => {
        await made.close();
        await close();
      });
      return made;
    };
    const lockFile = (path: string) => join(locks_dir, `${hash('sha256', path)}.lock`);
    return { one: await reservations(), other: await reservations(), clock, lockFile, locks_dir };
  }

  test('one writer or many readers', async () => {
    const { one, other } = await world();
    const first = await one.reserve({ owner: 'a', operation: 'read', paths: ['src/a.ts'] });
    await other.reserve({ owner: 'b', operation: 'read', paths: ['./src/a.ts'] });
    await expectCode(other.reserve({ owner: 'c', operation: 'write', paths: ['src/a.ts'] }), 'FILE_RESERVED');
    await first.release();
    await expectCode(one.reserve({ owner: 'c', operation: 'write', paths: ['src/*.ts'] }), 'FILE_RESERVED');
    const written = await one.reserve({ owner: 'c', operation: 'write', paths: ['docs'] });
    await expectCode(other.reserve({ owner: 'b', operation: 'read', paths: ['docs/x.md'] }), 'FILE_RESERVED');
    await written.release();
    await other.reserve({ owner: 'b', operation: 'write', paths: ['docs/x.md'] });
  });

  test('of several paths all are taken or none, and an agent is never in its own way', async () => {
    const { one, other } = await world();
    await one.reserve({ owner: 'a', operation: 'write', paths: ['b.ts'] });
    await expectCode(
      other.reserve({ owner: 'b', operation: 'write', paths: ['a.ts', 'b.ts'] }),
      'FILE_RESERVED',
    );
    await one.reserve({ owner: 'a', operation: 'write', paths: ['a.ts', 'b.ts'] });
    expect((await other.list()).map(({ owner }) => owner)).toEqual(['a', 'a']);
  });

  test('one that expired can be renewed until somebody takes it over; then its holder is refused', async () => {
    const { one, other, clock } = await world();
    const old = await one.reserve({ owner: 'a', operation: 'write', paths: ['a.ts'] });
    clock.advance(6 * MINUTE);
    await one.assertHeld(old);
    const taken = await other.reserve({ owner: 'b', operation: 'write', paths: ['a.ts'] });
    expect(taken.fence).toBeGreaterThan(old.fence);
    expect(() => one.assertNewest(old, 'a.ts')).toThrow(
      expect.objectContaining({ code: 'RESERVATION_LOST' }),
    );
    expect(() => other.assertNewest(taken, 'a.ts')).not.toThrow();
    await expectCode(one.assertHeld(old), 'RESERVATION_LOST');
    expect(old.lost.aborted).toBe(true);
    await old.release();
    await other.assertHeld(taken);
  });

  test('a write under one that was taken over is refused, also when the file is free again', async () => {
    const { one, other, clock } = await world();
    const src = await one.reserve({ owner: 'task/a', operation: 'write', paths: ['src/**'] });
    const docs = await one.reserve({ owner: 'task/a', operation: 'write', paths: ['docs'] });
    clock.advance(6 * MINUTE);
    const taken = await other.reserve({ owner: 'b', operation: 'write', paths: ['src/x.ts'] });
    await taken.release();
    const write = (owner: string, path: string) =>
      one.reserve({ owner, operation: 'write', paths: [path] }).then((held) => held.release());
    for (const owner of ['task/a', 'task/a/helper'])
      await expectCode(write(owner, 'src/x.ts'), 'RESERVATION_LOST');
    expect([src.lost.aborted, docs.lost.aborted]).toEqual([true, false]);
    await write('task/a', 'docs/a.md');
    await write('task', 'src/x.ts');
    await src.release();
    await write('task/a', 'src/x.ts');
  });

  test('the lock file says who has it, and goes with it', async () => {
    const { one, lockFile, locks_dir } = await world();
    const held = await one.reserve({ owner: 'agent-1', operation: 'write', paths: ['src/a.ts'] });
    expect(JSON.parse(readFileSync(lockFile('src/a.ts'), 'utf8'))).toMatchObject({
      path: 'src/a.ts',
      owner: 'agent-1',
      operation: 'write',
      acquired_at: '2026-11-15T12:00:00.000Z',
      expires_at: '2026-11-15T12:05:00.000Z',
    });
    await held.release();
    expect(existsSync(lockFile('src/a.ts'))).toBe(false);
    expect(readdirSync(locks_dir)).toEqual([]);
  });

  test('of many that ask at once for sets that overlap, exactly those win that can together', async () => {
    const { one, other } = await world();
    const asked = Array.from({ length: 12 }, (_, i) =>
      (i % 2 ? one : other).reserve({
        owner: `o${i}`,
        operation: 'write',
        paths: [`f${i % 4}`, `f${(i + 1) % 4}`],
      }),
    );
    const settled = await Promise.allSettled(asked);
    const won = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value.paths] : []));
    expect(new Set(won.flat()).size).toBe(won.flat().length);
    expect(won.length).toBeGreaterThan(0);
    for (const result of settled) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'FILE_RESERVED' });
    }
  });
});

test.each(['', '{"fence":', '[]', '{"fence":1,"held":[{}]}'])(
  'a board of one machine that a power cut left as %j starts again, above the lock files that are still there',
  async (left) => {
    const root = tempDir();
    const locks_dir = join(root, 'locks');
    ensureDir(locks_dir);
    const clock = manualClock(new Date('2026-11-15T12:00:00Z'));
    const files = await openFileLocks(root);
    const path = join(root, 'board.json');
    const board = boardInFile(path, files.turn, clock);
    const open = () =>
      openReservations({ board, locks_dir, identify: (path) => path, lease_ms: 5 * MINUTE, clock });
    const [before, after] = [open(), open()];
    const old = await before.reserve({ owner: 'a', operation: 'write', paths: ['a.ts'] });
    clock.advance(1);
    writeFileSync(path, left);
    const held = await after.reserve({ owner: 'b', operation: 'write', paths: ['a.ts'] });
    expect(held.fence).toBeGreaterThan(old.fence);
    await after.assertHeld(held);
    expect(() => after.assertNewest(held, 'a.ts')).not.toThrow();
    await expectCode(before.assertHeld(old), 'RESERVATION_LOST');
    for (const one of [before, after]) await one.close();
    await files.close();
  },
);

test('an older board that a power cut brought back does not give out numbers again', async () => {
  const root = tempDir();
  const clock = manualClock(new Date('2026-11-15T12:00:00Z'));
  const files = await openFileLocks(root);
  const path = join(root, 'board.json');
  const board = boardInFile(path, files.turn, clock);
  const take = () => board.change(({ fence, held }) => ({ board: { fence: fence + 1, held } }));
  await take();
  const older = readFileSync(path);
  clock.advance(10);
  const { board: lost } = await take();
  clock.advance(10);
  writeFileSync(path, older);
  expect((await take()).board.fence).toBeGreaterThan(lost.fence);
  await files.close();
});
