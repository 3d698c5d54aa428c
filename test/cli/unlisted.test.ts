/** Checkpoints that are no longer in the list count all the same; and those that are gone are told of. */
import { beforeAll, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { onEachStore } from '../engine/stores.ts';
import { ask, cli } from './cli.ts';
import { configure } from './world.ts';

const steps = defineTask('steps', async (task) => {
  for (let n = 1; n <= 40; n++) await task.step(`s${n}`, () => n);
  throw new Error('stop');
});

onEachStore(
  (fresh) => {
    let dir: string;
    let task: string;

    beforeAll(async () => {
      const store = await fresh();
      dir = store.dir;
      configure(store);
      const engine = await store.open();
      const { id, outcome } = await engine.start(steps, undefined);
      await outcome;
      await engine.close();
      task = id.slice(-6);
    });

    const all = async (): Promise<number> =>
      (await ask<{ checkpoints: unknown[] }>(dir, 'checkpoints', 'list', task, '--all')).checkpoints.length;

    test('a rollback counts all that go', async () => {
      const { checkpoints } = await ask<{ checkpoints: string[] }>(dir, 'rollback', `${task}-1`, '--dry-run');
      expect(checkpoints).toHaveLength((await all()) - 1);
      const { out } = await cli(dir, ['rollback', `${task}-1`, '--dry-run']);
      expect(out).toContain(`${checkpoints.length} checkpoints: ${task}-2, ${task}-3,`);
    });

    test('show says how many are not listed', async () => {
      const listed = (await ask<{ checkpoints: unknown[] }>(dir, 'checkpoints', 'list', task)).checkpoints
        .length;
      const { out } = await cli(dir, ['show', task]);
      expect(out).toContain(`${listed} listed of ${await all()} made, the newest ${task}-${await all()} `);
    });

    test('one that was rolled back is told of, and two rollbacks need two redos', async () => {
      expect((await cli(dir, ['rollback', `${task}-35`, '--yes'])).exit).toBe(0);
      expect((await cli(dir, ['rollback', `${task}-30`, '--yes'])).exit).toBe(0);
      const { err } = await cli(dir, ['checkpoints', 'inspect', `${task}-33`]);
      expect(err).toMatch(
        /rolled back past it: "redo \w+" brings it back.* "checkpoints list \w+ --all" lists them all\.$/m,
      );
      expect((await cli(dir, ['redo', task])).out).toContain(
        `1 time before that; each takes a redo of its own: vibe-engine redo ${task}\n`,
      );
      expect((await cli(dir, ['redo', task])).out).toMatch(/^"steps" is back .*\n$/);
    });

    test('a clean-up counts all that it removes, and says so of one of them', async () => {
      const before = await all();
      const { out } = await cli(dir, ['clean', task, '--keep', '3', '--yes']);
      expect(out).toContain(`${before - 3} checkpoints removed, `);
      expect(out).toMatch(/ {2}and \d+ that were no longer listed/);
      expect(await all()).toBe(3);
      for (const number of [5, 6]) {
        const { err } = await cli(dir, ['rollback', `${task}-${number}`, '--yes']);
        expect(err).toContain('hint: Clean-up has removed it. The task has ');
      }
    });
  },
  ['json', 'sqlite'],
);
