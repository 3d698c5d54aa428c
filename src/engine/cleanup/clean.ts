/**
 * Clean-up: checkpoints that the policies select are removed from the lists at once; the bytes that only they needed are
 * freed after the grace period. Killed at any point it loses nothing: every step is one commit or can be done again.
 *
 * One process cleans at a time, so that no work is done twice, under the claim of an id that no task has. Correctness does
 * not depend on it: everything is removed from a task only if the task is unchanged since it was read.
 */

import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { CleanupTrigger, Removal, Spared } from '../../checkpoint/cleanup/retention.ts';
import { parseConfig } from '../../config/load.ts';
import type { CleanupConfig } from '../../config/types.ts';
import { OwnershipError, StoreError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Claim, Storage } from '../../storage/contract.ts';
import { everyTask } from '../../storage/walk.ts';
import { systemClock } from '../../system/clock.ts';
import { type Done, type OnProgress, type Tracking, tracked } from '../../system/progress.ts';
import type { Services } from '../api/services.ts';
import { CLEANUP_CLAIM } from '../task/records/claim.ts';
import { loadRuns, noteRuns } from '../task/records/cleaned.ts';
import type { Member } from './blobs.ts';
import { removeOldConflicts } from './conflicts.ts';
import { countedTime } from './counted-time.ts';
import { freeFiles, NO_FILES, releaseHoldsHere } from './files.ts';
import { addFreed, compact, type Freed, freeFamily, freeUnfinished, NOTHING_FREED } from './free.ts';
import { endIdleSessions } from './idle-sessions.ts';
import { removeLeftovers } from './leftovers.ts';
import { membersOf } from './members.ts';
import type { Going } from './named-snapshots.ts';
import { type NotDue, notDueUntil, pendingBytes } from './not-due.ts';
import { planRemovals } from './plan.ts';
import { removeFrom } from './remove.ts';
import { type Skipped, type Surveyed, surveyTask, type Unfinished } from './survey.ts';
import type { Sweep } from './sweep.ts';

export interface CleanOptions {
  /** Say what would go and why, and how many bytes that frees; change nothing. */
  readonly dry_run?: boolean;
  /** Settings that override the configured ones, this time. */
  readonly policy?: Partial<CleanupConfig>;
  /** Only checkpoints of these tasks. */
  readonly tasks?: readonly string[];
  /** Who asks for it. */
  readonly by?: string;
  /** Called with its progress. */
  readonly onProgress?: OnProgress;
}

export interface CleanupReport {
  readonly dry_run: boolean;
  readonly at: string;
  readonly triggers: readonly (CleanupTrigger | 'by_hand')[];
  /** Checkpoints that left the lists: which, by which policy, and how many bytes each. */
  readonly removed: readonly Removal[];
  /** How many went with them that `max_per_task` had taken off the lists before. */
  readonly unlisted: number;
  /** Selected by a policy but kept, with the reason. */
  readonly spared: readonly Spared[];
  /** Rollbacks that can no longer be redone. */
  readonly forgotten: readonly { readonly task: string; readonly at: string }[];
  /** Tasks that ended and now have no checkpoint; their journals and blobs go after the grace period. */
  readonly emptied: readonly string[];
  readonly freed: Freed;
  /** All of it: records, journal entries, blobs. */
  readonly freed_bytes: number;
  /** About how much more is freed after the grace period, from emptied tasks and files. */
  readonly pending_bytes: number;
  /** Left as they are, with the reason. */
  readonly skipped: readonly Skipped[];
  /** False when the engine was closed before it was done. */
  readonly complete: boolean;
}

export type CleanupServices = Pick<Services, 'storage' | 'clock'> & {
  readonly config: { readonly cleanup: CleanupConfig };
};

export interface SweepOptions extends CleanOptions {
  readonly triggers?: readonly CleanupTrigger[];
  readonly thorough?: boolean;
  readonly stopping?: () => boolean;
  /** Whether tasks run in this process, which must not be slowed down. */
  readonly busy?: () => boolean;
  /** Tasks that were found to have nothing due; updated by the run. */
  readonly quiet?: NotDue;
}

