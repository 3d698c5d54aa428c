/** Checkpoints: whole, at places the journal has, in bounds, first and last kept. */

import { liveCheckpoints } from '../../src/engine/history/checkpoints.ts';
import type { TaskHistory } from '../../src/engine/history/history.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { sequenceOfKey } from '../../src/task/keys.ts';
import type { Kept } from './judge.ts';

/** `cleanup.max_per_task` unless configured. */
const MOST = 20;

export async function judgeCheckpoints(
  storage: Storage,
  { execution_id: task, checkpoints }: TaskHistory,
  journal: readonly Kept[],
): Promise<string[]> {
  const problems: string[] = [];
  const places = await liveCheckpoints(storage, task);
  const numbers = places.map(({ sequence }) => sequence);
  const isAscending = numbers.every((n, i) => i === 0 || n > numbers[i - 1]!);
  if (!isAscending || numbers[0] !== 1 || numbers.length > MOST || numbers.length !== checkpoints.length)
    problems.push(`the checkpoints have the numbers ${numbers}`);
  for (const { key, sequence, read } of places) {
    const record = await read();
    const there = journal[record.journal.seq - 1];
    if ((key !== null && sequenceOfKey(key) !== sequence) || there?.hash !== record.journal.hash)
      problems.push(
        `checkpoint ${sequence} is at no place of the journal: ${JSON.stringify(record.journal)}`,
      );
    if (sequence === numbers.at(-1) && (record.state.status !== 'completed' || record.trigger !== 'end'))
      problems.push(`the last checkpoint is of ${record.trigger}, with the task ${record.state.status}`);
  }
  return problems;
}
