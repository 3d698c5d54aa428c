/** A task of as many steps as its input has letters, and what tests ask about its history. */
import { expect } from 'vitest';
import type { CheckpointRecord } from '../../src/checkpoint/record/record.ts';
import type { TaskContext } from '../../src/engine/api/context.ts';
import { defineTask, type TaskDefinition } from '../../src/engine/api/definition.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { liveCheckpoints } from '../../src/engine/history/checkpoints.ts';
import { type LiveEntry, liveEntries } from '../../src/engine/task/journal.ts';
import { loadHead } from '../../src/engine/task/records/head.ts';
import { checkpointId } from '../../src/task/keys.ts';
import { until } from '../support/until.ts';
import { collect } from './stores.ts';

/** A message, a step and a variable for each letter, then a question; `log` has the steps that ran. */
export function letters(log: string[]): TaskDefinition<string, string> {
  const run = async (task: TaskContext, text: string): Promise<string> => {
    let done = '';
    for (const letter of text) {
      await task.message('user', `next is ${letter}`);
      done += await task.step(letter, () => {
        log.push(letter);
        return letter;
      });
      await task.set('done', done);
    }
    const end = await task.waitFor<string>('user_input', { prompt: 'enough?' });
    return done + end;
  };
  return defineTask('letters', run, { version: '1' });
}

/** Runs it until it asks, then pauses it; answers its id. */
export async function pausedAtQuestion(
  engine: Engine,
  definition: TaskDefinition<string, string>,
  text: string,
) {
  const { id, outcome } = await engine.start(definition, text);
  await untilStatus(engine, id, 'waiting');
  await engine.pause(id);
  expect(await outcome).toMatchObject({ status: 'paused' });
  return id;
}

/** Resumes it, answers its question, and gives its output. */
export async function finish(engine: Engine, task: string, answer = '!'): Promise<unknown> {
  const { result } = await engine.resume(task);
  await engine.answer(task, answer);
  return result;
}

/** Usable outside tests too. */
export async function untilStatus(engine: Engine, task: string, status: string): Promise<void> {
  const look = async (): Promise<void> => {
    if ((await engine.state(task))?.status !== status) throw new Error(`${task} is not ${status}`);
  };
  await until(look);
}

export async function checkpointsOf(engine: Engine, task: string): Promise<string[]> {
  const places = await liveCheckpoints(engine.storage, task);
  return places.map(({ sequence }) => checkpointId(task, sequence));
}

/** Oldest first. */
export async function recordsOf({ storage }: Engine, task: string): Promise<CheckpointRecord[]> {
  const places = await liveCheckpoints(storage, task);
  return Promise.all(places.map((place) => place.read()));
}

/** The checkpoint that was made right after a step. */
export async function checkpointAfter(engine: Engine, task: string, step: string): Promise<string> {
  const records = await recordsOf(engine, task);
  return records.find((record) => record.step_name === step && record.trigger === 'after_step')!.id;
}

/** The checkpoints that were made before dangerous operations. */
export async function checkpointsBefore(engine: Engine, task: string): Promise<string[]> {
  const records = await recordsOf(engine, task);
  return records.filter(({ trigger }) => trigger.startsWith('before_')).map(({ id }) => id);
}

export async function stepsOf(engine: Engine, task: string): Promise<string[]> {
  return (await engine.history(task)).steps.map(({ name }) => name);
}

export async function liveOf(engine: Engine, task: string): Promise<LiveEntry[]> {
  return collect(liveEntries(engine.storage, (await loadHead(engine.storage, task))!));
}

/** All that counts of a task; `redo` entries, which say no more than that a rollback was undone, left out. */
export async function outlineOf(engine: Engine, task: string): Promise<unknown> {
  const live = (await liveOf(engine, task)).filter(({ entry }) => entry.t !== 'redo');
  const records = await recordsOf(engine, task);
  const { status, data } = (await engine.state(task))!;
  return { live, records, status, data };
}