export async function clean(services: CleanupServices, options: SweepOptions = {}): Promise<CleanupReport> {
  const { storage } = services;
  const skipped = new Map<string | null, string>();
  const lock = options.dry_run ? null : await claimCleanup(storage);
  try {
    const sweep = await sweepOf(services, options, skipped, lock !== null);
    const report = await tracked(options.onProgress, (progress) =>
      sweepStore(sweep, options, skipped, progress),
    );
    if (lock && options.by !== undefined)
      await noteRuns(storage, { last_asked: { by: options.by, at: report.at } });
    if (lock && report.complete && !options.tasks) {
      const at = report.at;
      await noteRuns(storage, {
        last_quick_at: at,
        missed: false,
        ...(sweep.thorough ? { last_run_at: at } : {}),
      });
    }
    return report;
  } finally {
    await lock?.release();
  }
}

/** For machines that clean-up did not run on. */
export async function releaseHolds(services: CleanupServices): Promise<void> {
  await releaseHoldsHere(await sweepOf(services, {}, new Map(), false));
}

async function sweepStore(
  sweep: Sweep,
  options: SweepOptions,
  skipped: ReadonlyMap<string | null, string>,
  progress: Tracking,
): Promise<CleanupReport> {
  const quiet = options.policy || sweep.settings.quota_mb !== null ? undefined : options.quiet;
  const { found, unfinished } = await surveyAll(
    sweep,
    sweep.thorough ? undefined : quiet,
    progress.of('survey'),
  );
  const chosen = options.tasks && new Set(options.tasks);
  const all = chosen ? found : await endIdleSessions(sweep, found);
  const plan = await planRemovals(sweep, chosen ? all.filter(({ task }) => chosen.has(task)) : all);
  const now = new Map(all.map((of) => [of.task, of]));
  const gone = new Set<string>();
  const done = new Set<string>();
  let [bytes, unlisted] = [0, 0];
  for (const [at, removals] of plan.tasks.entries()) {
    if (sweep.stopping()) break;
    progress.at('remove', at, plan.tasks.length);
    const removed = await removeFrom(sweep, removals);
    await sweep.breathe();
    if (!removed) continue;
    done.add(removals.of.task);
    now.set(removals.of.task, removed.of);
    bytes += removed.bytes;
    unlisted += removed.unlisted;
    if (sweep.dry) for (const key of removed.keys) gone.add(key);
  }
  const families = sweep.stopping() ? [] : await membersOf(sweep, [...now.values()], gone);
  let freed = await freeAll(sweep, families, progress.of('remove'));
  let pending = pendingBytes(sweep, [...now.values()]);
  if (sweep.thorough && !chosen) {
    for (const one of unfinished) freed = addFreed(freed, await freeUnfinished(sweep, one));
    for (const { records, bytes: record_bytes } of [
      await removeLeftovers(sweep, [...now.values()]),
      await removeOldConflicts(sweep),
    ])
      freed = addFreed(freed, { records, record_bytes });
    progress.at('free_files');
    const files = sweep.stopping() ? NO_FILES : await freeFiles(sweep, goingFrom(sweep, families, gone));
    freed = addFreed(freed, files.freed);
    pending += files.pending;
    if (!sweep.dry) await noteRuns(sweep.storage, { pending_file_bytes: files.pending });
  }
  if (!sweep.dry) await compactEnded(sweep, [...now.values()], done);
  if (!sweep.dry) for (const of of now.values()) quiet?.set(of.task, notDueUntil(of, sweep.settings));
  const ours = plan.tasks.filter(({ of }) => done.has(of.task));
  return {
    dry_run: sweep.dry,
    at: sweep.at.toISOString(),
    triggers: options.triggers ?? ['by_hand'],
    removed: plan.removed.filter(({ task }) => done.has(task)),
    unlisted,
    spared: plan.spared,
    forgotten: ours.flatMap(({ of, undone }) => undone.map(({ at }) => ({ task: of.task, at }))),
    emptied: ours.filter(({ emptied }) => emptied).map(({ of }) => of.task),
    freed,
    freed_bytes: bytes + freed.entry_bytes + freed.blob_bytes + freed.record_bytes,
    pending_bytes: pending,
    skipped: [...skipped].map(([task, why]) => ({ task, why })),
    complete: !sweep.stopping(),
  };
}

