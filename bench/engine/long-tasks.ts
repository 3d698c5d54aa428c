/** Tasks with much behind them; `then` is where those that record them stop, and those that resume them begin. */
import { defineTask, type TaskContext, type TaskDefinition } from '../../src/index.ts';
import { nextText } from '../storage/payloads.ts';
import { takeTurns } from './turns.ts';

type Then = (task: TaskContext) => Promise<void>;

const RECORDED = 10_000;

export const LONG_TASKS = {
  /** Steps of 1 KB each. */
  steps: (then: Then): TaskDefinition<void> =>
    defineTask<void>(
      'steps',
      async (task) => {
        for (let i = 0; i < RECORDED; i++) await task.step('step', nextText);
        await then(task);
      },
      { version: '1' },
    ),
  /** Turns of 6 KB each: 60 MB of context. */
  turns: (then: Then): TaskDefinition<void> =>
    defineTask<void>(
      'turns',
      async (task) => {
        await takeTurns(task, RECORDED);
        await then(task);
      },
      { version: '1' },
    ),
};

export type LongTask = keyof typeof LONG_TASKS;
