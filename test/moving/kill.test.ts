/**
 * `keys encrypt` and `keys decrypt` killed on the way: whatever the settings name then is complete, and asking again
 * finishes it. `MOVING_KILLS=200` for a long run.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { onEachStore } from '../engine/stores.ts';
import { unlessFull } from '../support/full.ts';
import type { Done } from './child.ts';
import { inChild, run } from './in-child.ts';
import { contentOf, expectHealthy, holding, openNamed, populate, SECRET } from './world.ts';

const KILLS = Number(process.env.MOVING_KILLS ?? unlessFull(1, 2));
const WAYS = [
  ['keys', 'encrypt', '--from', 'environment'],
  ['keys', 'decrypt'],
] as const;

beforeEach(() => void vi.stubEnv('VIBE_ENGINE_KEY', 'c0ffee'.padEnd(64, '0')));
afterEach(() => void vi.unstubAllEnvs());

/** On a server, what the one that was killed had claimed is its own until the lease ends. */
async function finish(
  dir: string,
  args: readonly string[],
  kill: number | null = null,
): Promise<Pick<Done, 'exit' | 'said'> | null> {
  for (;;) {
    const done = kill === null ? await run(dir, args) : await inChild({ dir, args, kill });
    if (!done || !/^error (?:STORE_MOVING|TASK_OWNED)/m.test(done.said)) return done;
    await sleep(200);
  }
}

onEachStore((fresh, type) => {
  test('killed anywhere, nothing is lost and the next one finishes it', async () => {
    const store = await fresh();
    const { dir } = store;
    await populate(store);
    const content = await contentOf(dir);
    const changes: number[] = [];
    for (const args of WAYS) {
      const done = await inChild({ dir, args, kill: null });
      expect(done, done?.said).toMatchObject({ exit: 0 });
      changes.push(done!.changes);
      expect(await contentOf(dir)).toEqual(content);
    }
    for (let n = 0; n < KILLS; n++) {
      for (const [way, args] of WAYS.entries()) {
        const at = Math.max(1, Math.floor(((n + Math.random()) / KILLS) * changes[way]!));
        const where = `${args[1]} killed before change ${at} of ${changes[way]}`;
        await finish(dir, args, at);
        expect(await contentOf(dir), where).toEqual(content);
        if (n % 3 === 0) {
          const again = Math.ceil(Math.random() * changes[way]!);
          await finish(dir, args, again);
          expect(await contentOf(dir), `${where}, then before ${again}`).toEqual(content);
        }
        const done = await finish(dir, args);
        // Killed behind its last change, or never, it was done already.
        const isOn = args[1] === 'encrypt' && /already on here/.test(done!.said);
        expect(done?.exit === 0 || isOn, `${where}: ${done?.said}`).toBe(true);
        expect(await contentOf(dir), where).toEqual(content);
        const named = await openNamed(dir);
        expect(named.encrypted ?? false, where).toBe(args[1] === 'encrypt');
        await named.close();
        if (args[1] === 'encrypt' && type !== 'postgres') expect(holding(dir, SECRET), where).toEqual([]);
      }
    }
    await expectHealthy(dir);
  });
});
