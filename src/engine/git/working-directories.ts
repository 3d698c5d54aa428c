/** Where a task works: its files and its repository, found once for all that is then done with it. */
import type { Services } from '../api/services.ts';
import type { Directories, Where } from '../files/directories.ts';
import type { WorkspaceLink } from '../files/workspace-link.ts';
import { noDrift, openDrift, type RepositoryDrift } from './repository-drift.ts';

export interface WorkingDirectory {
  /** Null where nothing is known of files. */
  readonly workspace: WorkspaceLink | null;
  readonly drift: RepositoryDrift;
  /** Its directory cannot be opened: the files say why when they are asked for anything. */
  readonly refused: boolean;
}

export interface WorkingDirectories {
  of(task: Where): Promise<WorkingDirectory>;
  /** Puts files where a fork is to work; undefined where nothing is known of files. */
  fork(...fork: Parameters<Directories['fork']>): Promise<string | undefined>;
}

/** Where nothing is known of files, nothing is known of git. */
export const noWorkingDirectory: WorkingDirectory = { workspace: null, drift: noDrift, refused: false };

export function openWorkingDirectories(services: Services, files: Directories | null): WorkingDirectories {
  const opened = new Map<string, RepositoryDrift>();
  const driftOf = (workspace: WorkspaceLink): RepositoryDrift => {
    const drift = opened.get(workspace.root) ?? openDrift({ ...services, workspace });
    opened.set(workspace.root, drift);
    return drift;
  };
  return {
    async of(task) {
      if (!files) return noWorkingDirectory;
      const { link: workspace, refused } = await files.of(task);
      return { workspace, refused, drift: refused ? noDrift : driftOf(workspace) };
    },
    fork: async (...fork) => files?.fork(...fork),
  };
}
