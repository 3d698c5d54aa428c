/** Drift handling of the engine: when a task starts, before it is resumed, and while it runs. */

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

export interface RepositoryDrift {
  /** Records where a task starts. */
  begin(claim: Claim): Promise<void>;
  /** Throws if the task must not be resumed now; returns what to do once everything else is settled. */
  beforeResume(resumed: ResumingTask): Promise<Resuming>;
  /** While the task runs. */
  forRun(run: DriftedRun): RunDrift;
  versions(task: string): Promise<VersionTracker | null>;
  /** Checks now, and stores nothing; null where the task is in no repository. */
  look(task: string): Promise<Drifted | null>;
  /** REBASE_REFUSED unless it is done. The caller permits it. */
  rebase(claim: Claim, options?: RebaseOptions & Pick<TaskRebase, 'resolution'>): Promise<RebasedTask>;
  /** What it would do; throws REBASE_REFUSED if it would be refused. */
  previewRebase(task: string, options?: RebaseOptions): Promise<RebasePreview>;
  /** The task was started again: that resolves pending drift. */
  restarted(claim: Claim): Promise<void>;
  /** When the task has ended: resolves pending drift, reports what its branch lacks of upstream, offers the rebase. */
  ended(claim: Claim, state: TaskState): Promise<void>;
  /** Finishes or undoes a rebase that a crash interrupted in this worktree. */
  settleLeftover(): Promise<void>;
}

export function openDrift(services: DriftServices): RepositoryDrift {
  /** The newest tracker of this engine: upstream need not be resolved again for each task. */
  let newest: VersionTracker | undefined;

  const begin = async (claim: Claim): Promise<void> => {
    const git = repositoryOf(services);
    const tracker = git && (await trackFrom(services, git, claim.task, newest));
    if (!tracker) return;
    newest = tracker;
    await save(claim, tracker);
  };

  const save = async ({ task, fence }: Claim, tracker: VersionTracker): Promise<void> => {
    await services.storage.commit({ task, fence, records: [trackerRecord(tracker)] });
  };

  return {
    begin,
    async beforeResume(resumed) {
      const git = repositoryOf(services);
      const known = git && (await loadTracker(services.storage, resumed.claim.task));
      if (!git) return NOTHING;
      if (!known) return { notes: [], apply: () => begin(resumed.claim) };
      const settled = await settleRebase(services, git, resumed.claim, known);
      if (!services.config.drift.before_resume) return NOTHING;
      return settleBeforeResume(services, git, settled, resumed, (tracker) => save(resumed.claim, tracker));
    },
    async look(task) {
      const git = repositoryOf(services);
      const known = git && (await loadTracker(services.storage, task));
      return git && known && (await lookFor(services, git, known, 'manual'));
    },
    async rebase(claim, options) {
      const git = repositoryOf(services);
      const known = git && (await loadTracker(services.storage, claim.task));
      if (!git || !known) throw refused('no repository');
      return lookAndRebase(services, git, claim, known, options);
    },
    async previewRebase(task, options = {}) {
      const git = repositoryOf(services);
      const known = git && (await loadTracker(services.storage, task));
      if (!git || !known) throw refused('no repository');
      return previewTaskRebase(services, git, known, options);
    },
    async restarted(claim) {
      const known = await loadTracker(services.storage, claim.task);
      if (!known) return;
      const git = services.config.drift.before_resume ? repositoryOf(services) : null;
      const settled = git ? await settleRebase(services, git, claim, known) : known;
      // The drift that made a resume fail was not stored: it is detected again, to be on record.
      const unseen = git && pendingEvents(settled).length === 0;
      const tracker = unseen ? (await lookFor(services, git, settled, 'resume')).tracker : settled;
      await save(claim, resolveEvents(tracker, 'task_restarted', services.clock.now().toISOString()));
    },
    ended: (claim, state) =>
      settleEnd(services, claim, state).catch((error: unknown) =>
        services.notify([
          phrase`Could not find out which upstream commits task "${state.task_name}" lacks: ${error}`,
        ]),
      ),
    settleLeftover: () => settleLeftover(services),
    forRun: (run) => createRunDrift(services, run),
    versions: (task) =>
      loadVersions(services.storage, task, {
        now: services.clock.now(),
        failed_days: services.config.cleanup.failed_days,
      }),
  };
}

const NOTHING: Resuming = { notes: [], apply: async () => {} };

/** Without a workspace, nothing is known of git. */
export const noDrift: RepositoryDrift = {
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
    throw refused('no repository');
  },
  previewRebase: async () => {
    throw refused('no repository');
  },
  restarted: async () => {},
  ended: async () => {},
  settleLeftover: async () => {},
};

function noFiles(): never {
  throw new InvalidInputError('USAGE', phrase`Files are not captured here.`, {
    hint: phrase`Open the engine with a workspace, or run the task with vibe-engine run.`,
  });
}
