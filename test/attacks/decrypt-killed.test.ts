/** `keys decrypt` killed at its very end: asked again, it says that it is done. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { onEachStore } from '../engine/stores.ts';
import { inChild, run } from '../moving/in-child.ts';
import { contentOf, populate } from '../moving/world.ts';
import { unlessFull } from '../support/full.ts';

beforeEach(() => void vi.stubEnv('VIBE_ENGINE_KEY', 'c0ffee'.padEnd(64, '0')));
afterEach(() => void vi.unstubAllEnvs());

onEachStore(
  (fresh) => {
    test('killed before each of its last changes', async () => {
      const store = await fresh();
      const { dir } = store;
      await populate(store);
      const encrypt = ['keys', 'encrypt', '--from', 'environment'];
      const args = ['keys', 'decrypt'];
      expect(await run(dir, encrypt)).toMatchObject({ exit: 0 });
      const { changes } = (await inChild({ dir, args, kill: null }))!;
      const content = await contentOf(dir);
      for (const before of unlessFull([0, 1], [0, 1, 3])) {
        expect(await run(dir, encrypt)).toMatchObject({ exit: 0 });
        await inChild({ dir, args, kill: changes - before });
        const again = await run(dir, args);
        expect(again, again.said).toMatchObject({ exit: 0 });
        // In whichever words: what was left to do was done, or nothing was left.
        expect(again.said).toMatch(/is gone, too|nothing to do|unencrypted, in/i);
        expect(await contentOf(dir)).toEqual(content);
      }
      expect(await run(dir, args)).toMatchObject({
        exit: 0,
        said: expect.stringContaining('nothing to do'),
      });
    });
  },
  ['json'],
);
