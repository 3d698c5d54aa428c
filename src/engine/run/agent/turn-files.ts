/** The files that an agent changes in one turn: each is reserved at its first change, until the run ends or rests. */
import { WorkspaceError } from '../../../errors.ts';
import type { RunContext } from '../run-context.ts';

interface TurnFiles {
  /** Those inside the workspace, as snapshots name them. */
  namesOf(paths: readonly string[]): readonly string[];
  /** Returns why not, if another agent is changing one of them. */
  reserve(paths: readonly string[]): Promise<WorkspaceError | null>;
  /** The turn has ended, and the run has not. */
  free(): Promise<void>;
}

export function createTurnFiles(active: Pick<RunContext, 'fileAccess' | 'reserve'>): TurnFiles {
  const reserved = new Set<string>();
  let releases: (() => Promise<void>)[] = [];
  const inside = (paths: readonly string[]): Map<string, string> => {
    const names = new Map<string, string>();
    for (const path of active.fileAccess ? paths : []) {
      const name = nameOf(path);
      if (name !== null) names.set(name, path);
    }
    return names;
  };
  const nameOf = (path: string): string | null => {
    try {
      active.fileAccess!.assertChangeable(path);
      return active.fileAccess!.nameInSnapshots(path);
    } catch (error) {
      if (error instanceof WorkspaceError && error.code === 'WORKSPACE_UNSAFE') return null;
      throw error;
    }
  };
  return {
    namesOf: (paths) => [...inside(paths).keys()],
    async reserve(paths) {
      const wanted = [...inside(paths)].filter(([name]) => !reserved.has(name));
      if (wanted.length === 0) return null;
      try {
        releases.push(await active.reserve('', { files: wanted.map(([, path]) => path) }));
      } catch (error) {
        if (error instanceof WorkspaceError && error.code === 'FILE_RESERVED') return error;
        throw error;
      }
      for (const [name, path] of wanted) {
        reserved.add(name);
        active.fileAccess!.keep(path);
      }
      return null;
    },
    async free() {
      const all = releases;
      releases = [];
      reserved.clear();
      for (const release of all) await release();
    },
  };
}
