/** `tasks/{task}/state`: the task's state, with a checksum. */
import { InvalidStateError } from '../../../errors.ts';
import { phrase } from '../../../phrase.ts';
import { encode } from '../../../storage/serialize.ts';
import { stateKey } from '../../../task/keys.ts';
import { openState } from '../../../task/state.ts';
import type { RecordKind } from './kind.ts';

export const STATE: RecordKind = {
  category: 'tasks',
  key: stateKey('{task}'),
  travels: 'always',
  keeps: 'all',
  check(stored, task) {
    const { task_id } = openState(stored, encode);
    if (task_id === task) return;
    throw new InvalidStateError(phrase`The state of task ${task} belongs to task ${task_id}.`, {
      data: { task, found: task_id },
      hint: phrase`Export it again. Nothing was changed.`,
    });
  },
  change: (stored, { state }) => state(stored),
};
