/** Opens what the engine needs for files: the workspace, its reservations, and the link between them and the tasks. */

import { join } from 'node:path';
import type { Config } from '../../config/types.ts';
import { keepOutOfGit } from '../../system/git/out-of-git.ts';
import { ensureDirBelow } from '../../system/own-files.ts';
import { openFileLocks } from '../../workspace/editing/file-locks.ts';
import { openReservations } from '../../workspace/reservations/reservations.ts';
import { boardFile, boardInFile, boardInStore } from '../../workspace/reservations/shared-board.ts';
import { sharedNames } from '../../workspace/reservations/shared-names.ts';
import { commandResolver, toolResolver } from '../../workspace/resolve/command.ts';
import { recordedResolver } from '../../workspace/resolve/recorded.ts';
import type { Resolver } from '../../workspace/resolve/resolver.ts';
import type { CaptureSettings } from '../../workspace/rules/rules.ts';
import { openWorkspace } from '../../workspace/workspace.ts';
import type { Services } from '../api/services.ts';
import { isUnreadable, mendOutside } from '../task/damage.ts';
import { type Directories, type OpenDirectory, openDirectories } from './directories.ts';
import { linkWorkspace } from './link.ts';
import { finishedLaterNotes } from './put-back.ts';

/** These override the settings of the section `workspace`. */
export interface FilesOptions extends CaptureSettings {
  /**
   * Asked in this order when `task.files` meets lines that others changed too: after what was resolved before, and
   * before the programs that the settings name and the user.
   */
  readonly resolvers?: readonly Resolver[];
  /** The directory the tasks work on; default: the project. */
  readonly root?: string;
  /** Watch the files while tasks run. */
  readonly watch?: boolean;
  /** Workspaces with the same identity share reservations. */
  readonly identity?: string | null;
}

export async function openFiles(services: Services, options: FilesOptions): Promise<Directories> {
  const { storage, notify } = services;
  const open = async (root: string): Promise<OpenDirectory> => {
    const at = { ...options, root };
    try {
      return await openDirectory(services, at);
    } catch (error) {
      const notes = isUnreadable(error) ? await mendOutside(storage) : [];
      if (notes.length === 0) throw error;
      notify(notes);
      return openDirectory(services, at);
    }
  };
  return openDirectories(services, await open(options.root ?? services.project_dir), open);
}

async function openDirectory(
  services: Services,
  options: FilesOptions & { readonly root: string },
): Promise<OpenDirectory> {
  const { storage, config, clock, notify, onProgress } = services;
  const { resolvers: named = [], root: given, ...chosen } = options;
  const { watch, identity, ...capture } = { ...config.workspace, ...chosen };
  const workspace = await openWorkspace({
    ...capture,
    keeps_captured: true,
    root: given,
    storage,
    clock,
    ...(onProgress && { onProgress }),
  });
  const { root, finished } = workspace;
  const lines = finished.flatMap(finishedLaterNotes);
  if (lines.length > 0) notify(lines);
  const locks_dir = join(root, '.vibe-engine', 'locks');
  ensureDirBelow(join(root, '.vibe-engine'), locks_dir);
  keepOutOfGit(join(root, '.vibe-engine')); // a store elsewhere does not do it
  const files = await openFileLocks(root);
  const ground = await sharedNames({ root, shared: storage.shared, identity });
  const reservations = openReservations({
    board:
      storage.shared || identity !== null
        ? boardInStore(storage, ground.id, clock)
        : boardInFile(boardFile(root), files.turn, clock),
    locks_dir,
    identify: (path) => ground.nameOf(files.locate(path).key),
    lease_ms: config.conflicts.reservation_minutes * 60_000,
    clock,
  });
  const resolvers = chainOf(config, named);
  return {
    workspace,
    link: linkWorkspace(services, { workspace, reservations, files, resolvers }, watch),
    async close() {
      await reservations.close();
      await files.close();
      await workspace.close();
    },
  };
}

function chainOf({ conflicts }: Config, named: readonly Resolver[]): Resolver[] {
  return [
    ...(conflicts.reuse_resolutions ? [recordedResolver] : []),
    ...named,
    ...(conflicts.merge_tool === null ? [] : [toolResolver(conflicts.merge_tool)]),
    ...(conflicts.resolver === null ? [] : [commandResolver(conflicts.resolver)]),
  ];
}
