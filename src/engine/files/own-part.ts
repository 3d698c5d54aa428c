/** Separates a write from other changes at the same time: others may have changed this file or more. */
import { hash } from 'node:crypto';
import { isAtOrAbove } from '../../workspace/restore/plan.ts';
import type { TreeChange } from '../../workspace/tree/diff.ts';
import { entryAt, type TreeEntry } from '../../workspace/tree/tree.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { FileWrite, OwnWrite } from './workspace-link.ts';

/** Null when nothing else changed between the snapshots. */
export async function ownPart(
  workspace: Workspace,
  from: string,
  to: string,
  wrote: OwnWrite,
): Promise<{ from: string; to: string } | null> {
  const changes = await workspace.diff(from, to);
  if (isPaths(wrote)) return partAt(workspace, from, to, wrote, changes);
  if (changes.every((change) => wrote && isOf(wrote, change))) return null;
  if (!wrote) return { from, to: from };
  const { path, before, after } = wrote;
  if (entryAt(await workspace.tree(to), path)?.kind === 'omitted') return { from, to: from };
  const first = await workspace.amend(from, path, before, to);
  return { from: first, to: await workspace.amend(first, path, after, to) };
}

/** The same where it is known which files were written, and not what. */
async function partAt(
  workspace: Workspace,
  from: string,
  to: string,
  paths: readonly string[],
  changes: readonly TreeChange[],
): Promise<{ from: string; to: string } | null> {
  const isOwn = (path: string): boolean => paths.some((one) => isAtOrAbove(path, one));
  if (changes.every(({ path }) => isOwn(path))) return null;
  const tree = await workspace.tree(to);
  let own = from;
  for (const path of paths) {
    const entry = entryAt(tree, path);
    if (entry && entry.kind !== 'file') continue; // No tool that names its files makes anything else.
    own = await workspace.amend(own, path, entry && (await workspace.read(to, path)), to);
  }
  return { from, to: own };
}

function isPaths(wrote: OwnWrite): wrote is readonly string[] {
  return Array.isArray(wrote);
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
