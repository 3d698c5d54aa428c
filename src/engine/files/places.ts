/** The directories that tasks work in: the workspace, and one more for every task with a directory of its own. */
import { isAbsolute, relative, resolve } from 'node:path';
import type { Storage } from '../../storage/contract.ts';
import { ensureDir } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { type Head, loadHead } from '../task/records/head.ts';
import { unlessWithheld } from '../task/records/withheld.ts';
import { whatToolsRun } from './link.ts';
import { putFork } from './put-fork.ts';
import type { WorkspaceLink } from './workspace-link.ts';

export interface OpenPlace {
  readonly workspace: Workspace;
  readonly link: WorkspaceLink;
  close(): Promise<void>;
}

type Where = Pick<Head, 'working_dir' | 'told_where'>;

export interface Places {
  readonly main: OpenPlace;
  readonly project_dir: string;
  readonly storage: Storage;
  readonly notify: (lines: readonly string[]) => void;
  /** Opens one like the main one, in another directory. */
  open(root: string): Promise<OpenPlace>;
}

export function linkPlaces({
  main,
  project_dir,
  storage,
  notify,
  open,
}: Places): Omit<OpenPlace, 'workspace'> {
  const opened = new Map<string, Promise<OpenPlace>>();
  const project = real(project_dir);

  const { root } = main.workspace;
  const isMain = (dir: string): boolean => dir === project || isWithin(root, dir) || isWithin(dir, root);

  const placeIn = (working_dir: string): Promise<OpenPlace> => {
    const dir = real(working_dir);
    if (isMain(dir)) return Promise.resolve(main);
    const known = opened.get(dir) ?? open(dir);
    opened.set(dir, known);
    known.catch(() => opened.delete(dir));
    return known;
  };
  /** Tasks without a directory of their own work in the project, even if it has moved. */
  const placeOf = async (task: Where | null): Promise<OpenPlace> =>
    task?.told_where ? placeIn(task.working_dir) : main;
  const linkOf = async (task: string): Promise<WorkspaceLink> =>
    (await placeOf(await loadHead(storage, task))).link;

  return {
    link: {
      ...main.link,
      at: async (task) => (await placeOf(task)).link,
      async changedSince(checkpoint, reads, known) {
        const head = await loadHead(storage, checkpoint.task_id);
        const dir = head?.told_where ? real(head.working_dir) : root;
        // The check of the environment reports that it is missing.
        if (!isMain(dir) && !io.lstat(dir)?.isDirectory()) return [];
        return (await placeOf(head)).link.changedSince(checkpoint, reads, known);
      },
      merged: (checkpoint, change, user) =>
        unlessWithheld(storage, checkpoint.task_id, async () =>
          (await linkOf(checkpoint.task_id)).merged!(checkpoint, change, user),
        ),
      putBack: (checkpoint, changes, merged) =>
        unlessWithheld(storage, checkpoint.task_id, async () =>
          (await linkOf(checkpoint.task_id)).putBack?.(checkpoint, changes, merged),
        ),
      filesModified: async (task) => (await linkOf(task)).filesModified(task),
      previewRollback: (task, point, how) =>
        unlessWithheld(storage, task, async () => (await linkOf(task)).previewRollback!(task, point, how)),
      rollback: (task, point, how, known) =>
        unlessWithheld(storage, task, async () => (await linkOf(task)).rollback!(task, point, how, known)),
      redo: (task, undo, how) =>
        unlessWithheld(storage, task, async () => (await linkOf(task)).redo!(task, undo, how)),
      async fork({ snapshot, task_id }, { working_dir }) {
        if (snapshot === undefined) return undefined;
        const source = await placeOf(await loadHead(storage, task_id));
        ensureDir(working_dir, 0o777);
        const target = await placeIn(working_dir);
        if (target === source) return snapshot;
        const naming = (files: readonly string[]): void => notify(whatToolsRun(files));
        const places = { source: source.workspace, target: target.workspace, storage, naming };
        return unlessWithheld(storage, task_id, () => putFork(places, snapshot));
      },
    },
    async close() {
      for (const place of opened.values()) await (await place).close();
      await main.close();
    },
  };
}

function isWithin(root: string, dir: string): boolean {
  const path = relative(root, dir);
  return path === '' || !(isAbsolute(path) || path.split(/[/\\]/)[0] === '..');
}

function real(path: string): string {
  return io.realpath(path) ?? resolve(path);
}
