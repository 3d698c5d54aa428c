/** What a run asks of its files; where nothing is known of files, there is nothing to answer. */
import type { TreeEntry } from '../../workspace/tree/tree.ts';
import type { WorkspaceLink } from '../files/workspace-link.ts';
import type { RunContext } from './run-context.ts';

interface RunFiles
  extends Pick<
    RunContext,
    'reserve' | 'snapshot' | 'changedBetween' | 'place' | 'ownPart' | 'fileAccess' | 'lastLeft' | 'settle'
  > {
  /** The run is over. Releases the files of agents that have not ended: those that a pause interrupts never do. */
  end(): Promise<void>;
}

/** `flush`: the journal is complete then. */
export function createRunFiles(
  workspace: WorkspaceLink | null,
  task: string,
  flush: () => Promise<void>,
): RunFiles {
  const reserved = new Set<() => Promise<void>>();
  return {
    reserve: async (agent, files) => {
      const release = await workspace?.reserve(task, agent, files);
      if (!release) return async () => {};
      reserved.add(release);
      return async () => {
        reserved.delete(release);
        await release();
      };
    },
    end: async () => {
      await Promise.allSettled([...[...reserved].map((release) => release()), workspace?.flush()]);
    },
    snapshot: async (options) => workspace?.snapshot(options),
    changedBetween: async (from, to) => {
      if (from === to || !workspace) return [];
      const isFile = (entry: TreeEntry | null): boolean => entry !== null && entry.kind !== 'dir';
      const changes = await workspace.diff(from, to);
      return changes.filter((one) => isFile(one.before) || isFile(one.after)).map(({ path }) => path);
    },
    place: workspace?.place,
    ownPart: async (from, to, wrote) => (await workspace?.ownPart(from, to, wrote)) ?? null,
    fileAccess: workspace?.access,
    lastLeft: async (path, now) => {
      await flush();
      return workspace?.lastLeft(task, path, now);
    },
    settle: async (begin, now) => {
      const { at, attempt, danger, snapshot, paths } = begin;
      const files = workspace && snapshot && now ? await workspace.settle(task, snapshot, now, paths) : null;
      return { began_at: at, attempt, danger, files, snapshot: snapshot ?? null };
    },
  };
}
