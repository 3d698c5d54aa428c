/** Separates a write from other changes at the same time: others may have changed this file or more. */
import { hash } from 'node:crypto';
import { isAtOrAbove } from '../../workspace/restore/plan.ts';
import type { TreeChange } from '../../workspace/tree/diff.ts';
import { entryAt, type TreeEntry } from '../../workspace/tree/tree.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { FileWrite } from './workspace-link.ts';

/** Null when nothing else changed between the snapshots. */
export async function ownPart(
  workspace: Workspace,
  from: string,
  to: string,
  wrote: FileWrite | null,
): Promise<{ from: string; to: string } | null> {
  const changes = await workspace.diff(from, to);
  if (changes.every((change) => wrote && isOf(wrote, change))) return null;
  if (!wrote) return { from, to: from };
  const { path, before, after } = wrote;
  if (entryAt(await workspace.tree(to), path)?.kind === 'omitted') return { from, to: from };
  const first = await workspace.amend(from, path, before, to);
  return { from: first, to: await workspace.amend(first, path, after, to) };
}

function isOf({ path, before, after }: FileWrite, change: TreeChange): boolean {
  if (change.path !== path)
    return isAtOrAbove(change.path, path) && !change.before && isDirectory(change.after);
  return holds(change.before, before) && holds(change.after, after);
}

function holds(entry: TreeEntry | null, content: Uint8Array | null): boolean {
  if (entry === null || content === null) return entry === content;
  return entry.kind === 'file' && entry.hash === hash('sha256', content);
}

function isDirectory(entry: TreeEntry | null): boolean {
  return entry?.kind === 'dir';
}
