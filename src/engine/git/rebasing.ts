/**
 * A rebase on behalf of a task, noted in the store before it changes anything, so that it can be finished or undone after a
 * crash.
 */
import type { Git } from '../../drift/git.ts';
import type { Sight } from '../../drift/look.ts';
import { refused, type Wish } from '../../drift/rebase/conditions.ts';
import { previewRebase, type RebasePreview } from '../../drift/rebase/preview.ts';
import { type Rebased, rebase } from '../../drift/rebase/rebase.ts';
import { settleUnfinished } from '../../drift/rebase/undo.ts';
import { rebasedEvents, type VersionTracker } from '../../drift/tracker.ts';
import type { Claim, RecordWrite } from '../../storage/contract.ts';
import { assertLive } from '../task/records/claim.ts';
import {
  loadUnfinishedRebase,
  rebaseFinished,
  rebaseInProgress,
} from '../task/records/rebase-in-progress.ts';
import { trackerRecord } from '../task/records/versions.ts';
import { type DriftServices, lookFor } from './looking.ts';
import { tasksAtWork } from './tasks-at-work.ts';

export interface TaskRebase {
  readonly claim: Claim;
  readonly tracker: VersionTracker;
  readonly sight: Sight;
  readonly force_push: boolean;
  readonly permitted: boolean;
  readonly without_tests?: boolean | undefined;
  /** How the drift it resolves is recorded; default: `rebased`. */
  readonly resolution?: RebaseResolution | undefined;
  readonly by?: string | undefined;
}

type RebaseResolution = 'rebased' | 'task_restarted';

export interface RebaseOptions {
  /** Where no `drift.test_command` is set, rebase without tests; refused by default. */
  readonly without_tests?: boolean;
  /** Who asks for it. */
  readonly by?: string;
}

export interface RebasedTask extends Rebased {
  readonly tracker: VersionTracker;
}

/** REBASE_REFUSED unless it is done. */
export async function rebaseTask(
  services: DriftServices,
  git: Git,
  wanted: TaskRebase,
): Promise<RebasedTask> {
  const { claim } = wanted;
  const wish = await wishFor(services, git, claim.task, wanted);
  const { tracker } = wanted;
  const write = (...records: RecordWrite[]) =>
    services.storage.commit({ task: claim.task, fence: claim.fence, records });
  let begun = false;
  const forget = rebaseFinished(claim.task);
  try {
    const done = await rebase(git, {
      ...wish,
      task: claim.task,
      test_timeout_ms: services.config.drift.test_timeout_minutes * 60_000,
      signal: claim.lost,
      begin: async (unfinished) => {
        await write(rebaseInProgress(claim.task, unfinished));
        begun = true;
        assertLive(claim); // Next comes the worktree, which no commit guards.
      },
    });
    const moved = rebasedTracker(tracker, done.new_head, services, wanted.resolution, wanted.by);
    await write(trackerRecord(moved), forget);
    const { old_head, new_head, onto, backup_ref } = done;
    services.emit({ type: 'rebase', task: claim.task, old_head, new_head, onto, backup_ref });
    return { ...done, tracker: moved };
  } catch (error) {
    if (begun) await write(forget); // It has been undone.
    throw error;
  }
}

/** The conditions are the same, whether it is done or previewed. */
async function wishFor(
  { storage, config }: DriftServices,
  git: Git,
  task: string,
  { tracker, sight, force_push, permitted, without_tests }: Omit<TaskRebase, 'claim'>,
): Promise<Wish> {
  const tasks = await tasksAtWork(storage, git, task);
  if (tasks.length > 0) throw refused('tasks at work', { tasks });
  const rewritten = tracker.assessed?.why.includes('history rewritten') ?? false;
  const { test_command } = config.drift;
  const { commits_behind } = tracker;
  return {
    sight,
    commits_behind,
    force_push: force_push || rewritten,
    permitted,
    test_command,
    without_tests,
  };
}

/** The same after a check of its own; the caller permits it. */
export async function lookAndRebase(
  services: DriftServices,
  git: Git,
  claim: Claim,
  known: VersionTracker,
  options: RebaseOptions & Pick<TaskRebase, 'resolution'> = {},
): Promise<RebasedTask> {
  const settled = await settleRebase(services, git, claim, known);
  return rebaseTask(services, git, { claim, ...(await lookForRebase(services, git, settled)), ...options });
}

/** What it would do; nothing is changed. */
export async function previewTaskRebase(
  services: DriftServices,
  git: Git,
  known: VersionTracker,
  options: RebaseOptions,
): Promise<RebasePreview> {
  const wanted = { ...(await lookForRebase(services, git, known)), ...options };
  return previewRebase(git, await wishFor(services, git, known.task_id, wanted));
}

async function lookForRebase(services: DriftServices, git: Git, known: VersionTracker) {
  const { tracker, drift, detection } = await lookFor(services, git, known, 'manual');
  const { sight } = detection;
  if (!sight || drift.branch_switched) throw refused('changed meanwhile', { what: 'the branch' });
  return { tracker, sight, force_push: drift.force_push, permitted: true };
}

function rebasedTracker(
  tracker: VersionTracker,
  head: string,
  { clock }: Pick<DriftServices, 'clock'>,
  resolution: RebaseResolution = 'rebased',
  by?: string,
): VersionTracker {
  const settled = rebasedEvents(tracker, clock.now().toISOString(), resolution, by);
  return { ...settled, current_head: head, commits_behind: 0, assessed: null };
}

/** Finishes or undoes a rebase that a crash interrupted, before anything else is done with the task. */
export async function settleRebase(
  services: DriftServices,
  git: Git,
  { task, fence }: Claim,
  tracker: VersionTracker,
): Promise<VersionTracker> {
  const unfinished = await loadUnfinishedRebase(services.storage, task);
  if (!unfinished) return tracker;
  const done = await settleUnfinished(git, unfinished);
  const settled = done ? rebasedTracker(tracker, unfinished.new_head, services) : tracker;
  await services.storage.commit({ task, fence, records: [trackerRecord(settled), rebaseFinished(task)] });
  return settled;
}
