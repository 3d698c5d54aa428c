/** Where a task works: its files and its repository, found once for all that is then done with it. */
import type { Services } from '../api/services.ts';
import type { Directories, Where } from '../files/directories.ts';
import type { WorkspaceLink } from '../files/workspace-link.ts';
import { type DriftDesk, noDrift, openDrift } from './desk.ts';

export interface Workplace {
  /** Null where nothing is known of files. */
  readonly workspace: WorkspaceLink | null;
  readonly drift: DriftDesk;
  /** Its directory cannot be opened: the files say why when they are asked for anything. */
  readonly refused: boolean;
}

export interface Workplaces {
  of(task: Where): Promise<Workplace>;
  /** Puts files where a fork is to work; undefined where nothing is known of files. */
  fork(...fork: Parameters<Directories['fork']>): Promise<string | undefined>;
}

/** Where nothing is known of files, nothing is known of git. */
export const noWorkplace: Workplace = { workspace: null, drift: noDrift, refused: false };

export function openWorkplaces(services: Services, files: Directories | null): Workplaces {
  const desks = new Map<string, DriftDesk>();
  const deskFor = (workspace: WorkspaceLink): DriftDesk => {
    const desk = desks.get(workspace.root) ?? openDrift({ ...services, workspace });
    desks.set(workspace.root, desk);
    return desk;
  };
  return {
    async of(task) {
      if (!files) return noWorkplace;
      const { link: workspace, refused } = await files.of(task);
      return { workspace, refused, drift: refused ? noDrift : deskFor(workspace) };
    },
    fork: async (...fork) => files?.fork(...fork),
  };
}
