/**
 * Executions whose checkpoints were made with `CheckpointManager`. Steps and variables that are only in their checkpoints
 * are recorded in their journal when they are resumed: from then on they are tasks like any other.
 */

import type { CheckpointRecord } from '../../checkpoint/record/record.ts';
import { blobIdsIn } from '../../checkpoint/values/blob-ref.ts';
import { unpackValue } from '../../checkpoint/values/pack.ts';
import { StaleWriteError } from '../../errors.ts';
import type { Claim, Storage } from '../../storage/contract.ts';
import { encode } from '../../storage/serialize.ts';
import { parseCheckpointId } from '../../task/keys.ts';
import type { Services } from '../api/services.ts';
import { liveCheckpoints, requireCheckpoint, tryCheckpoint } from '../history/checkpoints.ts';
import type { Entry } from '../task/entries.ts';
import { readMemory } from '../task/journal.ts';
import { emptyMemory, type Memory } from '../task/memory.ts';
import { escapeName, occurrencesIn } from '../task/occurrences.ts';
import { blobLoader } from '../task/packing.ts';
import { type Head, loadHead } from '../task/records/head.ts';
import { creation, newTask, TRACKED } from '../task/tasks.ts';
import { toInProgress } from '../task/transitions.ts';
import type { RollbackPreview } from './rollback.ts';

/** Turns an execution that only has checkpoints into a task. */
export async function adopt(
  { storage, clock }: Pick<Services, 'storage' | 'clock'>,
  task: string,
): Promise<void> {
  if (await loadHead(storage, task)) return;
  const newest = (await checkpointRecords(storage, task)).at(-1);
  if (!newest) return;
  const { working_dir } = newest.recovery_info;
  const made = newTask(task, TRACKED, null, { working_dir, task_name: task }, clock.now());
  const moved = toInProgress(made.state, emptyMemory(), null, null, clock.now());
  try {
    await storage.commit(creation(made, { moved }));
  } catch (error) {
    if (!(error instanceof StaleWriteError)) throw error; // Another process was first.
  }
}

/** The same for the execution of a checkpoint, if it exists. */
export async function adoptFor(services: Pick<Services, 'storage' | 'clock'>, id: string): Promise<void> {
  if (!(await isTasks(services.storage, id)))
    await adopt(services, (await requireCheckpoint(services.storage, id)).task_id);
}

/** Whether the checkpoint is named as one of a task; it need not exist. */
async function isTasks(storage: Storage, id: string): Promise<boolean> {
  const parsed = parseCheckpointId(id);
  return parsed !== null && (await loadHead(storage, parsed.task)) !== null;
}

/** What a rollback would remove from an execution that is not a task yet; null for any other. */
export async function previewManual(storage: Storage, id: string): Promise<RollbackPreview | null> {
  if (await isTasks(storage, id)) return null;
  const { task_id: task, sequence_number } = await requireCheckpoint(storage, id);
  const later = (await checkpointRecords(storage, task)).filter(
    (one) => one.sequence_number > sequence_number,
  );
  const steps = missingSteps(emptyMemory(), later).flatMap((entry) =>
    entry.t === 'step' ? [{ id: entry.id, name: entry.name, status: 'success' as const }] : [],
  );
  const checkpoints = later.map((one) => one.id);
  const { seq: expect } = await storage.position(task);
  const nothing = { entries: {}, files: null, plan: null, conversation: null };
  return { task, checkpoint: id, ...nothing, steps, checkpoints, expect };
}

