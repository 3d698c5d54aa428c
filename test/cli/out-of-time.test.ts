/** What people see of tasks that ran out of time: waits nobody answered, and failures too old to be tried again. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { untilStatus } from '../engine/letters.ts';
import { onEachStore } from '../engine/stores.ts';
import { manualClock } from '../support/manual-clock.ts';
import { ask, cli } from './cli.ts';
import { configure } from './world.ts';

const DAY = 86_400_000;
const TASK = `import { defineTask } from 'vibe-engine';
export default defineTask('deploys', async (task) => {
  await task.step('build', () => 'built');
  return task.waitFor('human_approval', { prompt: 'Deploy?', timeout_ms: ${DAY} });
});
`;
const deploys = defineTask('deploys', async (task) => {
  await task.step('build', () => 'built');
  return task.waitFor('human_approval', { prompt: 'Deploy?', timeout_ms: DAY });
});
const fails = defineTask('fails', async (task) => {
  await task.step('read', () => 'read');
  await task.step('send', () => Promise.reject(new Error('503')));
});
const works = defineTask('works', (task) => task.step('read', () => 'read'));

interface Row {
  readonly id: string;
  readonly status: string;
  readonly resumable: boolean;
  readonly expired: boolean;
  readonly timed_out: boolean;
}

onEachStore(
  (fresh) => {
    let dir: string;
    let waiting: string;
    let expired: string;
    let completed: string;
    const next = async (id: string) => (await ask<{ next: string[] }>(dir, 'show', id)).next;
    const row = async (id: string) =>
      (await ask<{ tasks: Row[] }>(dir, 'tasks')).tasks.find((one) => one.id === id)!;

    beforeAll(async () => {
      const store = await fresh();
      dir = store.dir;
      configure(store);
      writeFileSync(join(dir, 'task.ts'), TASK);
      const clock = manualClock(new Date(Date.now() - 40 * DAY));
      const engine = await store.open({ tasks: [deploys, fails, works], clock });
      const old = await engine.start(fails, undefined);
      await old.outcome;
      expired = old.id;
      const over = await engine.start(works, undefined);
      await over.result;
      completed = over.id;
      const origin = { kind: 'file', path: join(dir, 'task.ts') };
      waiting = (await engine.start(deploys, undefined, { origin })).id;
      await untilStatus(engine, waiting, 'waiting');
      await engine.close();
    });

    test('a failure too old is called expired, and no retry of it is offered', async () => {
      expect(await row(expired)).toMatchObject({ status: 'failed', expired: true, resumable: false });
      expect((await cli(dir, ['tasks'])).out).toMatch(/ expired .* fails /);
      expect((await cli(dir, ['show', expired])).out).toMatch(/^fails {2}expired {2}503\n/);
      const offered = await next(expired);
      expect(offered.filter((line) => / (retry|resume) /.test(line))).toEqual([]);
      expect(offered).toContainEqual(expect.stringMatching(/ fork /));
      expect((await cli(dir, ['tasks', '--lang', 'zh-Hant'])).out).toContain('已過期');
    });

    test('inspect says that only a fork goes on from a checkpoint of a task that is over', async () => {
      const { out } = await cli(dir, ['checkpoints', 'inspect', `${completed.slice(-6)}-1`]);
      expect(out).not.toContain('can resume from it');
      expect(out).toContain(`vibe-engine fork ${completed.slice(-6)}-1`);
      expect(await ask(dir, 'checkpoints', 'inspect', `${completed}-1`)).toMatchObject({ can_resume: false });
    });

    test('a wait nobody answered in time is listed as such, resumed into the time-out, and asked again', async () => {
      expect(await row(waiting)).toMatchObject({ status: 'waiting', timed_out: true, resumable: true });
      expect((await cli(dir, ['tasks'])).out).toMatch(/ out of time .* deploys /);
      const listed = await ask<{ tasks: Row[] }>(dir, 'tasks', '--resumable');
      expect(listed.tasks.map(({ id }) => id)).toEqual([waiting]);
      const short = waiting.slice(-6);
      const offered = await next(waiting);
      expect(offered[0]).toBe(`vibe-engine resume ${short}`);
      expect(offered.join()).not.toContain('answer');

      const late = await cli(dir, ['answer', waiting, 'yes']);
      expect(late.err).toMatch(/^error WAIT_TIMEOUT: /);
      expect(late.err).toContain(`vibe-engine resume ${short}`);

      const resumed = await cli(dir, ['resume']);
      expect([resumed.exit, resumed.out]).toEqual([
        1,
        expect.stringContaining(
          `Task ${short} has failed: Nobody answered "Deploy?" in time.\nAsk again with: vibe-engine retry ${short}\n`,
        ),
      ]);
      expect(await row(waiting)).toMatchObject({ status: 'failed', resumable: true });
      const failed = await cli(dir, ['answer', waiting, 'yes']);
      expect(failed.err).toMatch(/^error WAIT_TIMEOUT: /);
      expect(failed.err).toContain(`vibe-engine retry ${short}`);
    });

    test('what is asked until a time is shown with it', async () => {
      const store = await fresh();
      const engine = await store.open({ tasks: [deploys] });
      configure(store);
      const { id } = await engine.start(deploys, undefined);
      await untilStatus(engine, id, 'waiting');
      const timeout_at = (await engine.waits(id))[0]!.timeout_at!;
      const { out } = await cli(store.dir, ['show', id], { TZ: 'UTC' });
      expect(out).toContain(`Deploy? (until ${timeout_at.slice(0, 19).replace('T', ' ')})`);
      await engine.close();
    });

    test('a failed task can be cancelled', async () => {
      const { exit, out } = await cli(dir, ['cancel', expired]);
      expect([exit, out]).toEqual([0, expect.stringContaining('fails')]);
      expect(await row(expired)).toMatchObject({ status: 'cancelled' });
      const again = await cli(dir, ['cancel', expired]);
      expect(again.err).toContain('is cancelled');
    });

    test('checkpoints <task> is checkpoints list <task>', async () => {
      const short = completed.slice(-6);
      const listed = await ask<{ checkpoints: unknown[] }>(dir, 'checkpoints', short);
      expect(listed).toEqual(await ask(dir, 'checkpoints', 'list', short));
      expect(listed.checkpoints.length).toBeGreaterThan(0);
      const slip = await cli(dir, ['checkpoints', 'lsit', short]);
      expect([slip.exit, slip.err]).toEqual([2, expect.stringContaining('Did you mean "checkpoints list"?')]);
      expect((await cli(dir, ['checkpoints'])).out).toContain('checkpoints inspect');
      const words = (await cli(dir, ['--complete', 'bash', 'checkpoints', ''])).out.split('\n');
      expect(words).toEqual(expect.arrayContaining(['list', 'inspect', short, 'works']));
    });
  },
  ['json'],
);
