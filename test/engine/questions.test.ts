/** Questions that any process may answer: the first answer counts, and everybody is told. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/api/context.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Question } from '../../src/engine/api/prompter.ts';
import type { Engine, EngineOptions, TaskHandle } from '../../src/engine/engine.ts';
import { decided } from '../../src/engine/questions/conflict.ts';
import type { OpenQuestion } from '../../src/engine/reading/questions.ts';
import { idOfWait } from '../../src/engine/task/records/questions.ts';
import { until } from '../support/until.ts';
import { reach } from './setup.ts';
import { onEachStore, type Store } from './stores.ts';

const TEXT = 'one\n2\n3\n4\n5\nsix\n7\n';
const OURS = TEXT.replace('one', 'ours').replace('six', 'ours too');
const THEIRS = TEXT.replace('one', 'theirs').replace('six', 'theirs too');

onEachStore((fresh) => {
  /** A task that writes a file whose same lines others have just changed. */
  const collide = async (
    { dir, open }: Store,
    options: EngineOptions = {},
  ): Promise<{ engine: Engine; handle: TaskHandle }> => {
    writeFileSync(join(dir, 'a.txt'), TEXT);
    const engine = await open({ workspace: true, questions: 'anywhere', ...options });
    const collides = defineTask('collides', async ({ files }: TaskContext) => {
      await files.read('a.txt');
      writeFileSync(join(dir, 'a.txt'), THEIRS);
      return (await files.write('a.txt', OURS)).status;
    });
    return { engine, handle: await engine.start(collides, undefined) };
  };

  const asked = async ({ reader }: Engine, task?: string): Promise<OpenQuestion> => {
    return until(async () => {
      const [first] = await reader.questions(task);
      return first ?? Promise.reject(new Error('nothing is asked'));
    });
  };

  test('another process answers what nobody here can, once', async () => {
    const store = await fresh();
    const told: string[] = [];
    const { handle } = await collide(store, { notify: (lines) => told.push(...lines) });
    const other = await store.open();
    const { id, task, kind, options, conflict, text, path } = await asked(other);
    expect({ task, kind, options, conflict, path }).toEqual({
      task: handle.id,
      kind: 'file_conflict',
      options: ['ours', 'theirs', 'leave'],
      conflict: true,
      path: 'a.txt',
    });
    expect(text).toBe('a.txt: the task and others changed the same lines. Which version should be kept?');
    expect(told).toContain(`Waiting for an answer: vibe-engine questions answer ${handle.id} ${id}`);
    await expect(other.answerQuestion(task, id, 'mine')).rejects.toMatchObject({
      code: 'USAGE',
      hint: 'Choose one of: ours, theirs, leave.',
    });
    const answers = await Promise.allSettled(
      ['ours', 'theirs', 'leave', 'ours'].map((value, n) =>
        other.answerQuestion(task, id, value, { by: `person ${n}` }),
      ),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const won = answers.findIndex(({ status }) => status === 'fulfilled');
    const value = ['ours', 'theirs', 'leave', 'ours'][won];
    for (const answer of answers)
      if (answer.status === 'rejected')
        expect(answer.reason).toMatchObject({
          code: 'QUESTION_ANSWERED',
          message: `person ${won} has already answered this question: ${value}.`,
          data: { by: `person ${won}`, value },
        });
    await handle.outcome;
    expect(readFileSync(join(store.dir, 'a.txt'), 'utf8')).toBe(value === 'ours' ? OURS : THEIRS);
    expect(await other.reader.questions()).toEqual([]);
    await expect(other.answerQuestion(task, id, 'ours')).rejects.toMatchObject({ code: 'QUESTION_ANSWERED' });
  });

  test('a conflict is resolved hunk by hunk, over the merge that the task uses', async () => {
    const store = await fresh();
    const { handle } = await collide(store);
    const other = await store.open();
    const { id, task } = await asked(other);
    const conflict = await other.reader.conflict(task, id);
    expect(conflict.merge.conflicts).toHaveLength(2);
    expect(() => decided(conflict, new Map([[1, 'ours']]))).toThrow(
      'Nothing is decided for conflict 2 of a.txt',
    );
    expect(() => decided(conflict, new Map([[3, 'ours']]))).toThrow('a.txt has no conflict 3');
    const markers = Buffer.from(conflict.merge.bytes);
    await expect(other.answerQuestion(task, id, markers)).rejects.toMatchObject({
      code: 'USAGE',
      message: 'This is no resolution of a.txt: markers left.',
    });
    const masked = Buffer.from(TEXT.replace('one', 'key = ••••••'));
    await expect(other.answerQuestion(task, id, masked)).rejects.toMatchObject({ code: 'USAGE' });
    const content = decided(
      conflict,
      new Map([
        [1, 'both'],
        [2, 'theirs'],
      ]),
    );
    await other.answerQuestion(task, id, content, { by: 'ann' });
    expect(await handle.result).toBe('resolved');
    const text = TEXT.replace('one\n', 'ours\ntheirs\n').replace('six', 'theirs too');
    expect(readFileSync(join(store.dir, 'a.txt'), 'utf8')).toBe(text);
    await expect(other.reader.conflict(task, id)).rejects.toMatchObject({ code: 'QUESTION_ANSWERED' });
  });

  test('a prompt here goes away when somebody else answers', async () => {
    const store = await fresh();
    const told: string[] = [];
    let gone = false;
    const prompter = {
      ask: (_: Question, signal?: AbortSignal) =>
        new Promise<string>((_resolve, reject) => {
          signal!.addEventListener('abort', () => {
            gone = true;
            reject(new Error('withdrawn'));
          });
        }),
    };
    const { handle } = await collide(store, { prompter, notify: (lines) => told.push(...lines) });
    const other = await store.open();
    const { id, task } = await asked(other);
    await other.answerQuestion(task, id, 'ours', { by: 'ann' });
    expect(await handle.result).toBe('resolved');
    expect([gone, told.at(-1)]).toEqual([true, 'Answered by ann: ours']);
  });

  test('who comes after the prompt here is told so', async () => {
    const store = await fresh();
    let answer: (value: string) => void = () => {};
    const prompter = { ask: () => new Promise<string>((resolve) => (answer = resolve)) };
    const { handle } = await collide(store, { prompter });
    const other = await store.open();
    const { id, task } = await asked(other);
    answer('theirs');
    await handle.outcome;
    await expect(other.answerQuestion(task, id, 'ours')).rejects.toMatchObject({
      code: 'QUESTION_ANSWERED',
      data: { value: 'theirs' },
    });
  });

  test('a question is closed with the process that asked it', async () => {
    const store = await fresh();
    const { engine, handle } = await collide(store);
    const other = await store.open();
    const { id, task } = await asked(other);
    const ended = handle.outcome;
    await engine.close();
    await ended;
    expect(await other.reader.questions()).toEqual([]);
    await expect(other.answerQuestion(task, id, 'ours')).rejects.toMatchObject({ code: 'QUESTION_CLOSED' });
    await expect(other.answerQuestion(task, 'q0', 'ours')).rejects.toMatchObject({ code: 'USAGE' });
  });

  const asks = defineTask('asks', async (task) => {
    const first = await task.waitFor<string>('user_input', { prompt: 'Which?' });
    const second = await task.waitFor<string>('human_approval', { prompt: 'Really?' });
    return [first, second];
  });

  test('a wait is listed, and takes one answer of many', async () => {
    const store = await fresh();
    const engine = await store.open();
    const { id, result } = await engine.start(asks, undefined);
    await reach(engine, id, 'waiting');
    const others = await Promise.all([1, 2, 3].map(() => store.open()));
    const [open] = await others[0]!.reader.questions();
    expect(open).toMatchObject({ id: '/wait#1', task: id, kind: 'wait', text: 'Which?', options: [] });
    const answers = await Promise.allSettled(
      others.map((other, n) => other.answer(id, n, { wait: '/wait#1', by: `person ${n}` })),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const won = answers.findIndex(({ status }) => status === 'fulfilled');
    await until(async () => expect((await engine.reader.questions(id))[0]?.text).toBe('Really?'));
    for (const other of others)
      await expect(other.answer(id, 'late', { wait: '/wait#1' })).rejects.toMatchObject({
        code: 'QUESTION_ANSWERED',
        data: { by: `person ${won}`, value: won },
      });
    expect((await engine.reader.questions(id))[0]!.options).toEqual(['yes', 'no']);
    await engine.answer(id, true);
    expect(await result).toEqual([won, true]);
  });

  test('who answers a wait of a task that has ended since is told who was faster', async () => {
    const engine = await (await fresh()).open();
    const asks = defineTask('asks', (task) => task.waitFor('user_input', { prompt: 'Which way?' }));
    const { id, result } = await engine.start(asks, undefined);
    await reach(engine, id, 'waiting');
    const wait = (await engine.waits(id))[0]!.id;
    await engine.answer(id, 'left', { wait, by: 'a tab' });
    await result;
    await expect(engine.answer(id, 'right', { wait, by: 'a terminal' })).rejects.toMatchObject({
      code: 'QUESTION_ANSWERED',
      message: 'a tab has already answered this question: left.',
    });
    await expect(engine.answer(id, 'right')).rejects.toMatchObject({ code: 'NOT_RESUMABLE' });
  });

  test('a wait whose answer was rolled back can be answered again', async () => {
    const store = await fresh();
    const engine = await store.open({ tasks: [asks] });
    const first = await engine.start(asks, undefined);
    const { id } = first;
    await reach(engine, id, 'waiting');
    await engine.pause(id);
    await first.outcome;
    const [wait] = await engine.waits(id);
    const checkpoint = (await engine.checkpoints.listCheckpoints(id)).at(-1)!.id;
    await engine.answer(id, 'left');
    const second = await engine.resume(id);
    await until(async () => expect((await engine.waits(id))[0]?.prompt).toBe('Really?'));
    await engine.pause(id);
    await second.outcome;
    await engine.rollback(checkpoint);
    expect((await engine.waits(id))[0]).toMatchObject({ id: wait!.id, asked_at: wait!.asked_at });
    const record = await engine.storage.load('questions', `${id}/${idOfWait(wait!.id, wait!.asked_at)}`);
    expect(record).toMatchObject({ wait: wait!.id, answer: { value: null } });
    await engine.answer(id, 'right');
    const third = await engine.resume(id);
    await until(async () => expect((await engine.waits(id))[0]?.prompt).toBe('Really?'));
    await engine.answer(id, true);
    expect(await third.result).toEqual(['right', true]);
  });
});
