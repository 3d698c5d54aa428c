/**
 * Recovers a task that has run before: finds the newest usable checkpoint, checks that its requirements are met, and only
 * then changes anything.
 */
import type { CheckpointRecord } from '../../checkpoint/record/record.ts';
import { validateCheckpoint } from '../../checkpoint/validation/validate.ts';
import { EngineError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Claim } from '../../storage/contract.ts';
import { encode } from '../../storage/serialize.ts';
import type { TaskState } from '../../task/state.ts';
import { ask, tell } from '../api/hooks.ts';
import { endOfLastRun, type Runner } from '../api/runner.ts';
import type { FileChoices } from '../files/choices.ts';
import { decideOutside, type Outside, type OutsideChoices } from '../files/outside.ts';
import { collectFiles, type FileEntries } from '../files/own-changes.ts';
import type { EnvironmentChoice, UpstreamOptions } from '../git/asking.ts';
import { listCheckpoints, type TaskCheckpoint, tryCheckpoint } from '../history/checkpoints.ts';
import { collectMarks } from '../history/marks.ts';
import type { EngineServices, TaskServices } from '../run/services.ts';
import { refuseStillRunning } from '../run/still-running.ts';
import { commandFailed } from '../task/command-step.ts';
import { foldJournal, readMemory, remembering } from '../task/journal.ts';
import { emptyMemory, type LastStep, type Memory, remember } from '../task/memory.ts';
import { readKept } from '../task/off-heap.ts';
import { type Head, headRecord } from '../task/records/head.ts';
import { environmentOf } from './checkpoint-environment.ts';
import { assertWhole, endIsLost, lostEnd } from './lost-blobs.ts';
import { isInJournal, keepAside, removal, withinJournal } from './mend.ts';
import { GoBack, lacksRequirements, olderCheckpointText, olderThatFits } from './older-checkpoint.ts';

/** The choices are about the task's files that others changed in the meantime; default: as configured. */
export interface RecoveryOptions extends FileChoices, UpstreamOptions {
  /** What to do when the environment is not as the checkpoint needs it; default: as configured. */
  readonly on_environment?: EnvironmentChoice;
  /** Who asks for it. */
  readonly asked_by?: string;
}

/** What was done to resume a task. */
export interface TakenBack {
  /** For the user; recorded, so that the blobs they name are kept. */
  readonly notes: readonly string[];
  /** The files that were restored. */
  readonly restored: readonly string[];
}

interface Recovered {
  readonly head: Head;
  readonly memory: Memory;
  readonly checkpoint: CheckpointRecord | null;
  /** All that it has, oldest first. */
  readonly checkpoints: readonly TaskCheckpoint[];
  readonly notes: readonly string[];
}

/** Everything that may refuse comes before the first write. */
export async function recover(
  services: TaskServices,
  claim: Claim,
  head: Head,
  state: TaskState,
  options: RecoveryOptions &
    Partial<TakenBack> & {
      readonly by: Runner;
      readonly may_go_back?: boolean;
    },
): Promise<Recovered> {
  const { storage } = services;
  const began = performance.now();
  if (state.status === 'queued') {
    await services.drift.begin(claim);
    const checkpoints = await listCheckpoints(storage, head);
    return { head, memory: await readMemory(storage, head), checkpoint: null, checkpoints, notes: [] };
  }
  // Damaged data is put aside by the caller, which then tries again: see `mend.ts`.
  const memory = emptyMemory();
  const known: FileEntries[number][] = [];
  const end_lost = lostEnd(head);
  const marks = collectMarks(head, memory);
  const reducers = [remembering(head, memory), marks.take, collectFiles(known), end_lost.take];
  await foldJournal(storage, head, reducers);
  const checkpoints = await listCheckpoints(storage, head, marks);
  await refuseStillRunning(storage, head, memory);
  const lost_end = memory.mended && services.workspace ? end_lost.found() : null;
  if (lost_end) throw lost_end;
  const lost = await assertWhole(services, head, memory);
  const { checkpoint, beyond, ...found } = await newestUsable(services, head, checkpoints);
  // Only the journal was repaired: changes to files of its lost end may remain.
  if (beyond.length > 0) throw endIsLost(head.task_id);
  const notes = [...(options.notes ?? []), ...found.notes];
  if (lost.length > 0)
    notes.push(
      phrase`Blobs are missing or damaged, but are not needed to resume: ${lost.slice(0, MOST_NAMED)}.`,
    );
  if (head.files_undone)
    notes.push(phrase`Its changes to files were undone (${head.files_undone.at}), and stay undone.`);
  await ask(services.hooks.beforeRecovery, 'beforeRecovery', {
    task: head.task_id,
    checkpoint: checkpoint?.id ?? null,
    notes,
  });
  const { task_name } = head;
  const progress = memory.progress.percent;
  const { restored = [] } = options;
  const resuming = { claim, task_name, progress, options, files: known, restored };
  const drift = await services.drift.beforeResume(resuming);
  if (checkpoint) {
    const given = { ...options, reads: memory.reads, known };
    const { apply } = await checkEnvironment(services, head, checkpoint, given);
    notes.push(...(await apply()).notes);
  }
  await drift.apply();
  notes.push(...drift.notes);
  const unknown = [...memory.begun.keys()];
  const recovery = {
    t: 'recovery' as const,
    at: services.clock.now().toISOString(),
    checkpoint: checkpoint?.id ?? null,
    notes,
    unknown,
    by: options.by,
    ...(options.asked_by === undefined ? {} : { asked_by: options.asked_by }),
    after: endOfLastRun(state),
  };
  const end = await storage.position(head.task_id);
  // From here on it changes files again: an earlier undo is part of its history.
  const { files_undone: _, ...usable } = withinJournal(head, end.seq);
  const isSame = usable.undone === head.undone && usable.dead === head.dead && !head.files_undone;
  const leaving = head.undone.filter((one) => !usable.undone.includes(one)).map(({ key }) => key);
  await keepAside(storage, head.task_id, leaving);
  await storage.commit({
    task: head.task_id,
    fence: claim.fence,
    records: [...(isSame ? [] : [headRecord(usable)]), ...leaving.map(removal)],
    append: { after: end, entries: [recovery] },
  });
  remember(memory, recovery);
  services.emit({
    type: 'recovery',
    task: head.task_id,
    task_name: head.task_name,
    checkpoint: checkpoint?.id ?? null,
    ...progressOf(state, memory),
    notes,
    unknown,
    duration_ms: performance.now() - began,
  });
  const done = { task: head.task_id, checkpoint: checkpoint?.id ?? null, notes };
  await tell(services.hooks.afterRecovery, 'afterRecovery', done);
  return { head: usable, memory, checkpoint, checkpoints, notes };
}

