/** What a task needs is not there any more: a tool, a variable, a file it read. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Question } from '../../src/engine/api/prompter.ts';
import { newRepository } from './file-world.ts';
import { checkpointsOf } from './letters.ts';
import { reach } from './setup.ts';
import { everythingIn, onEachStore, type Store } from './stores.ts';

const NEEDED = 'VIBE_TEST_NEEDED';
afterEach(() => {
  delete process.env[NEEDED];
});

function answering(answer: string) {
  const asked: Question[] = [];
  const ask = async (question: Question): Promise<string> => {
    asked.push(question);
    return answer;
  };
  return { asked, ask };
}

/** Two steps and a question; from its second version on it needs a variable. */
function deploys(log: string[], version: number) {
  return defineTask(
    'deploys',
    async (task) => {
      await task.step('build', () => void log.push(`build ${version}`));
      await task.waitFor('user_input');
      await task.step('sign in', () => void log.push(`sign in ${version}`));
      await task.waitFor('user_input');
      return log.length;
    },
    version === 1 ? {} : { env_requirements: { [`env:${NEEDED}`]: 'set' } },
  );
}

/** Paused at the second question; what it needs is gone since. */
async function needy(store: Store, log: string[]) {
  let engine = await store.open({ tasks: [deploys(log, 1)] });
  const { id } = await engine.start(deploys(log, 1), undefined);
  await reach(engine, id, 'waiting');
  await engine.close();
  process.env[NEEDED] = 'here';
  engine = await store.open({ tasks: [deploys(log, 2)] });
  await engine.answer(id, 'on');
  const { outcome } = await engine.resume(id);
  await expect.poll(() => log).toContain('sign in 2');
  await reach(engine, id, 'waiting');
  await engine.pause(id);
  await outcome;
  delete process.env[NEEDED];
  return { id, engine };
}

