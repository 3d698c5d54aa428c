/** A clock that is ahead for a while: nothing is cleaned that a right one would not clean. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { countTime } from '../../src/engine/cleanup/counted-time.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { unlessFull } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const DAY = 86_400_000;
const child = join(import.meta.dirname, 'clock-child.ts');
const cleanedAhead = (dir: string, days: number): { removed: number; skipped: { why: string }[] } =>
  JSON.parse(execFileSync(process.execPath, [child, dir, String(days)]).toString());

const works = defineTask('works', async (task) => {
  await task.files.write('a.txt', 'new\n');
  await task.step('more', () => 'done');
});

test.each(unlessFull([true], [true, false]))(
  '40 days ahead, by hand and after a task; cleaned before: %s',
  async (before) => {
    const dir = tempDir();
    writeFileSync(join(dir, 'a.txt'), 'old\n');
    const open = () => openEngine({ project_dir: dir, workspace: true, automatic_cleanup: false });
    const first = await open();
    const { id, outcome } = await first.start(works, undefined);
    await outcome;
    if (before) await first.clean();
    const { length } = await first.checkpoints.listCheckpoints(id);
    expect(length).toBeGreaterThan(0);
    await first.close();
    for (const days of unlessFull([40, 41.9], [40, 40.1, 41.9])) {
      const { removed, skipped } = cleanedAhead(dir, days);
      expect(removed).toBe(0);
      expect(skipped.map(({ why }) => why).join()).toContain('the clock jumped to');
    }
    const engine = await open();
    expect((await engine.clean()).removed).toEqual([]);
    expect(await engine.checkpoints.listCheckpoints(id)).toHaveLength(length);
    expect((await engine.undo(id)).files).toEqual(['a.txt']);
    await engine.close();
    if (!unlessFull(before, true)) return;
    // One that says so for days is right.
    cleanedAhead(dir, 60);
    cleanedAhead(dir, 63); // Either it or the clean-up that the engine begins by itself comes first.
    const later = await open();
    expect((await later.checkpoints.listCheckpoints(id)).length).toBeLessThan(length);
    await later.close();
  },
);

test('a store that is used now and then is cleaned as of its use before', () => {
  let now = 1000 * DAY;
  let { clock } = countTime(now, now, null);
  for (let week = 0; week < 5; week++) {
    now += 7 * DAY;
    const ahead = clock.ahead_since === null ? null : Date.parse(clock.ahead_since);
    const counted = countTime(now, Date.parse(clock.believed_at!), ahead);
    expect(now - counted.until.getTime()).toBeLessThanOrEqual(7 * DAY);
    ({ clock } = counted);
  }
});

test('a clock that is put right again counts as if it had never been wrong', () => {
  const now = 1000 * DAY;
  const wrong = countTime(now + 40 * DAY, now, null);
  expect(wrong.until.getTime()).toBe(now + DAY);
  const { believed_at, ahead_since } = wrong.clock;
  const right = countTime(now + 1000, Date.parse(believed_at!), Date.parse(ahead_since!));
  expect(right).toMatchObject({ until: new Date(now + 1000), why: null, clock: { ahead_since: null } });
});
