/**
 * Rolls a task back in order to run it again from there: its own later changes to files are undone first, or they would be
 * made twice.
 */
import { phrase } from '../../phrase.ts';
import type { Claim } from '../../storage/contract.ts';
import { lstat } from '../../system/io.ts';
import { LEFT } from '../files/put-back.ts';
import type { FileNotes } from '../files/workspace-link.ts';
import { checkEnvironment, type RecoveryOptions, type TakenBack } from '../recovery/recover.ts';
import { rollBack } from '../recovery/rollback.ts';
import { type Destination, planOf } from '../recovery/rollback-plan.ts';
import type { BackResult } from '../recovery/rollback-results.ts';
import { servicesAt } from '../run/services.ts';
import { refuseStillRunning } from '../run/still-running.ts';
import type { RunServices } from './runs.ts';

/** Everything that may refuse comes before the first change. */
export async function takeBack(
  services: RunServices,
  claim: Claim,
  to: Destination,
  options: RecoveryOptions,
): Promise<TakenBack> {
  const { task } = claim;
  const planned = await planOf(services.storage, task, to);
  const { from, point, reference, seen, files: known } = planned;
  if (seen.damage) throw seen.damage;
  const { head } = from;
  await refuseStillRunning(services.storage, head, seen.all);
  // The check of the environment reports a missing directory.
  const isThere = lstat(head.working_dir)?.isDirectory() ?? false;
  const here = await servicesAt(services, head);
  const plan = isThere
    ? ((await here.workspace?.previewRollback(task, point, { known, whole: true })) ?? [])
    : [];
  const undone = new Set(plan.map(({ path }) => path));
  const outside = reference
    ? await checkEnvironment(here, head, reference, {
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
  // It may refuse as well: changes of others are handled once the files are restored, and before the task is rolled back.
  const result = await rollBack(
    services,
    claim,
    to,
    {
      ...back,
      as_recorded: true,
      whole: true,
      async also(files) {
        before = files?.undo.before;
        const applied = await outside?.apply();
        notes.push(...(applied?.notes ?? []));
        return applied?.snapshot;
      },
    },
    { planned },
  );
  // Where no file changes, a rollback does not look at them.
  const isNew = plan.flatMap(({ path, why }) => (why === 'new' ? [{ path, why }] : []));
  const stayed = back.only ? { ...result, notes: { ...result.notes, left: isNew } } : result;
  notes.push(...told(stayed, before, head.files_undone !== undefined));
  return { notes, restored: result.files ?? [] };
}

/** `undone`: the user had undone the task's changes, and those up to the resume point were redone. */
function told({ files, notes }: BackResult, before: string | undefined, undone: boolean): string[] {
  const was = before === undefined ? '' : ` ${phrase`What was there: vibe-engine files ${before}`}`;
  const line = undone
    ? phrase`Redone first, because the task resumes from there: ${files}.`
    : phrase`Undone first, because these steps run again: ${files}.`;
  const chosen = notes.left.filter(({ why }) => why === 'chosen').map(({ path }) => path);
  const again = phrase`Left as they are, as chosen, although the steps that changed them run again: ${chosen}.`;
  return [
    ...(files && files.length > 0 ? [`${line}${was}`] : []),
    ...(chosen.length > 0 ? [again] : []),
    ...leftLines({ ...notes, left: notes.left.filter(({ why }) => why !== 'chosen') }),
  ];
}

/** What was not restored, and what someone saved at that moment. */
export function leftLines({ left, displaced }: FileNotes): string[] {
  return [
    ...left.map(({ path, why }) => phrase`${path} was left as it is: ${LEFT[why] ?? why}.`),
    ...displaced.map(({ path, blob }) => phrase`${path} was saved in the meantime: kept as ${blob}.`),
  ];
}
