/** Takes a task back in order to run it again from there: its own later changes to files go first, or they were made twice. */
import { phrase } from '../../phrase.ts';
import type { Claim } from '../../storage/contract.ts';
import { lstat } from '../../system/io.ts';
import { LEFT } from '../files/put-back.ts';
import type { FileNotes } from '../files/workspace-link.ts';
import { checkEnvironment, type RecoveryOptions } from '../recovery/recover.ts';
import { rollBack } from '../recovery/rollback.ts';
import { type Destination, planOf } from '../recovery/rollback-plan.ts';
import type { BackResult } from '../recovery/rollback-results.ts';
import { refuseStillRunning } from '../run/still-running.ts';
import type { RunServices } from './runs.ts';

/** Whatever may refuse comes before the first change. Answers what is to be told. */
export async function takeBack(
  host: RunServices,
  claim: Claim,
  to: Destination,
  options: RecoveryOptions,
): Promise<readonly string[]> {
  const { task } = claim;
  const planned = await planOf(host.storage, task, to);
  const { from, point, reference, seen, files: known } = planned;
  if (seen.damage) throw seen.damage;
  const { head } = from;
  await refuseStillRunning(host.storage, head, seen.all);
  // A directory that is missing is for the check of the environment to tell.
  const isThere = lstat(head.working_dir)?.isDirectory() ?? false;
  const plan = isThere
    ? ((await host.workspace.previewRollback?.(task, point, { known, whole: true })) ?? [])
    : [];
  const undone = new Set(plan.map(({ path }) => path));
  const outside = reference
    ? await checkEnvironment(host, head, reference, {
        ...options,
        except: undone,
        reads: seen.kept.reads,
        known,
      })
    : null;
  const { on_modified, on_deleted, files, prompter } = options;
  const back = {
    ...(on_modified ? { on_modified } : {}),
    ...(on_deleted ? { on_deleted } : {}),
    ...(files ? { files } : {}),
    ...(prompter ? { prompter } : {}),
    ...(plan.some(({ action }) => action !== 'keep') ? {} : { only: 'state' as const }),
  };
  const notes: string[] = [];
  let before: string | undefined;
  // It may refuse as well: what others changed is dealt with when its files are back, and before the task is.
  const result = await rollBack(
    host,
    claim,
    to,
    {
      ...back,
      as_recorded: true,
      whole: true,
      async also(files) {
        before = files?.undo.split('..')[0];
        const applied = await outside?.apply();
        notes.push(...(applied?.notes ?? []));
        return applied?.snapshot;
      },
    },
    { planned },
  );
  return [...notes, ...told(result, before, head.files_undone !== undefined)];
}

/** `undone`: the task's changes had been taken back by hand, and those up to where it goes on from are there again. */
function told({ files, notes }: BackResult, before: string | undefined, undone: boolean): string[] {
  const was = before === undefined ? '' : ` ${phrase`What was there: vibe-engine files ${before}`}`;
  const line = undone
    ? phrase`Brought back first, since the task resumes from there: ${files}.`
    : phrase`Taken back first, since it is done again: ${files}.`;
  return [...(files && files.length > 0 ? [`${line}${was}`] : []), ...leftLines(notes)];
}

/** What was not put back, and what somebody saved in that moment. */
export function leftLines({ left, displaced }: FileNotes): string[] {
  return [
    ...left.map(({ path, why }) => phrase`${path} was left as it is: ${LEFT[why] ?? why}.`),
    ...displaced.map(({ path, blob }) => phrase`${path} was saved meanwhile: kept as ${blob}.`),
  ];
}
