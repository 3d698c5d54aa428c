/**
 * What is removed from the lists: checkpoints that a policy selects, and rollbacks whose time to be redone is over. Writes
 * nothing.
 */
import {
  type CleanupTask,
  mayResume,
  type Named,
  nameByPolicy,
  type PolicyName,
} from '../../checkpoint/cleanup/policies.ts';
import { type CleanupPlan, planCleanup } from '../../checkpoint/cleanup/retention.ts';
import { answering } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import { encode } from '../../storage/serialize.ts';
import { checkpointId } from '../../task/keys.ts';
import { liveCheckpoints } from '../history/checkpoints.ts';
import { loadRuns } from '../task/records/cleaned.ts';
import type { Head } from '../task/records/head.ts';
import { readableEnd } from './damage.ts';
import { isUnreadable, type KnownCheckpoint, type Surveyed } from './survey.ts';
import { graceIsOver, type Sweep } from './sweep.ts';

interface RemovalPlan extends CleanupPlan {
  /** Only tasks from which something is removed. */
  readonly tasks: readonly TaskRemovals[];
}

export interface TaskRemovals {
  readonly of: Surveyed;
  readonly checkpoints: readonly Found[];
  /** The numbers of all that are not in its list. */
  readonly unlisted: readonly number[];
  readonly undone: Head['undone'];
  /** The task ended and has no checkpoint left; what else it has, then. */
  readonly emptied: { readonly bytes: number } | null;
}

/** A checkpoint as it is in the store; the revision of its record is unknown where there is none, or it cannot be read. */
interface Found extends KnownCheckpoint {
  /** The journal has it. */
  readonly marked: boolean;
  readonly bytes: number;
  readonly revision: number | undefined;
  readonly valid: boolean;
}

export async function planRemovals(sweep: Sweep, all: readonly Surveyed[]): Promise<RemovalPlan> {
  const { settings, now } = sweep;
  const excess = await overQuota(sweep, all);
  const looked = new Map<string, { of: Surveyed; found: Found[]; unlisted: number[]; bytes: number }>();
  const tasks: CleanupTask[] = [];
  for (const of of all) {
    await sweep.breathe();
    if (sweep.stopping()) break;
    const bare = bareTask(of);
    const concerned =
      nameByPolicy(bare, settings, now).length > 0 || (excess !== null && of.checkpoints.length > 0);
    if (!concerned || (await isTaken(sweep, of.task))) continue;
    const goesOn = mayResume(bare, settings, now);
    const end = await readableEnd(sweep, of, goesOn);
    if (end === null) continue;
    const { found, unlisted } = await findAll(sweep.storage, of, goesOn ? end : null);
    const bytes = goesOn ? 0 : await bytesBesides(sweep, of.task);
    looked.set(of.task, { of: { ...of, checkpoints: found }, found, unlisted, bytes });
    tasks.push({ ...bare, bytes, checkpoints: checkpointsOf(of, found) });
  }
  const plan = planCleanup(tasks, settings, { now, store_bytes: excess ?? 0 });
  const gone = Map.groupBy(plan.removed, ({ task }) => task);
  const emptied = new Set(plan.emptied);
  const removals: TaskRemovals[] = [];
  for (const of of all) {
    const ids = new Set((gone.get(of.task) ?? []).map(({ sequence }) => sequence));
    const checkpoints = (looked.get(of.task)?.found ?? []).filter(({ sequence }) => ids.has(sequence));
    const undone = (of.head?.undone ?? []).filter(({ at }) => graceIsOver(sweep, at));
    const over = emptied.has(of.task) || isLongOver(of, sweep);
    if (checkpoints.length === 0 && undone.length === 0 && !over) continue;
    if (checkpoints.length === 0 && (await isTaken(sweep, of.task))) continue;
    if (checkpoints.length === 0 && (await readableEnd(sweep, of)) === null) continue;
    const bytes = over ? (looked.get(of.task)?.bytes ?? (await bytesBesides(sweep, of.task))) : 0;
    const now = looked.get(of.task)?.of ?? of;
    const unlisted = looked.get(of.task)?.unlisted ?? [];
    removals.push({ of: now, checkpoints, unlisted, undone, emptied: over ? { bytes } : null });
  }
  return { ...plan, tasks: removals };
}

