/** The full output of a task: in its state a large one is a reference to a blob. */
import type { Config } from '../../config/types.ts';
import { InvalidInputError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import { packer } from './packing.ts';
import { requireTask } from './tasks.ts';

export async function readOutput(storage: Storage, config: Config, task: string): Promise<unknown> {
  const { head, state } = await requireTask(storage, task);
  if (state.status === 'completed') return packer(storage, head, config).unpack(state.data.final_output);
  throw new InvalidInputError(
    'USAGE',
    phrase`Task "${state.task_name}" (${task}) is ${state.status}: it has no output.`,
    {
      data: { task, status: state.status },
      hint: phrase`Ask again when it is completed.`,
    },
  );
}
