/** Resuming past real damage: the journal, blobs, the state; with files, in a repository. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { newRepository } from './file-world.ts';
import { finish, letters, liveOf, pausedAtQuestion, stepsOf, untilStatus } from './letters.ts';
import { collect, onEachStore } from './stores.ts';

/** Large enough to be a blob. */
const large = (letter: string): string => letter.repeat(20_000);

/** A step for each letter whose result is large, a message about it, then a question. */
const bulky = (log: string[], talk = true) =>
  defineTask('bulky', async (task, text: string) => {
    let done = '';
    for (const letter of text) {
      const result = await task.step(letter, () => {
        log.push(letter);
        return large(letter);
      });
      done += result[0];
      if (talk) await task.message('assistant', `said ${large(letter)}`);
    }
    const { messages } = await task.context();
    const end = await task.waitFor<string>('user_input', { prompt: 'enough?' });
    return `${done}${end} ${messages.length}`;
  });

async function blobsOf({ storage }: Engine, task: string, kind: string): Promise<string[]> {
  const all = await collect(storage.listBlobs(task));
  return all.map(({ id }) => id).filter((id) => id.startsWith(`${kind}/`));
}

/** The blob that holds what a step came to. */
async function resultOf(engine: Engine, task: string, step: string): Promise<string> {
  const live = await liveOf(engine, task);
  const entry = live.find(({ entry }) => entry.t === 'step' && entry.name === step)?.entry;
  return JSON.stringify(entry).match(/step_results\/[0-9a-f]{64}/)![0];
}

onEachStore((fresh) => {
  test('a damaged journal, where files are known: what is damaged is kept, and the task goes on', async () => {
    const store = await fresh();
    newRepository(store.dir, { 'a.txt': 'a\n' });
    let engine = await store.open({ workspace: true });
    const task = await pausedAtQuestion(engine, letters([]), 'abcd');
    const step = (await liveOf(engine, task)).find(({ entry }) => entry.t === 'step' && entry.name === 'c')!;
    await engine.close();
    await store.damageEntry(task, step.seq);

    const [log, lines]: [string[], string[]] = [[], []];
    const notify = (more: readonly string[]) => void lines.push(...more);
    engine = await store.open({ workspace: true, tasks: [letters(log)], notify });
    expect(await finish(engine, task)).toBe('abcd!');
    expect(log).toEqual(['c', 'd']);
    expect(lines.join('\n')).toMatch(/The journal was damaged after entry \d+.* is kept in \S/);
    expect(await stepsOf(engine, task)).toEqual(['a', 'b', 'c', 'd']);
    // The checkpoints behind the damage are out of the lists, and in the store.
    expect((await engine.storage.list('aside')).length).toBeGreaterThan(0);
  });

  test('a record of its place in git that is not whole is made again', async () => {
    const store = await fresh();
    newRepository(store.dir, { 'a.txt': 'a\n' });
    const lines: string[] = [];
    const notify = (more: readonly string[]) => void lines.push(...more);
    const first = await store.open({ workspace: true });
    const task = await pausedAtQuestion(first, letters([]), 'ab');
    const key = `${task}/versions`;
    const whole = await first.storage.load('tasks', key);
    await first.storage.commit({ task, records: [{ category: 'tasks', key, data: {} }] });
    await first.close();
    const log: string[] = [];
    const engine = await store.open({ workspace: true, tasks: [letters(log)], notify });
    expect(await finish(engine, task)).toBe('ab!');
    expect(log).toEqual([]);
    expect(lines.join('\n')).toContain("The record of the task's place in git was damaged");
    expect(Object.keys((await engine.storage.load('tasks', key)) as object)).toEqual(
      Object.keys(whole as object),
    );
  });

  test('a result that is gone: the task goes back to before it, and no further', async () => {
    const store = await fresh();
    const [log, lines]: [string[], string[]] = [[], []];
    const notify = (more: readonly string[]) => void lines.push(...more);
    const engine = await store.open({ tasks: [bulky(log)], notify });
    const task = await pausedAtQuestion(engine, bulky(log), 'abcd');
    const before = (await collect(engine.storage.read(task))).length;
    await engine.storage.deleteBlobs(task, [await resultOf(engine, task, 'c')]);
    log.length = 0;
    expect(await finish(engine, task)).toBe('abcd! 4');
    expect(log).toEqual(['c', 'd']);
    expect(lines.join('\n')).toMatch(/The result of step c is lost \(blob step_results\/\w+\)/);
    // Nothing was deleted: what it went back past is in the journal.
    expect((await collect(engine.storage.read(task))).length).toBeGreaterThan(before);
  });
});

