/** The engine's part in drift: where a task begins, before it is resumed, and while it runs. */

import { refused } from '../../drift/rebase/conditions.ts';
import { resolveEvents, type VersionTracker } from '../../drift/tracker.ts';
import { InvalidInputError } from '../../errors.ts';
import type { Claim } from '../../storage/contract.ts';
import type { RunEnd } from '../events.ts';
import type { ResumingTask } from './asking.ts';
import { offerRebase } from './ending.ts';
import { type Drifted, type DriftHost, lookFor, repositoryOf, trackFrom } from './looking.ts';
import { lookAndRebase, type RebasedTask, settleRebase } from './rebasing.ts';
import { loadTracker, trackerRecord } from './record.ts';
import { type Resuming, settleBeforeResume } from './resuming.ts';
import { createRunDrift, type RunDrift, type RunDriftHost } from './running.ts';

export interface DriftDesk {
  /** Notes where a task begins. */
  begin(claim: Claim): Promise<void>;
  /** Throws where the task is not to be resumed now; answers what is to be done once all else is settled. */
  beforeResume(resumed: ResumingTask): Promise<Resuming>;
  /** While the task runs. */
  forRun(run: RunDriftHost): RunDrift;
  versions(task: string): Promise<VersionTracker | null>;
  /** Looks now, and keeps nothing of it; null where the task is in no repository. */
  look(task: string): Promise<Drifted | null>;
  /** REBASE_REFUSED unless it is done. Whoever calls this permits it. */
  rebase(claim: Claim): Promise<RebasedTask>;
  /** The task is begun anew: that settles what was pending. */
  restarted(claim: Claim): Promise<void>;
  /** A run has ended: says what upstream has that the task's branch has not, and offers the rebase. */
  ended(claim: Claim, task_name: string, outcome: RunEnd): Promise<void>;
}

export function openDrift(host: DriftHost): DriftDesk {
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
    async rebase(claim) {
      const git = repositoryOf(host);
      const known = git && (await loadTracker(host.storage, claim.task));
      if (!git || !known) throw refused('no upstream');
      return lookAndRebase(host, git, claim, known);
    },
    async restarted(claim) {
      const known = await loadTracker(host.storage, claim.task);
      if (known) await save(claim, resolveEvents(known, 'task_restarted', host.clock.now().toISOString()));
    },
    ended: (claim, task_name, outcome) =>
      offerRebase(host, claim, task_name, outcome).catch((error: unknown) =>
        host.notify([`What upstream has that task "${task_name}" has not could not be found out: ${error}`]),
      ),
    forRun: (run) => createRunDrift(host, run),
    versions: (task) => loadTracker(host.storage, task),
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
  restarted: async () => {},
  ended: async () => {},
};

function noFiles(): never {
  throw new InvalidInputError('USAGE', 'Nothing is known of files here.', {
    hint: 'Open the engine with `workspace: true`.',
  });
}
