/** The engine's part in drift: where a task begins, before it is resumed, and while it runs. */

import { refused } from '../../drift/rebase/conditions.ts';
import type { RebasePreview } from '../../drift/rebase/preview.ts';
import { pendingEvents, resolveEvents, type VersionTracker } from '../../drift/tracker.ts';
import { InvalidInputError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Claim } from '../../storage/contract.ts';
import type { TaskState } from '../../task/state.ts';
import { loadTracker, loadVersions, trackerRecord } from '../task/records/versions.ts';
import type { ResumingTask } from './asking.ts';
import { settleEnd } from './ending.ts';
import { settleLeftover } from './leftover.ts';
import { type Drifted, type DriftServices, lookFor, repositoryOf, trackFrom } from './looking.ts';
import {
  lookAndRebase,
  previewTaskRebase,
  type RebasedTask,
  type RebaseOptions,
  settleRebase,
  type TaskRebase,
} from './rebasing.ts';
import { type Resuming, settleBeforeResume } from './resuming.ts';
import { createRunDrift, type DriftedRun, type RunDrift } from './running.ts';

export interface DriftDesk {
  /** Notes where a task begins. */
  begin(claim: Claim): Promise<void>;
  /** Throws where the task is not to be resumed now; answers what is to be done once all else is settled. */
  beforeResume(resumed: ResumingTask): Promise<Resuming>;
  /** While the task runs. */
  forRun(run: DriftedRun): RunDrift;
  versions(task: string): Promise<VersionTracker | null>;
  /** Looks now, and keeps nothing of it; null where the task is in no repository. */
  look(task: string): Promise<Drifted | null>;
  /** REBASE_REFUSED unless it is done. The caller permits it. */
  rebase(claim: Claim, options?: RebaseOptions & Pick<TaskRebase, 'resolution'>): Promise<RebasedTask>;
  /** What it would do; REBASE_REFUSED where that would be the answer. */
  previewRebase(task: string, options?: RebaseOptions): Promise<RebasePreview>;
  /** The task is begun anew: that settles what was pending. */
  restarted(claim: Claim): Promise<void>;
  /** Where the task is over: settles what is pending, says what upstream has that its branch has not, offers the rebase. */
  ended(claim: Claim, state: TaskState): Promise<void>;
  /** A rebase that a crash cut off, in this worktree, is finished or undone. */
  settleLeftover(): Promise<void>;
}

export function openDrift(host: DriftServices): DriftDesk {
  /** The newest one there was here: where upstream is need not be found again for each task. */
  let newest: VersionTracker | undefined;

  const begin = async (claim: Claim): Promise<void> => {
    const git = repositoryOf(host);
    const tracker = git && (await trackFrom(host, git, claim.task, newest));
    if (!tracker) return;
    newest = tracker;
    await save(claim, tracker);
  };

  const save = async ({ task, fence }: Claim, tracker: VersionTracker): Promise<void> => {
    await host.storage.commit({ task, fence, records: [trackerRecord(tracker)] });
  };

  return {
    begin,
    async beforeResume(resumed) {
      const git = repositoryOf(host);
      const known = git && (await loadTracker(host.storage, resumed.claim.task));
      if (!git) return NOTHING;
      if (!known) return { notes: [], apply: () => begin(resumed.claim) };
      const settled = await settleRebase(host, git, resumed.claim, known);
      if (!host.config.drift.before_resume) return NOTHING;
      return settleBeforeResume(host, git, settled, resumed, (tracker) => save(resumed.claim, tracker));
    },
    async look(task) {
      const git = repositoryOf(host);
      const known = git && (await loadTracker(host.storage, task));
      return git && known && (await lookFor(host, git, known, 'manual'));
    },
    async rebase(claim, options) {
      const git = repositoryOf(host);
      const known = git && (await loadTracker(host.storage, claim.task));
      if (!git || !known) throw refused('no upstream');
      return lookAndRebase(host, git, claim, known, options);
    },
    async previewRebase(task, options = {}) {
      const git = repositoryOf(host);
      const known = git && (await loadTracker(host.storage, task));
      if (!git || !known) throw refused('no upstream');
      return previewTaskRebase(host, git, known, options);
    },
    async restarted(claim) {
      const known = await loadTracker(host.storage, claim.task);
      if (!known) return;
      const git = host.config.drift.before_resume ? repositoryOf(host) : null;
      const settled = git ? await settleRebase(host, git, claim, known) : known;
      // What made a resume be refused was not kept: it is found again, so that it is on record why.
      const unseen = git && pendingEvents(settled).length === 0;
      const tracker = unseen ? (await lookFor(host, git, settled, 'resume')).tracker : settled;
      await save(claim, resolveEvents(tracker, 'task_restarted', host.clock.now().toISOString()));
    },
    ended: (claim, state) =>
      settleEnd(host, claim, state).catch((error: unknown) =>
        host.notify([
          phrase`What upstream has that task "${state.task_name}" has not could not be found out: ${error}`,
        ]),
      ),
    settleLeftover: () => settleLeftover(host),
    forRun: (run) => createRunDrift(host, run),
    versions: (task) =>
      loadVersions(host.storage, task, {
        now: host.clock.now(),
        failed_days: host.config.cleanup.failed_days,
      }),
  };
}

const NOTHING: Resuming = { notes: [], apply: async () => {} };

/** Where nothing is known of files, nothing is known of git. */
export const noDrift: DriftDesk = {
  begin: async () => {},
  beforeResume: async () => NOTHING,
  forRun: () => ({
    commit: noFiles,
    beforeCommit: async () => true,
    startedAt: async () => null,
    stop: async () => {},
  }),
  versions: async () => null,
  look: async () => null,
  rebase: async () => {
    throw refused('no upstream');
  },
  previewRebase: async () => {
    throw refused('no upstream');
  },
  restarted: async () => {},
  ended: async () => {},
  settleLeftover: async () => {},
};

function noFiles(): never {
  throw new InvalidInputError('USAGE', phrase`Nothing is known of files here.`, {
    hint: phrase`Open the engine with a workspace, or run the task with vibe-engine run.`,
  });
}