/** Every task. Those that cannot be read are skipped, and so is everything they may need. */
async function surveyAll(
  sweep: Sweep,
  quiet: NotDue | undefined,
  at: Done,
): Promise<{ found: Surveyed[]; unfinished: Unfinished[] }> {
  const found: Surveyed[] = [];
  const unfinished: Unfinished[] = [];
  const tasks = await Array.fromAsync(everyTask(sweep.storage));
  for (const [done, task] of tasks.entries()) {
    at(done, tasks.length);
    if (sweep.stopping()) return { found, unfinished };
    if ((quiet?.get(task) ?? 0) > sweep.now.getTime()) continue;
    const one = await surveyTask(sweep.storage, task);
    if (one && 'why' in one) sweep.skip(one.task, one.why);
    else if (one && 'begun_at' in one) unfinished.push(one);
    else if (one) found.push(one);
    await sweep.breathe();
  }
  return { found, unfinished };
}

/** Compacts tasks that ended since the last clean-up, and tasks that it removed checkpoints from. */
async function compactEnded(
  sweep: Sweep,
  tasks: readonly Surveyed[],
  done: ReadonlySet<string>,
): Promise<void> {
  const { last_run_at } = await loadRuns(sweep.storage);
  for (const { task, lifecycle, cleaned } of tasks) {
    if (sweep.damaged.has(task)) continue;
    if (cleaned.emptied_at !== null) continue; // Compacted when the rest of it is removed.
    const { finished_at } = lifecycle;
    const isNew = finished_at !== null && (last_run_at === null || finished_at > last_run_at);
    if (!(sweep.thorough ? isNew || done.has(task) : finished_at !== null && done.has(task))) continue;
    if (sweep.stopping()) return;
    if (!(await sweep.storage.owner(task))) await compact(sweep, task);
    await sweep.breathe();
  }
}

async function freeAll(sweep: Sweep, families: readonly (readonly Member[])[], at: Done): Promise<Freed> {
  let sum = NOTHING_FREED;
  for (const [done, family] of families.entries()) {
    at(done, families.length);
    if (sweep.stopping()) break;
    sum = addFreed(sum, await freeFamily(sweep, family));
    await sweep.breathe();
  }
  return sum;
}

/** What would be removed in a dry run. Otherwise it is already gone, or was skipped and is still needed. */
function goingFrom(
  { dry }: Sweep,
  families: readonly (readonly Member[])[],
  keys: ReadonlySet<string>,
): Going {
  const members = dry ? families.flat() : [];
  return { keys, entries: new Map(members.map(({ of, needless }) => [of.task, needless])) };
}

const BREATHE_AFTER_MS = 5;
/** While tasks run, it works for one part of the time and idles for this many. */
const REST_PARTS = 9;

async function sweepOf(
  { storage, config, clock }: CleanupServices,
  options: SweepOptions,
  skipped: Map<string | null, string>,
  notes: boolean,
): Promise<Sweep> {
  let last = performance.now();
  const at = clock.now();
  // A caller's own clock is trusted.
  const counted = clock === systemClock ? await countedTime(storage, at, await loadRuns(storage)) : null;
  if (counted?.why) skipped.set(null, counted.why);
  if (counted && notes) await noteRuns(storage, counted.clock);
  return {
    storage,
    settings: options.policy
      ? parseConfig({ cleanup: { ...config.cleanup, ...options.policy } }).cleanup
      : config.cleanup,
    now: counted?.until ?? at,
    at,
    dry: options.dry_run ?? false,
    thorough: options.thorough ?? true,
    damaged: new Set(),
    skip: (task, why) => {
      if (!skipped.has(task)) skipped.set(task, why);
    },
    async breathe() {
      const worked = performance.now() - last;
      if (worked < BREATHE_AFTER_MS) return;
      await (options.busy?.() ? sleep(worked * REST_PARTS) : turn());
      last = performance.now();
    },
    stopping: options.stopping ?? (() => false),
  };
}

async function claimCleanup(storage: Storage): Promise<Claim> {
  try {
    return await storage.claim(CLEANUP_CLAIM);
  } catch (error) {
    if (!(error instanceof OwnershipError)) throw error;
    const { holder } = error.data;
    throw new StoreError('STORE_BUSY', phrase`The store is already being cleaned up (${holder}).`, {
      data: { holder },
      cause: error,
      hint: phrase`Wait until that is done, or until that process has ended.`,
    });
  }
}
