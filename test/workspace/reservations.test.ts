import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openPostgresStorage } from '../../src/postgres.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts';
import { ensureDir } from '../../src/system/files.ts';
import { openReservations, type Reservations } from '../../src/workspace/reservations/reservations.ts';
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

const openers: Record<string, () => Promise<() => Promise<Storage>>> = {
  json: async () => {
    const root = join(tempDir(), '.vibe-engine');
    return () => openJsonStorage({ root });
  },
  sqlite: async () => {
    const path = join(tempDir(), 'persistence.db');
    return () => openSqliteStorage({ path });
  },
  postgres: async () => {
    const database = await freshDatabase();
    closers.push(database.drop);
    return () => openPostgresStorage({ url: database.url });
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
      const storage = await open();
      const identify = (path: string) => path.replace(/^\.\//, '');
      const made = openReservations({
        storage,
        workspace: 'w',
        locks_dir,
        identify,
        lease_ms: 5 * MINUTE,
        clock,
      });
      closers.push(async () => {
        await made.close();
        await storage.close();
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
