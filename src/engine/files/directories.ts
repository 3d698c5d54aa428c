/** The directories that tasks work in: the workspace, and one more for every task with a directory of its own. */
import { isAbsolute, relative, resolve } from 'node:path';
import { WorkspaceError } from '../../errors.ts';
import { ensureDir } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { Services } from '../api/services.ts';
import type { Head } from '../task/records/head.ts';
import { unlessWithheld } from '../task/records/withheld.ts';
import { whatToolsRun } from './link.ts';
import { putFork } from './put-fork.ts';
import type { WorkspaceLink } from './workspace-link.ts';

export interface OpenDirectory {
  readonly workspace: Workspace;
  readonly link: WorkspaceLink;
  close(): Promise<void>;
}

/** Tasks without a directory of their own work in the project, even if it has moved. */
export type Where = Pick<Head, 'working_dir' | 'told_where'>;

export interface Directories {
  /** The files of a task. `refused` where its directory cannot be opened: asked anything, the link then says why. */
  of(task: Where): Promise<{ readonly link: WorkspaceLink; readonly refused: boolean }>;
  /** Puts files of a task where a fork of it is to work, and returns the snapshot of the result. */
  fork(parent: Head, snapshot: string, working_dir: string): Promise<string>;
  close(): Promise<void>;
}

/** `open` opens one like the main one, in another directory. */
export function openDirectories(
  { storage, project_dir, notify }: Services,
  main: OpenDirectory,
  open: (root: string) => Promise<OpenDirectory>,
): Directories {
  const opened = new Map<string, Promise<OpenDirectory>>();
  const project = real(project_dir);
  const { root } = main.workspace;

  const openIn = (working_dir: string): Promise<OpenDirectory> => {
    const dir = real(working_dir);
    if (dir === project || isWithin(root, dir) || isWithin(dir, root)) return Promise.resolve(main);
    const known = opened.get(dir) ?? open(dir);
    opened.set(dir, known);
    // Its caller has the error; the next one tries again.
    known.catch(() => opened.delete(dir));
    return known;
  };
  const directoryOf = async ({ working_dir, told_where }: Where): Promise<OpenDirectory> =>
    told_where ? openIn(working_dir) : main;

  return {
    async of(task) {
      try {
        return { link: (await directoryOf(task)).link, refused: false };
      } catch (error) {
        if (!(error instanceof WorkspaceError)) throw error;
        return {
          link: refusing(error, io.lstat(real(task.working_dir))?.isDirectory() ?? false),
          refused: true,
        };
      }
    },
    async fork(parent, snapshot, working_dir) {
      const source = await directoryOf(parent);
      ensureDir(working_dir, 0o777);
      const target = await openIn(working_dir);
      if (target === source) return snapshot;
      const naming = (files: readonly string[]): void => notify(whatToolsRun(files));
      const places = { source: source.workspace, target: target.workspace, storage, naming };
      return unlessWithheld(storage, parent.task_id, () => putFork(places, snapshot));
    },
    async close() {
      for (const directory of opened.values()) await (await directory).close();
      await main.close();
    },
  };
}

/** The check of the environment reports a missing directory; until then, nothing of it has changed. */
function refusing(error: WorkspaceError, isThere: boolean): WorkspaceLink {
  return new Proxy({} as WorkspaceLink, {
    get(_, name) {
      if (name === 'changedSince' && !isThere) return async () => [];
      throw error;
    },
  });
}

function isWithin(root: string, dir: string): boolean {
  const path = relative(root, dir);
  return path === '' || !(isAbsolute(path) || path.split(/[/\\]/)[0] === '..');
}

function real(path: string): string {
  return io.realpath(path) ?? resolve(path);
}
