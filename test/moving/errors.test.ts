/** A move that an error ends is taken back; one that was cut off is gone on with, also with another key. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { onEachStore, type Store } from '../engine/stores.ts';
import { unlessFull } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';
import type { Job } from './child.ts';
import { inChild, run } from './in-child.ts';
import {
  contentOf,
  ENCRYPT,
  expectHealthy,
  holding,
  KEY,
  keyInEnvironment,
  openNamed,
  openProject,
  populate,
  SECRET,
  talker,
} from './world.ts';

const tempDir = tempDirs();
keyInEnvironment();

onEachStore(
  (fresh) => {
    let store: Store;
    let content: Record<string, string>;
    let changes: number;
    let kept: string;
    const keep = (name: string): void =>
      cpSync(join(store.dir, '.vibe-engine'), join(kept, name), { recursive: true });
    const put = (name: string): void => {
      rmSync(join(store.dir, '.vibe-engine'), { recursive: true });
      cpSync(join(kept, name), join(store.dir, '.vibe-engine'), { recursive: true });
    };
    /** As it was before anything was moved. */
    const again = (): void => put('plain');
    beforeAll(async () => {
      vi.stubEnv('VIBE_ENGINE_KEY', KEY);
      store = await fresh();
      await populate(store);
      content = await contentOf(store.dir);
      kept = tempDir();
      keep('plain');
      const done = await inChild({ dir: store.dir, args: ENCRYPT, kill: null });
      expect(done, done?.said).toMatchObject({ exit: 0 });
      changes = done!.changes;
      keep('sealed');
    });
    beforeEach(() => put('sealed'));

    test('a disk that is full, or does not sync', async () => {
      let failed = 0;
      const faults: [NonNullable<Job['fail']>['op'], number][] = [
        ...unlessFull<[] | [['write', number]]>([], [['write', 3]]),
        ['write', 60],
        ['fsync', 30],
      ];
      for (const [op, at] of faults) {
        again();
        const where = `${op} ${at}`;
        const done = await inChild({ dir: store.dir, args: ENCRYPT, kill: null, fail: { op, at } });
        if (done?.exit !== 0) failed++;
        expect(await contentOf(store.dir), where).toEqual(content);
        const engine = await openProject(store.dir);
        const isSealed = engine.storage.encrypted ?? false;
        // Where a store does not sync any more, nothing can be taken back in it: then asking again is what helps.
        if (op === 'write' && !isSealed) {
          await engine.enqueue(talker, { large: '' });
          again();
        }
        await engine.close();
        const next = await run(store.dir, ENCRYPT);
        expect(next.exit === 0 || isSealed, `${where}: ${next.said}`).toBe(true);
        expect(await contentOf(store.dir), where).toEqual(content);
        await expectHealthy(store.dir);
      }
      expect(failed).toBeGreaterThan(0);
    });

    test('cut off while it empties the old store, it goes on with that', async () => {
      for (const part of unlessFull([0.9], [0.8, 0.9])) {
        again();
        expect(await inChild({ dir: store.dir, args: ENCRYPT, kill: Math.floor(changes * part) })).toBeNull();
        expect(await contentOf(store.dir)).toEqual(content);
        expect(holding(store.dir, SECRET)).not.toEqual([]);
        expect(await run(store.dir, ENCRYPT)).toMatchObject({ exit: 0 });
        expect(holding(store.dir, SECRET)).toEqual([]);
        expect(await contentOf(store.dir)).toEqual(content);
        await expectHealthy(store.dir);
      }
    });

    test('what could not be decrypted whole is nowhere in the open', async () => {
      let failed = 0;
      for (const at of [80, 40, 81, 41, 82, 42, 83, 43]) {
        if (failed === unlessFull(1, 4)) break;
        const fail = { op: 'write', at } as const;
        const done = await inChild({ dir: store.dir, args: ['keys', 'decrypt'], kill: null, fail });
        if (done?.exit === 0) {
          // It failed at something that can be rebuilt, such as an index: which one it is depends on the time.
          again();
          await run(store.dir, ENCRYPT);
          continue;
        }
        failed++;
        expect(done).toMatchObject({ exit: 1, said: expect.stringMatching(/^error DISK_FULL/) });
        expect(await contentOf(store.dir)).toEqual(content);
        expect(holding(store.dir, SECRET)).toEqual([]);
        await expectHealthy(store.dir);
      }
      expect(failed).toBeGreaterThan(0);
    });

    test('what was begun with one key is finished with another', async () => {
      for (const part of unlessFull([0.5], [0.3, 0.5])) {
        again();
        expect(await inChild({ dir: store.dir, args: ENCRYPT, kill: Math.floor(changes * part) })).toBeNull();
        vi.stubEnv('VIBE_ENGINE_KEY', 'd00d'.padEnd(64, '0'));
        expect(await run(store.dir, ENCRYPT)).toMatchObject({ exit: 0 });
        expect(await contentOf(store.dir)).toEqual(content);
        await expectHealthy(store.dir);
        vi.stubEnv('VIBE_ENGINE_KEY', KEY);
        await expect(openNamed(store.dir)).rejects.toMatchObject({ code: 'WRONG_KEY' });
      }
    });
  },
  ['json'],
);