onEachStore(
  (fresh) => {
    test('an older checkpoint that can do without is offered, and nothing is changed unasked', async () => {
      const log: string[] = [];
      const { id, engine } = await needy(await fresh(), log);
      const before = await everythingIn(engine.storage);
      await expect(engine.resume(id)).rejects.toMatchObject({
        code: 'NEEDS_ANSWER',
        message: expect.stringContaining(NEEDED),
        hint: expect.stringContaining('go_back'),
      });
      const stays = answering('abort');
      await expect(engine.resume(id, { prompter: stays })).rejects.toMatchObject({
        code: 'ENVIRONMENT_CHANGED',
      });
      expect(stays.asked).toMatchObject([{ kind: 'environment', options: ['continue', 'go_back', 'abort'] }]);
      expect(await everythingIn(engine.storage)).toEqual(before);
    });

    test('where no checkpoint can do without, going back is not possible, and that is said', async () => {
      const store = await fresh();
      process.env[NEEDED] = 'here';
      const engine = await store.open({ tasks: [deploys([], 2)] });
      const { id, outcome } = await engine.start(deploys([], 2), undefined);
      await reach(engine, id, 'waiting');
      await engine.pause(id);
      await outcome;
      delete process.env[NEEDED];
      await expect(engine.resume(id, { on_environment: 'go_back' })).rejects.toMatchObject({
        code: 'NEEDS_ANSWER',
        message: expect.stringContaining('There is no older checkpoint to go back to.'),
        hint: expect.stringContaining('--on-environment: continue, abort'),
      });
    });

    test('going back resumes there, and what came after is done again', async () => {
      const log: string[] = [];
      const { id, engine } = await needy(await fresh(), log);
      const ids = await checkpointsOf(engine, id);
      const older = (await engine.checkpoints.listCheckpoints(id)).findLast(
        ({ recovery_info }) => Object.keys(recovery_info.env_requirements).length === 0,
      )!;
      expect(ids.indexOf(older.id)).toBeLessThan(ids.length - 1);
      const asked = answering('go_back');
      const { result } = await engine.resume(id, { prompter: asked });
      expect(asked.asked[0]!.message).toContain(older.id);
      await reach(engine, id, 'waiting');
      for (let answers = 0; answers < 2; answers++) {
        await expect
          .poll(async () => (await engine.waits(id)).filter((one) => !one.answered))
          .toHaveLength(1);
        await engine.answer(id, 'on');
      }
      await result;
      expect(log).toEqual(['build 1', 'sign in 2', 'sign in 2']);
    });

    test('the setting decides where nobody can be asked; going on is a choice, too', async () => {
      const log: string[] = [];
      const store = await fresh();
      const { id, engine } = await needy(store, log);
      await engine.close();
      const config = { ...store.config, recovery: { on_environment: 'continue' as const } };
      const other = await store.open({ tasks: [deploys(log, 2)], config });
      const { result } = await other.resume(id);
      await other.answer(id, 'on');
      expect(await result).toBe(2);
    });

    /** Reads one file and writes another, then waits. */
    const reads = defineTask('reads', async (task) => {
      const text = await task.files.read('spec.txt');
      await task.files.write('out.txt', `of ${text}`);
      await task.waitFor('user_input');
      return task.files.read('spec.txt');
    });
    const read = async (store: Store, lines: string[] = []) => {
      newRepository(store.dir, { 'spec.txt': 'the spec\n' });
      const notify = (more: readonly string[]) => lines.push(...more);
      const engine = await store.open({ tasks: [reads], workspace: true, notify });
      const { id, outcome } = await engine.start(reads, undefined);
      await reach(engine, id, 'waiting');
      await engine.pause(id);
      await outcome;
      return { id, engine, spec: join(store.dir, 'spec.txt') };
    };

    test('a file it read and that is gone is asked about, and comes back', async () => {
      const { id, engine, spec } = await read(await fresh());
      rmSync(spec);
      await expect(engine.resume(id)).rejects.toMatchObject({
        code: 'NEEDS_ANSWER',
        message: expect.stringContaining('spec.txt'),
      });
      expect(existsSync(spec)).toBe(false);
      const newest = (await checkpointsOf(engine, id)).at(-1)!;
      expect(await engine.checkpoints.validateCheckpoint(newest)).toMatchObject({
        valid: false,
        environmental: { filesUnchanged: false },
      });
      const asked = answering('restore');
      const { result } = await engine.resume(id, { prompter: asked });
      expect(asked.asked).toMatchObject([{ kind: 'file_deleted', options: ['restore', 'skip', 'abort'] }]);
      expect(readFileSync(spec, 'utf8')).toBe('the spec\n');
      await engine.answer(id, 'on');
      expect(await result).toBe('the spec\n');
    });

    test('a file it read and that others changed is theirs: it is told', async () => {
      const lines: string[] = [];
      const { id, engine, spec } = await read(await fresh(), lines);
      writeFileSync(spec, 'another spec\n');
      const { result } = await engine.resume(id);
      expect(lines.join('\n')).toContain('Changed since the task read them: spec.txt.');
      await engine.answer(id, 'on');
      expect(await result).toBe('another spec\n');
    });

    test('a queued task stays in the queue until what it needs is there, or somebody does without', async () => {
      const log: string[] = [];
      const engine = await (await fresh()).open({ tasks: [deploys(log, 2)] });
      const first = await engine.enqueue(deploys(log, 2), undefined);
      const second = await engine.enqueue(deploys(log, 2), undefined);
      const before = await everythingIn(engine.storage);
      const told: unknown[] = [];
      const stop = engine.on('run.ended', ({ task, outcome, error }) =>
        told.push([task, outcome, (error as Error).message]),
      );
      await engine.work();
      stop();
      const message = expect.stringContaining(NEEDED);
      expect(told).toEqual([first, second].map((id) => [id, 'stopped', message]));
      await expect(engine.resume(first)).rejects.toMatchObject({ code: 'ENVIRONMENT_CHANGED', message });
      expect([log, await everythingIn(engine.storage)]).toEqual([[], before]);
      await engine.resume(first, { on_environment: 'continue' });
      await reach(engine, first, 'waiting');
      process.env[NEEDED] = 'here';
      const worked = engine.work();
      await reach(engine, second, 'waiting');
      expect(log).toEqual(['build 2', 'build 2']);
      for (const id of [first, second]) await engine.pause(id);
      await worked;
    });
  },
  ['json'],
);
