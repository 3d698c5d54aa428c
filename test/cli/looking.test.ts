import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { show } from '../../src/verbs/look/show.ts';
import { tasks } from '../../src/verbs/look/tasks.ts';
import { onEachStore } from '../engine/stores.ts';
import { tempDirs } from '../support/temp.ts';
import { misfits } from '../verbs/shapes.ts';
import { ask, cli } from './cli.ts';
import { populate, type Tasks } from './world.ts';

interface Listed {
  readonly tasks: readonly { id: string; short: string; status: string; resumable: boolean }[];
  readonly more: boolean;
}

const tempDir = tempDirs();

test('where there is no store, there are no tasks, and none is made', async () => {
  const dir = tempDir();
  expect(await cli(dir, ['tasks'])).toEqual({ exit: 0, out: 'There are no tasks here yet.\n', err: '' });
  const shown = await cli(dir, ['show', 'abc']);
  expect(shown.exit).toBe(1);
  expect(shown.err).toMatch(/^error STORE_UNAVAILABLE: There is no store in .*\nhint: .*--project/);
  expect(readdirSync(dir)).toEqual([]);
});

onEachStore((fresh) => {
  let dir: string;
  let made: Tasks;
  const short = (id: string) => id.slice(-6);

  beforeAll(async () => {
    const store = await fresh();
    dir = store.dir;
    made = await populate(store);
  });

  test('tasks lists them, newest first', async () => {
    const data = await ask<Listed>(dir, 'tasks');
    expect(misfits(data, tasks.data)).toEqual([]);
    const { completed, failed, paused, waiting, interrupted, queued } = made;
    expect(data.tasks.map(({ id }) => id)).toEqual([queued, interrupted, waiting, paused, failed, completed]);
    expect(data.tasks.filter(({ resumable }) => resumable).map(({ id }) => id)).toEqual([
      interrupted,
      paused,
      failed,
    ]);
    expect(data.more).toBe(false);
    const { exit, out, err } = await cli(dir, ['tasks']);
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    const lines = out.trimEnd().split('\n');
    expect(lines).toHaveLength(6);
    expect(lines[1]).toMatch(new RegExp(`^${short(interrupted)} +interrupted +.* +migrate`));
    expect(lines[2]).toMatch(/waiting .* deploy +Deploy to production\?$/);
    expect(lines[3]).toMatch(/paused .* refactor +lunch$/);
    expect(lines[4]).toMatch(/failed .* fetch-issues +the API answered 503$/);
  });

  test('tasks filters, sorts and cuts off', async () => {
    const ids = async (...args: string[]) =>
      (await ask<Listed>(dir, 'tasks', ...args)).tasks.map(({ id }) => id);
    expect(await ids('--status', 'failed,paused')).toEqual([made.paused, made.failed]);
    expect(await ids('--status=failed', '--status=queued')).toEqual([made.queued, made.failed]);
    expect(await ids('--resumable', '--sort', 'name')).toEqual([made.failed, made.interrupted, made.paused]);
    expect(await ids('--find', 'REVIEW')).toEqual([made.queued, made.completed]);
    expect(await ask(dir, 'tasks', '--limit', '2')).toMatchObject({ more: true });
    const { out } = await cli(dir, ['tasks', '--status', 'cancelled']);
    expect(out).toBe('No task here matches.\n');
  });

  test('the project is found from a directory inside it, or named', async () => {
    const inside = join(dir, 'src', 'deep');
    mkdirSync(inside, { recursive: true });
    expect((await ask<Listed>(inside, 'tasks')).tasks).toHaveLength(6);
    expect((await ask<Listed>(tempDir(), 'tasks', '--project', dir)).tasks).toHaveLength(6);
    const slip = await cli(dir, ['tasks', '--project', 'src/dep']);
    expect(slip).toMatchObject({ exit: 2, out: '' });
    expect(slip.err).toContain(`Did you mean "${inside}"?`);
  });

  test('show tells of a completed task', async () => {
    const data = await ask<Record<string, unknown>>(dir, 'show', short(made.completed));
    expect(misfits(data, show.data)).toEqual([]);
    expect(data).toMatchObject({
      task: { id: made.completed, name: 'review login', status: 'completed', resumable: false },
      input: { file: 'login.ts' },
      state: { final_output: 2 },
      history: {
        steps: [
          { name: 'read', status: 'success' },
          { name: 'write', status: 'success' },
        ],
      },
      problems: [],
    });
    expect(data.next).toContainEqual(expect.stringMatching(/^vibe-engine fork \w{6}-\d+$/));
    const { exit, out } = await cli(dir, ['show', 'review login']);
    expect(exit).toBe(0);
    expect(out).toMatch(/^review login {2}completed\n/);
    expect(out).toMatch(/context +[▁▂▃▄▅▆▇█]+ \d+ B: 1 message, 0 tool outputs, 1 decision/);
    expect(out).toMatch(/Steps \(2 in .*\)\n {2}✓ +read .*━.*no tests/);
  });

  test('show says how each of the others goes on', async () => {
    const next = async (id: string) => (await ask<{ next: string[] }>(dir, 'show', id)).next;
    expect(await next(made.paused)).toContain(`vibe-engine resume ${short(made.paused)}`);
    expect(await next(made.interrupted)).toContain(`vibe-engine resume ${short(made.interrupted)}`);
    expect(await next(made.failed)).toContain(`vibe-engine retry ${short(made.failed)}`);
    expect(await next(made.waiting)).toContain(`vibe-engine answer ${short(made.waiting)} <value>`);
    expect((await cli(dir, ['show', made.paused])).out).toMatch(/on resume +mind the tests/);
    expect((await cli(dir, ['show', made.waiting])).out).toMatch(/asks +Deploy to production\?$/m);
    expect((await cli(dir, ['show', made.failed])).out).toMatch(/✗ +fetch .*the API answered 503/);
  });

  test('a wrong id names the nearest right one, an ambiguous one all it could be', async () => {
    const right = short(made.failed);
    const wrong = `${right.slice(0, 2)}${right[3]}${right[2]}${right.slice(4)}`;
    const typo = await cli(dir, ['show', right[2] === right[3] ? `${right}0` : wrong]);
    expect(typo.exit).toBe(1);
    expect(typo.err).toContain('error TASK_NOT_FOUND: There is no task');
    expect(typo.err).toContain(`Did you mean "${right}"?`);
    const named = await cli(dir, ['show', 'deplyo']);
    expect(named.err).toContain('Did you mean "deploy"?');
    const both = await cli(dir, ['show', made.failed.slice(0, 4)]);
    expect(both.exit).toBe(2);
    expect(both.err).toMatch(/matches 6 tasks\.\nhint: .*\w{6}, \w{6}/);
  });

  test('it is said in Chinese', async () => {
    const { out } = await cli(dir, ['tasks', '--status', 'paused'], { LANG: 'zh_TW.UTF-8' });
    expect(out).toMatch(/已暫停 {2}(?:剛剛|.*前) {2}refactor {2}lunch/);
    const hans = await cli(dir, ['show', made.failed], { LANG: 'zh_CN.UTF-8' });
    expect(hans.out).toMatch(/fetch-issues {2}失败/);
    expect(hans.out).toContain('接下来可以');
  });

  test('a name that several tasks had means the one that is not over', async () => {
    const fork = async () => (await ask<{ task: string }>(dir, 'fork', `${short(made.completed)}-1`)).task;
    const again = await fork();
    expect(await ask(dir, 'show', 'review login')).toMatchObject({ task: { id: again } });
    await fork();
    const { exit, err } = await cli(dir, ['show', 'review login']);
    expect(exit).toBe(2);
    expect(err).toContain('"review login" matches 3 tasks.');
  });
});
