/** Finishes what a dead process had started with a task's files, so that the task matches its files. */
import type { Claim } from '../../storage/contract.ts';
import type { FileChoices } from '../files/choices.ts';
import { cannotTakeBack, isLostFile } from '../files/lost.ts';
import { loadHead } from '../task/records/head.ts';
import {
  loadUnfinished,
  rollbackFinished,
  type Unfinished,
  verbOf,
} from '../task/records/rollback-in-progress.ts';
import type { RollbackServices } from './commit-rollback.ts';
import { redo } from './redo.ts';
import { rollBack } from './rollback.ts';
import type { Finished } from './rollback-results.ts';
import { take } from './take.ts';

/**
 * Null if nothing was started. `choices` apply where nothing had been chosen then. `whole`: the task runs next, so a file
 * that cannot be put back is an error; its edit would be made twice.
 */
export async function finishRollback(
  services: RollbackServices,
  claim: Claim,
  choices: FileChoices = {},
  whole = false,
): Promise<Finished | null> {
  const begun = await loadUnfinished(services.storage, claim.task);
  const head = begun && (await loadHead(services.storage, claim.task));
  if (!head || !(await services.workingDirectories.of(head)).workspace) return null;
  const verb = verbOf(begun);
  const given = choicesOf(begun, choices);
  if (verb === 'take') return { verb, result: await take(services, claim, begun.take!.from, given, begun) };
  if (verb === 'redo') return { verb, result: await redo(services, claim, given, begun) };
  const { checkpoint, cut, reason = '', only } = begun;
  const to = cut ? { cut, reason } : { checkpoint: checkpoint! };
  try {
    const result = await rollBack(
      services,
      claim,
      to,
      { ...given, whole, ...(only ? { only } : {}) },
      { begun },
    );
    return { verb, result };
  } catch (error) {
    if (!isLostFile(error)) throw error;
    if (choices.on_modified !== 'use_current') throw cannotTakeBack(claim.task, error);
    await services.storage.commit({
      task: claim.task,
      fence: claim.fence,
      records: rollbackFinished(claim.task),
    });
    return null;
  }
}

function choicesOf({ on_modified, on_deleted }: Unfinished, given: FileChoices): FileChoices {
  return {
    ...given,
    on_modified: on_modified === 'ask' ? (given.on_modified ?? 'ask') : on_modified,
    on_deleted: on_deleted === 'ask' ? (given.on_deleted ?? 'ask') : on_deleted,
  };
}
