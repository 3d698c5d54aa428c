import { fork } from 'node:child_process';
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LocalLocks, openLocks } from '../../src/system/locks/locks.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const HOLDER = join(import.meta.dirname, '../support/lock-holder.ts');

async function withLocks(
  dir: string,
  count: number,
  run: (...locks: LocalLocks[]) => Promise<void>,
): Promise<void> {
  const open = await Promise.all(Array.from({ length: count }, () => openLocks(dir)));
  try {
    await run(...open);
  } finally {
    for (const locks of open) await locks.close();
  }
}

describe('claims', () => {
  it('have one holder; fences grow over release, floor and reopening', async () => {
    const dir = tempDir();
    await withLocks(dir, 2, async (a, b) => {
      const first = await a!.claim('t', 5);
      expect(first.fence).toBe(6);
      await expect(b!.claim('t', 0)).rejects.toMatchObject({ code: 'TASK_OWNED' });
      await expect(a!.claim('t', 0)).rejects.toMatchObject({ code: 'TASK_OWNED' });
      expect(b!.owner('t')).toMatchObject({ fence: 6 });
      await first.release();
      expect(b!.owner('t')).toBeNull();
      expect((await b!.claim('t', 0)).fence).toBe(7);
      await first.release();
      expect(b!.owner('t')).toMatchObject({ fence: 7 });
    });
    await withLocks(dir, 1, async (c) => expect((await c!.claim('t', 0)).fence).toBe(8));
  });

  it('know a former holder by its fence', async () => {
    await withLocks(tempDir(), 1, async (locks) => {
      const old = await locks!.claim('t', 0);
      await old.release();
      const now = await locks!.claim('t', 0);
      expect(() => locks!.assertHeld('t', old.fence)).toThrowError(/no longer owns/);
      locks!.assertHeld('t', now.fence);
    });
  });

  it('end with their process at once, and not while it is merely stopped', async () => {
    const dir = tempDir();
    await withLocks(dir, 1, async (locks) => {
      const holder = fork(HOLDER, [dir, 't'], { execArgv: [] });
      await new Promise((resolve) => holder.once('message', resolve));
      await expect(locks!.claim('t', 0)).rejects.toMatchObject({ code: 'TASK_OWNED' });
      holder.kill('SIGSTOP');
      await expect(locks!.claim('t', 0)).rejects.toMatchObject({ code: 'TASK_OWNED' });
      const gone = new Promise((resolve) => holder.once('exit', resolve));
      holder.kill('SIGKILL');
      await gone;
      expect(locks!.owner('t')).toBeNull();
      expect((await locks!.claim('t', 0)).fence).toBe(2);
    });
    await withLocks(dir, 1, async () => expect(readdirSync(join(dir, 'instances'))).toHaveLength(1));
  });
});

describe('a damaged owners.db', () => {
  const damages: [string, (path: string) => void][] = [
    ['cut at once', (path) => truncateSync(path, 30)],
    ['cut in the rows', (path) => truncateSync(path, 5000)],
    ['zeroed in the rows', (path) => writeFileSync(path, readFileSync(path).fill(0, 4096))],
    ['no database', (path) => writeFileSync(path, 'x'.repeat(8192))],
    ['empty', (path) => truncateSync(path, 0)],
  ];

  it.each(damages)('%s: is made again once nobody uses it', async (_, damage) => {
    const dir = tempDir();
    await withLocks(dir, 1, async (locks) => void (await locks!.claim('t', 0)));
    damage(join(dir, 'owners.db'));
    await withLocks(dir, 1, async (locks) => {
      expect(locks!.owner('t')).toBeNull();
      expect((await locks!.claim('t', 7)).fence).toBe(8);
    });
  });

  it('is left to a person while a process may own something', async () => {
    const dir = tempDir();
    const holder = fork(HOLDER, [dir, 't'], { execArgv: [] });
    await new Promise((resolve) => holder.once('message', resolve));
    const bytes = Buffer.alloc(8192, 'x');
    writeFileSync(join(dir, 'owners.db'), bytes);
    await expect(openLocks(dir)).rejects.toMatchObject({ code: 'CORRUPT' });
    expect(readFileSync(join(dir, 'owners.db'))).toEqual(bytes);
    const gone = new Promise((resolve) => holder.once('exit', resolve));
    holder.kill('SIGKILL');
    await gone;
    await withLocks(dir, 1, async (locks) => expect(locks!.owner('t')).toBeNull());
  });
});

describe('exclusively', () => {
  it('keeps claimants and other users out, one at a time', async () => {
    await withLocks(tempDir(), 4, async (...all) => {
      let inside = 0;
      let turns = 0;
      const work = all.map(async (locks) => {
        for (let i = 0; i < 50; i++) {
          await locks.exclusively('t', () => {
            expect(inside++).toBe(0);
            turns++;
            inside--;
          });
        }
      });
      await Promise.all(work);
      expect(turns).toBe(200);
    });
  });

  it('is refused while someone owns the name, and passes an error on', async () => {
    await withLocks(tempDir(), 2, async (a, b) => {
      const claim = await a!.claim('t', 0);
      await expect(b!.exclusively('t', () => 1)).rejects.toMatchObject({ code: 'TASK_OWNED' });
      await claim.release();
      const fail = () => {
        throw new Error('inside');
      };
      await expect(b!.exclusively('t', fail)).rejects.toThrow('inside');
      expect(await a!.exclusively('t', () => 'free')).toBe('free');
    });
  });
});
