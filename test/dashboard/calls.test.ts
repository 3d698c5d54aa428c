/** What the page may call, what it gets, and what it never gets to see. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changes } from '../../src/dashboard/offered.ts';
import type { Dashboard } from '../../src/dashboard/server.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import { type Engine, openEngine } from '../../src/engine/engine.ts';
import { allVerbs } from '../../src/verbs/kit/registry.ts';
import { VERBS } from '../../src/verbs/verbs.ts';
import { populate, type Tasks } from '../cli/world.ts';
import { type LeakyInput, leaky } from '../encrypted/leaks/task.ts';
import { untilStatus } from '../engine/letters.ts';
import { onEveryStore } from '../engine/stores.ts';
import { tempDirs } from '../support/temp.ts';
import { dashboards, post } from './open.ts';

const tempDir = tempDirs();

async function session(server: Dashboard): Promise<{ verbs: string[]; read_only: boolean; reveal: boolean }> {
  const headers = { authorization: `Bearer ${server.key}` };
  const answer = await fetch(`http://127.0.0.1:${server.port}/api/session`, { headers });
  return ((await answer.json()) as { data: Awaited<ReturnType<typeof session>> }).data;
}

onEveryStore(
  (fresh) => {
    const open = dashboards();
    let dir: string;
    let tasks: Tasks;
    beforeAll(async () => {
      const store = await fresh();
      dir = store.dir;
      tasks = await populate(store);
    });

    test('the data of a verb, as --json has it', async () => {
      const server = await open({ dir });
      const { data } = await post<{ tasks: { id: string }[] }>(server, 'tasks', { options: { all: true } });
      expect(data.tasks.map(({ id }) => id).sort()).toEqual(Object.values(tasks).sort());
      const [shown, listed, none] = await Promise.all([
        post<{ task: { id: string } }>(server, 'show', { args: { task: tasks.failed } }),
        post<{ checkpoints: unknown[] }>(server, 'checkpoints list', { args: { task: tasks.completed } }),
        post(server, 'show', { args: { task: 'nothing' } }),
      ]);
      expect(shown.data.task.id).toBe(tasks.failed);
      expect(listed.data.checkpoints.length).toBeGreaterThan(0);
      expect([none.status, none.error?.code]).toEqual([404, 'TASK_NOT_FOUND']);
    });

    test('an answer is recorded as the dashboard’s', async () => {
      const server = await open({ dir });
      const { data } = await post<{ wait: string }>(server, 'answer', {
        args: { task: tasks.waiting, value: 'yes' },
      });
      expect(data.wait).toEqual(expect.any(String));
      const engine = await openEngine({ project_dir: dir, signals: false, automatic_cleanup: false });
      const messages = await engine.storage.list('inbox');
      const kept = await Promise.all(messages.map((key) => engine.storage.get('inbox', key)));
      await engine.close();
      expect(JSON.stringify(kept)).toContain('"by":"dashboard"');
    });

    test('a question is an answer: 409 with what is asked, and nothing is done', async () => {
      const server = await open({ dir });
      const first = (
        await post<{ checkpoints: { id: string }[] }>(server, 'checkpoints list', {
          args: { task: tasks.failed },
        })
      ).data.checkpoints[0]!;
      const asked = await post(server, 'rollback', { args: { checkpoint: first.id } });
      expect([asked.status, asked.error?.code]).toEqual([409, 'NEEDS_ANSWER']);
      expect(asked.error?.data).toMatchObject({ flag: '--yes' });
      const chinese = await post(server, 'rollback', { args: { checkpoint: first.id } }, 'zh-Hans');
      expect(chinese.error?.message).toMatch(/\p{Script=Han}/u);
      const done = await post<{ done: boolean }>(server, 'rollback', {
        args: { checkpoint: first.id },
        options: { yes: true },
      });
      expect(done.data.done).toBe(true);
    });
  },
  ['json'],
);

describe('a project without a store', () => {
  const open = dashboards();

  test('has no tasks, until there is one', async () => {
    const dir = tempDir();
    const server = await open({ dir });
    expect((await post<{ tasks: unknown[] }>(server, 'tasks')).data.tasks).toEqual([]);
    expect((await post(server, 'show', { args: { task: 'x' } })).error?.code).toBe('STORE_UNAVAILABLE');
    const small = defineTask('small', () => 1);
    const engine = await openEngine({ project_dir: dir, tasks: [small], signals: false });
    await (await engine.start(small, undefined)).result;
    expect((await post<{ tasks: unknown[] }>(server, 'tasks')).data.tasks).toHaveLength(1);
    await engine.close();
  });
});

describe('read-only', () => {
  const open = dashboards();

  test('everything that changes something is refused, and not offered', async () => {
    const server = await open({ dir: tempDir(), read_only: true });
    const { verbs, read_only } = await session(server);
    expect(read_only).toBe(true);
    const all = await allVerbs(VERBS);
    const changing = all.filter(
      (verb) => verb.group === 'change' || verb.group === 'run' || verb.name === 'clean',
    );
    expect(changing.length).toBeGreaterThan(12);
    for (const { name, options } of changing) {
      expect(verbs).not.toContain(name);
      const { status, error } = await post(server, name, { args: { task: 'x' } });
      expect([name, status, error?.code]).toEqual([name, 403, 'READ_ONLY']);
      const dry = await post(server, name, { options: { 'dry-run': true } });
      expect([name, dry.status === 403]).toEqual([name, !('dry-run' in options)]);
      const wet = await post(server, name, { options: { 'dry-run': false, yes: true } });
      expect([name, wet.status]).toEqual([name, 403]);
    }
    expect(all.filter(({ group }) => group === 'look').filter(changes)).toEqual([]);
    expect((await post(server, 'tasks')).status).toBe(200);
  });
});

describe('a task with a secret in everything', () => {
  const SECRET = `gh${'p_'}${'aB3d'.repeat(9)}`;
  const open = dashboards();
  let dir: string;
  let id: string;
  let engine: Engine;
  const definition = leaky(() => {});

  beforeAll(async () => {
    dir = tempDir();
    process.env.VIBE_ENGINE_KEY ??= 'none'; // The task looks for it in what commands see.
    engine = await openEngine({ project_dir: dir, tasks: [definition], workspace: true, signals: false });
    const input: LeakyInput = { secret: SECRET, name: `with ${SECRET}`, steps: 30 };
    ({ id } = await engine.start(definition, input, { task_name: `task ${SECRET}` }));
    await untilStatus(engine, id, 'waiting');
  });
  afterAll(() => engine.close());

  /** Every verb that looks, with everything that it can be asked about. */
  async function everything(server: Dashboard): Promise<[verb: string, text: string][]> {
    const checkpoints = await engine.checkpoints.listCheckpoints(id);
    const [first, last] = [checkpoints[0]!.id, checkpoints.at(-1)!.id];
    const given: Readonly<Record<string, string>> = { task: id, checkpoint: last, from: first, to: last };
    const found: [string, string][] = [];
    const { verbs: offered } = await session(server);
    for (const verb of await allVerbs(VERBS)) {
      if (changes(verb) || !offered.includes(verb.name)) continue;
      const known = Object.entries(verb.arguments).filter(([, { many }]) => !many);
      const args = Object.fromEntries(known.map(([name]) => [name, given[name] ?? SECRET]));
      for (const options of [
        {},
        { all: true },
        { patch: true },
        { show: 'notes-1.txt' },
        { show: 'other.txt' },
      ]) {
        const usable = Object.keys(options).every((name) => name in verb.options);
        if (usable) found.push([verb.name, JSON.stringify(await post(server, verb.name, { args, options }))]);
      }
    }
    return found;
  }

  test('shows it in no answer, unless it was started to reveal', async () => {
    const answers = await everything(await open({ dir }));
    expect(answers.length).toBeGreaterThan(12);
    for (const [verb, text] of answers) expect([verb, text.includes(SECRET)]).toEqual([verb, false]);
    expect(answers.filter(([, text]) => text.includes('ghp_••••••')).length).toBeGreaterThan(6);
    const server = await open({ dir, reveal: true });
    expect((await session(server)).reveal).toBe(true);
    const shown = await post(server, 'show', { args: { task: id } });
    expect(JSON.stringify(shown)).toContain(SECRET);
  });

  test('nor in an error, nor in the stream', async () => {
    const server = await open({ dir });
    for (const body of [{ args: { task: SECRET } }, { options: { [SECRET]: true } }])
      expect(JSON.stringify(await post(server, 'show', body))).not.toContain(SECRET);
    const stop = new AbortController();
    const answer = await fetch(`http://127.0.0.1:${server.port}/api/stream?task=${id}`, {
      headers: { authorization: `Bearer ${server.key}` },
      signal: stop.signal,
    });
    const read = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!/event: tasks\n.*\n.*\n\n/.test(text)) text += (await read.read()).value;
    expect(text).toContain('ghp_••••••');
    expect(text).not.toContain(SECRET);
    stop.abort();
  });
});