/** Records what is missing up to and with the checkpoint: steps only if the code is not known. */
export async function restoreManual(
  { storage, clock }: Pick<Services, 'storage' | 'clock'>,
  claim: Claim,
  checkpoint: CheckpointRecord,
): Promise<void> {
  const { task_id, sequence_number } = checkpoint;
  const head = await loadHead(storage, task_id);
  if (!head || !(hasManualCheckpoints(head) || isHandMade(checkpoint))) return;
  const all = hasManualCheckpoints(head) ? await checkpointRecords(storage, task_id) : [];
  const upTo = all.filter((one) => one.sequence_number <= sequence_number);
  const memory = await readMemory(storage, head);
  const entries = [
    ...missingSteps(memory, upTo),
    ...(await missingVariables(storage, head, memory, checkpoint, clock.now().toISOString())),
  ];
  if (entries.length === 0) return;
  const named = entries.flatMap((entry) => blobIdsIn(entry));
  if (named.length > 0) await storage.renewBlobs(task_id, named);
  await storage.commit({
    task: task_id,
    fence: claim.fence,
    append: { after: await storage.position(task_id), entries },
  });
}

/** An engine names the step it resumes at by its id, `CheckpointManager.createCheckpoint` by its name. */
function isHandMade({ recovery_info }: CheckpointRecord): boolean {
  return recovery_info.resume_point !== 'start' && !/\/.*#\d+$/s.test(recovery_info.resume_point);
}

/** Its code is not known: it is tracked, or its checkpoints were made with `CheckpointManager`. */
export function hasManualCheckpoints({ definition }: Head): boolean {
  return definition.fingerprint === TRACKED.fingerprint;
}

/**
 * The context that the maker of a checkpoint gave, or of an earlier one of the same step; packed, null when there is none.
 * In checkpoints that an engine makes it is the input of their last step, not its result.
 */
export async function contextOfManual(
  storage: Storage,
  head: Head,
  checkpoint: CheckpointRecord,
): Promise<unknown> {
  if (isHandMade(checkpoint) && checkpoint.step_context !== null) return checkpoint.step_context;
  if (!hasManualCheckpoints(head)) return null;
  const same = (await checkpointRecords(storage, head.task_id)).filter(
    (one) => one.step_index === checkpoint.step_index && one.sequence_number <= checkpoint.sequence_number,
  );
  return same.findLast((one) => isHandMade(one) && one.step_context !== null)?.step_context ?? null;
}

/** The steps that only checkpoints record, by their index. */
export function missingSteps(memory: Memory, checkpoints: readonly CheckpointRecord[]): Entry[] {
  const occurrences = occurrencesIn(memory);
  let next = memory.stepIndex;
  const entries: Entry[] = [];
  for (const one of checkpoints.toSorted((a, b) => a.step_index - b.step_index)) {
    const { step_name: name, step_index: index, created_at: at } = one;
    if (name === null || one.step_status !== 'success' || index < next) continue;
    const scope = `/${escapeName(name)}`;
    const occurrence = (occurrences.get(scope) ?? 0) + 1;
    occurrences.set(scope, occurrence);
    const id = `${scope}#${occurrence}`;
    const result = one.step_context ?? one.step_state;
    entries.push({ t: 'step', id, name, agent: '', index, at, ms: 0, attempt: 1, result });
    next = index + 1;
  }
  return entries;
}

/** The variables of the checkpoint that have another value in the journal, or none. */
async function missingVariables(
  storage: Storage,
  head: Head,
  memory: Memory,
  checkpoint: CheckpointRecord,
  at: string,
): Promise<Entry[]> {
  const variables = await unpackValue(checkpoint.step_variables, blobLoader(storage, head));
  if (typeof variables !== 'object' || variables === null) return [];
  return Object.entries(variables)
    .filter(([name, value]) => !isSame(memory.variables.get(name), value))
    .map(([name, value]): Entry => ({ t: 'set', at, agent: '', name, value }));
}

function isSame(known: unknown, value: unknown): boolean {
  return known !== undefined && encode(known) === encode(value);
}

/** Those that can be read, in the order of their numbers. */
export async function checkpointRecords(storage: Storage, task: string): Promise<CheckpointRecord[]> {
  const records: CheckpointRecord[] = [];
  for (const place of await liveCheckpoints(storage, task)) {
    const found = await tryCheckpoint(place);
    if ('record' in found) records.push(found.record);
  }
  return records;
}