describe('what nobody needs to go on', () => {
  onEachStore(
    (fresh) => {
      test('may be gone: words that were trimmed from the conversation', async () => {
        const store = await fresh();
        const [log, lines]: [string[], string[]] = [[], []];
        const config = { ...store.config, checkpoints: { keep_messages: 1 } };
        const notify = (more: readonly string[]) => void lines.push(...more);
        const engine = await store.open({ tasks: [bulky(log)], config, notify });
        const task = await pausedAtQuestion(engine, bulky(log), 'abc');
        const said = await blobsOf(engine, task, 'messages');
        const newest = (await liveOf(engine, task)).findLast(({ entry }) => entry.t === 'message')!;
        const older = said.filter((id) => !JSON.stringify(newest.entry).includes(id));
        expect(older).toHaveLength(2);
        await engine.storage.deleteBlobs(task, older);
        log.length = 0;
        expect(await finish(engine, task)).toBe('abc! 2');
        expect(log).toEqual([]);
        expect(lines.join('\n')).toMatch(/but are not needed to resume: messages\//);
      });

      test('but what the agent is handed is said again', async () => {
        const store = await fresh();
        const log: string[] = [];
        const engine = await store.open({ tasks: [bulky(log)] });
        const task = await pausedAtQuestion(engine, bulky(log), 'abc');
        const second = (await liveOf(engine, task)).filter(({ entry }) => entry.t === 'message')[1]!;
        const [id] = JSON.stringify(second.entry).match(/messages\/[0-9a-f]{64}/)!;
        await engine.storage.deleteBlobs(task, [id]);
        log.length = 0;
        expect(await finish(engine, task)).toBe('abc! 3');
        expect(log).toEqual(['c']);
      });

      test('a state that is not whole is made again from the journal', async () => {
        const store = await fresh();
        const log: string[] = [];
        const engine = await store.open({ tasks: [letters(log)] });
        const task = await pausedAtQuestion(engine, letters(log), 'ab');
        const key = `${task}/state`;
        const data = { ...((await engine.storage.load('tasks', key)) as object), updated_at: 'once' };
        await engine.storage.commit({ task, records: [{ category: 'tasks', key, data }] });
        log.length = 0;
        expect(await finish(engine, task)).toBe('ab!');
        expect(log).toEqual([]);
      });

      test('a state that is missing is made again, a head cannot be', async () => {
        const store = await fresh();
        const log: string[] = [];
        const engine = await store.open({ tasks: [letters(log)] });
        const task = await pausedAtQuestion(engine, letters(log), 'ab');
        const remove = (key: string) =>
          engine.storage.commit({ task, records: [{ category: 'tasks', key, remove: true }] });
        await remove(`${task}/state`);
        log.length = 0;
        await expect(engine.history(task)).rejects.toMatchObject({
          code: 'CORRUPT',
          hint: expect.stringContaining(`vibe-engine resume ${task}`),
        });
        expect(await finish(engine, task)).toBe('ab!');
        expect(log).toEqual([]);
        await remove(`${task}/head`);
        await expect(engine.resume(task)).rejects.toMatchObject({
          code: 'CORRUPT',
          message: expect.stringContaining('head'),
        });
      });

      test('what the task was given is nowhere else: said in a sentence', async () => {
        const store = await fresh();
        const engine = await store.open({ tasks: [letters([])] });
        const { id } = await engine.start(letters([]), large('a'), {});
        await untilStatus(engine, id, 'in_progress');
        await engine.close();
        const again = await store.open({ tasks: [letters([])] });
        await again.storage.deleteBlobs(id, await blobsOf(again, id, 'inputs'));
        await expect(again.resume(id)).rejects.toMatchObject({
          code: 'CORRUPT',
          message: expect.stringMatching(/^The input of task .* is lost/),
        });
      });
    },
    ['json'],
  );
});

describe('JSON', () => {
  onEachStore(
    (fresh) => {
      test('a log that is gone: the records have their files, and the task begins again', async () => {
        const store = await fresh();
        let engine = await store.open();
        const task = await pausedAtQuestion(engine, letters([]), 'ab');
        await engine.close();
        const dir = join(store.dir, '.vibe-engine');
        writeFileSync(join(dir, 'tasks', task, 'journal.log'), '');
        writeFileSync(join(dir, 'records.log'), 'not a log\n');
        const log: string[] = [];
        engine = await store.open({ tasks: [letters(log)] });
        expect(await engine.tasks()).toMatchObject([{ task_id: task, status: 'paused' }]);
        expect(await finish(engine, task)).toBe('ab!');
        expect(log).toEqual(['a', 'b']);
      });

      test('the records outside tasks, and which store it is: where files are known, too', async () => {
        const store = await fresh();
        let engine = await store.open({ workspace: true });
        const task = await pausedAtQuestion(engine, letters([]), 'ab');
        await engine.close();
        const dir = join(store.dir, '.vibe-engine');
        writeFileSync(join(dir, 'records.log'), 'not a log\n');
        writeFileSync(join(dir, 'snapshots', 'store.json'), '');
        const lines: string[] = [];
        const notify = (more: readonly string[]) => void lines.push(...more);
        engine = await store.open({ workspace: true, tasks: [letters([])], notify });
        expect(await finish(engine, task)).toBe('ab!');
        expect(lines.join('\n')).toMatch(/The records outside tasks were damaged.* is kept in \S/);
      });
    },
    ['json'],
  );
});
