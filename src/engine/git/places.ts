/** Drift per place of work: the workspace's repository, or the one of a task's own directory. */
import { WorkspaceError } from '../../errors.ts';
import { loadHead } from '../task/records/head.ts';
import { type DriftDesk, noDrift, openDrift } from './desk.ts';
import type { DriftServices } from './looking.ts';
import type { RunDrift } from './running.ts';

export function openDriftPlaces(host: DriftServices): DriftDesk {
  const { storage, workspace } = host;
  const desks = new Map<string, DriftDesk>();
  const deskIn = (root: string): DriftDesk => {
    const desk = desks.get(root) ?? openDrift({ ...host, root });
    desks.set(root, desk);
    return desk;
  };

  const deskOf = async (task: string): Promise<DriftDesk> => {
    const head = await loadHead(storage, task);
    if (!head?.told_where || !workspace.at) return deskIn(host.root);
    try {
      return deskIn((await workspace.at(head)).desk?.root ?? host.root);
    } catch (error) {
      // The check of the environment reports the missing directory.
      if (error instanceof WorkspaceError) return noDrift;
      throw error;
    }
  };

  return {
    begin: async (claim) => (await deskOf(claim.task)).begin(claim),
    beforeResume: async (resumed) => (await deskOf(resumed.claim.task)).beforeResume(resumed),
    forRun(run): RunDrift {
      const made = deskOf(run.task).then((desk) => desk.forRun(run));
      made.catch(() => {}); // Its users get the error.
      return {
        commit: async (commit) => (await made).commit(commit),
        beforeCommit: async () => (await made).beforeCommit(),
        startedAt: async () => (await made).startedAt(),
        stop: async () => (await made).stop(),
      };
    },
    versions: deskIn(host.root).versions,
    look: async (task) => (await deskOf(task)).look(task),
    rebase: async (claim, options) => (await deskOf(claim.task)).rebase(claim, options),
    previewRebase: async (task, options) => (await deskOf(task)).previewRebase(task, options),
    restarted: async (claim) => (await deskOf(claim.task)).restarted(claim),
    ended: async (claim, state) => (await deskOf(claim.task)).ended(claim, state),
    settleLeftover: deskIn(host.root).settleLeftover,
  };
}