/** The newest checkpoint that is intact and within the journal; reports why each skipped one was not used. */
async function newestUsable(
  services: Pick<EngineServices, 'storage'>,
  head: Head,
  places: readonly TaskCheckpoint[],
): Promise<{ checkpoint: CheckpointRecord | null; notes: string[]; beyond: TaskCheckpoint[] }> {
  const notes: string[] = [];
  const beyond: TaskCheckpoint[] = [];
  for (const place of places.toReversed()) {
    const found = await tryCheckpoint(place);
    if ('problem' in found) notes.push(phrase`Checkpoint ${place.sequence} was skipped: ${found.problem}`);
    else if (!place.marked && !(await isInJournal(services.storage, head.task_id, found.record.journal))) {
      notes.push(phrase`Checkpoint ${place.sequence} was skipped: the journal is damaged before it.`);
      beyond.push(place);
    } else return { checkpoint: found.record, notes, beyond };
  }
  return { checkpoint: null, notes, beyond };
}

/** Recovery has looked for what the task needs of them, and goes back past what is lost: blobs are not checked again. */
const NONE: ReadonlySet<string> = new Set();

/** How many names are listed. */
const MOST_NAMED = 3;

/** Asks if something is missing; throws unless the answer is to continue. Changes nothing itself. */
export async function checkEnvironment(
  services: TaskServices,
  head: Head,
  checkpoint: CheckpointRecord,
  options: RecoveryOptions &
    Pick<OutsideChoices, 'except' | 'reads' | 'known'> & { readonly may_go_back?: boolean },
): Promise<Pick<Outside, 'apply'>> {
  const prompter = options.prompter ?? services.prompter;
  const outside = await decideOutside(services, checkpoint, options, prompter);
  const validation = await validateCheckpoint(checkpoint, {
    ...environmentOf(services, head, NONE, { changed: outside.open }),
    hasBlob: async () => true,
  });
  if (validation.valid) return outside;
  const choosing = options.may_go_back && lacksRequirements(validation);
  const older = choosing ? await olderThatFits(services, head, checkpoint) : null;
  const choices = older ? ['continue', 'go_back', 'abort'] : ['continue', 'abort'];
  const given = options.on_environment ?? services.config.recovery.on_environment;
  const nowhere = given === 'go_back' && !older ? [phrase`There is no older checkpoint to go back to.`] : [];
  const about = older ? [olderCheckpointText(older)] : nowhere;
  const problems = [...validation.problems, ...about].join(' ');
  const message = phrase`The environment of task "${head.task_name}" is not what it needs: ${problems}`;
  const data = { task: head.task_id, checkpoint: checkpoint.id, validation, older: older?.id ?? null };
  const choice = choices.includes(given)
    ? given
    : await prompter?.ask({ kind: 'environment', task: head.task_id, message, options: choices, data });
  if (choice === 'continue') return outside;
  if (choice === 'go_back' && older) throw new GoBack(head.task_id, older.id);
  if (choice === 'abort') {
    throw new EngineError('ENVIRONMENT_CHANGED', message, {
      data,
      hint: phrase`Fix it, then resume the task again.`,
    });
  }
  throw new EngineError('NEEDS_ANSWER', message, {
    data,
    hint: phrase`Nothing was changed. Fix it, or choose with --on-environment: ${choices}.`,
  });
}

/** Where it resumes, for people. */
function progressOf(state: TaskState, memory: Memory) {
  // The drift it was paused for has just been handled and reported.
  const paused = state.status === 'paused' && state.data.cause !== 'drift' ? state.data : null;
  const { progress, lastStep, iteration } = memory;
  return {
    iteration,
    progress: { percent: progress.percent, note: progress.note },
    last_step: lastStep && { name: lastStep.name, failed: hasFailed(lastStep, memory) },
    instructions: paused?.resume_instructions ?? null,
  };
}

function hasFailed({ id, name, status }: LastStep, { steps }: Memory): boolean {
  const known = steps.get(id);
  if (status !== 'success' || known?.status !== 'success') return status !== 'success';
  return commandFailed({ name, result: encode(readKept(known.result)) });
}
