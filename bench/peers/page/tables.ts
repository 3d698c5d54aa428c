/** What each table shows and how it was measured, in words. */
import type { Results, TableId } from '../results.ts';

export interface Description {
  readonly title: string;
  readonly unit: string;
  readonly better: 'higher' | 'lower';
  /** Of the one that is better; default: as fast. */
  readonly as?: 'as small';
  how(sizes: Results['sizes']): string;
}

const TURN =
  'a message of 1 KB from the user, one of 1 KB from the assistant, a tool output of 4 KB, all random text';

export const DESCRIPTIONS: Readonly<Record<TableId, Description>> = {
  'steps-1': {
    title: 'Steps of one task',
    unit: 'steps/s',
    better: 'higher',
    how: ({ stepsOfOne }) =>
      `One task of ${stepsOfOne} steps, one after another; each answers 1 KB, which has to be stored before the next step begins. From the first step to the last; starting the task is not counted.`,
  },
  'steps-16': {
    title: 'Steps of 16 tasks',
    unit: 'steps/s',
    better: 'higher',
    how: ({ stepsOfMany }) =>
      `16 such tasks of ${stepsOfMany} steps at once in one process, from when all have begun until the last step of all.`,
  },
  growth: {
    title: 'Size of a long conversation',
    unit: '× payload',
    better: 'lower',
    as: 'as small',
    how: ({ turns }) =>
      `${count(turns)} turns of one task: ${TURN}. All bytes that the store has more afterwards, relative to the 6 KB of a turn; files at their most, open or closed; databases by \`pg_database_size\`. Measured once. Where there are only steps, a turn is three.`,
  },
  load: {
    title: 'Loading that conversation',
    unit: 'ms',
    better: 'lower',
    how: () =>
      'The whole conversation of the table above, by a process that did not write it, with its modules loaded.',
  },
  recovery: {
    title: 'Recovery after kill -9',
    unit: 'ms',
    better: 'lower',
    how: ({ stepsToRecover }) =>
      `A task of ${stepsToRecover} steps kills its process by SIGKILL in the middle of step ${stepsToRecover >> 1}. From starting the next process, Node and imports included, until a step runs in it. The step that was in flight runs again everywhere: nobody can know whether it was done.`,
  },
  'snapshot-first': {
    title: 'First snapshot of a work tree',
    unit: 'ms',
    better: 'lower',
    how: ({ files }) =>
      `A generated git repository of ${count(files)} files, clean, the page cache warm. Ours refers to what git has; the shadow is an empty git directory that takes in every file.`,
  },
  'snapshot-same': {
    title: 'Next snapshot, nothing changed',
    unit: 'ms',
    better: 'lower',
    how: () =>
      'The same tree. In a new process: from opening store and workspace, without starting Node and loading modules. Git is a new process each time.',
  },
  'snapshot-ten': {
    title: 'Next snapshot, 10 files changed',
    unit: 'ms',
    better: 'lower',
    how: () => 'The same tree, in the same process, without a watch.',
  },
  'snapshot-watched': {
    title: 'Next snapshot, 10 files changed, watched',
    unit: 'ms',
    better: 'lower',
    how: () => 'The same with the watch, as while a task runs.',
  },
  'restore-ten': {
    title: 'Restoring 10 files',
    unit: 'ms',
    better: 'lower',
    how: () =>
      'The same tree, without a watch: a snapshot of what is there, then 10 files as they were. Shadow git: `git add -A`, `git commit`, `git restore` of those paths.',
  },
  'merge-source': {
    title: 'Merging source text',
    unit: 'ms',
    better: 'lower',
    how: ({ mergedLines }) =>
      `A file of ${count(mergedLines)} lines, a fifth of them common ones, with ${count(Math.ceil(mergedLines / 100))} edits a side; from bytes to bytes.`,
  },
  'merge-braces': {
    title: 'Merging lines that are all alike',
    unit: 'ms',
    better: 'lower',
    how: ({ mergedLines }) =>
      `Three files of ${count(Math.ceil(mergedLines / 5))} lines, each \`}\` or blank at random: the hardest there is.`,
  },
  'merge-real': {
    title: 'Merging what people merged',
    unit: 'ms',
    better: 'lower',
    how: ({ realMerges }) =>
      `Up to ${count(realMerges)} files of real merge commits that both sides had changed, all of them one after another.`,
  },
};

export function count(value: number): string {
  return value.toLocaleString('en-US');
}