/** The size of the store without what is removed anyway, when that is more than the quota allows; else null. */
async function overQuota(
  { storage, settings, ...sweep }: Sweep,
  all: readonly Surveyed[],
): Promise<number | null> {
  if (settings.quota_mb === null) return null;
  const pending = all.filter(
    ({ cleaned: { emptied_at } }) => emptied_at && !graceIsOver({ settings, ...sweep }, emptied_at),
  );
  const { pending_file_bytes } = await loadRuns(storage);
  const gone = pending.reduce((sum, { cleaned }) => sum + cleaned.bytes, pending_file_bytes);
  const bytes = (await storage.size()) - gone;
  return bytes > settings.quota_mb * 1024 * 1024 ? bytes : null;
}

async function isTaken(sweep: Sweep, task: string): Promise<boolean> {
  const owner = await sweep.storage.owner(task);
  if (owner) sweep.skip(task, phrase`it is running (${owner.holder}): its owner removes old checkpoints`);
  return owner !== null;
}

/** What the policies need to know, without reading a checkpoint. */
function bareTask(of: Surveyed): CleanupTask {
  const none = of.checkpoints.map((place) => ({ ...place, bytes: 0, valid: true }));
  return { task: of.task, ...of.lifecycle, checkpoints: checkpointsOf(of, none) };
}

function checkpointsOf(
  of: Surveyed,
  found: readonly Pick<Found, 'sequence' | 'created_at' | 'bytes' | 'valid'>[],
): CleanupTask['checkpoints'] {
  return found.map(({ sequence, created_at, bytes, valid }) => {
    return { id: checkpointId(of.task, sequence), sequence, created_at, bytes, valid };
  });
}

const WHOLE_TASK: ReadonlySet<PolicyName> = new Set(['remove_completed', 'completed_days', 'failed_days']);

/** Whether a task without checkpoints has been over long enough: its journal is removed like those of others. */
function isLongOver(of: Surveyed, { settings, now }: Sweep): boolean {
  if (of.checkpoints.length > 0 || of.cleaned.emptied_at !== null) return false;
  const one = { id: 'none', sequence: 1, created_at: now.toISOString(), bytes: 0 };
  const named: Named[] = nameByPolicy({ ...bareTask(of), checkpoints: [one] }, settings, now);
  return named.some(({ policy }) => WHOLE_TASK.has(policy));
}

/**
 * The checkpoints of a task as they are now. Which of them are intact is checked only for tasks that may continue, up to
 * where their journals can be read: one must stay.
 */
async function findAll(
  storage: Storage,
  of: Surveyed,
  readable: number | null,
): Promise<{ found: Found[]; unlisted: number[] }> {
  const validate = readable !== null;
  const found: Found[] = [];
  const unlisted: number[] = [];
  for (const place of await liveCheckpoints(storage, of.task, 'all')) {
    const { sequence, key, created_at } = place;
    if (!place.listed) {
      unlisted.push(sequence);
      continue;
    }
    const record = key === null ? null : await storage.get('tasks', key).catch(unreadable);
    if (key !== null && record === null) continue;
    const whole = validate ? await place.read().catch(unreadable) : undefined;
    found.push({
      sequence,
      key,
      created_at,
      marked: place.marked !== null,
      bytes: record ? Buffer.byteLength(encode(record.data)) : 0,
      revision: record?.revision,
      valid: !validate || (whole !== undefined && whole.journal.seq <= readable),
    });
  }
  return { found, unlisted };
}

/** Undefined if it is too damaged to be read. */
const unreadable = answering(isUnreadable, undefined);

/** What a task has besides its records: its journal and its blobs. */
async function bytesBesides(sweep: Sweep, task: string): Promise<number> {
  let bytes = 0;
  for await (const { size } of sweep.storage.listBlobs(task)) bytes += size;
  return bytes + (await journalBytes(sweep, task, 1, Number.MAX_SAFE_INTEGER)).bytes;
}

/** What entries of a journal hold, as far as they can be read. */
export async function journalBytes(
  { storage, breathe }: Sweep,
  task: string,
  from: number,
  to: number,
): Promise<{ entries: number; bytes: number }> {
  const found = { entries: 0, bytes: 0 };
  try {
    for await (const { data } of storage.read(task, { from, to })) {
      found.entries++;
      found.bytes += Buffer.byteLength(encode(data));
      await breathe();
    }
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
  return found;
}
