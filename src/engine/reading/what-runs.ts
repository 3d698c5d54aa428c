/** What resuming a task runs, to be shown before it is: a command line, or a file. */
import { resolve } from 'node:path';
import type { Config } from '../../config/types.ts';
import type { Storage } from '../../storage/contract.ts';
import { nextCommand } from '../command/next-command.ts';
import { loadHead } from '../task/records/head.ts';
import { isImported } from '../task/records/imported.ts';

export interface WhatRuns {
  readonly kind: 'command' | 'file';
  /** The command as one would type it, or the file's path. */
  readonly what: string;
  /** Where a command is run. */
  readonly dir: string;
  /** It came from a file that others may have written. */
  readonly imported: boolean;
  /** The task, and those that it was forked from. */
  readonly tasks: readonly string[];
}

/** Null if it is not known. `again`: from its beginning. */
export async function whatRuns(
  storage: Storage,
  task: string,
  config: Config,
  options: { readonly again?: boolean } = {},
): Promise<WhatRuns | null> {
  const head = await loadHead(storage, task);
  if (!head) return null;
  const imported = await isImported(storage, head);
  const tasks = [task, ...head.lineage.map((share) => share.task)];
  const command = await nextCommand(storage, task, config, options);
  if (command)
    return {
      kind: 'command',
      what: command.line,
      dir: resolve(head.working_dir, command.given.dir),
      imported,
      tasks,
    };
  const { kind, path } = head.origin ?? {};
  if (kind !== 'file' || typeof path !== 'string') return null;
  return { kind: 'file', what: path, dir: head.working_dir, imported, tasks };
}
