/** What a checkpoint says of files: what changed since the one before it, and by whom. Pure. */
import { hash } from 'node:crypto';
import type { CheckpointRecord, FileChange } from '../../checkpoint/record.ts';
import type { TreeChange } from '../../workspace/diff.ts';
import type { TreeEntry } from '../../workspace/tree.ts';

export const NO_CHANGES: CheckpointRecord['file_changes'] = { modified: [], created: [], deleted: [] };

/** `authorOf` is asked for those that were modified. */
export function fileChanges(
  changes: readonly TreeChange[],
  authorOf: (path: string) => FileChange['by'],
): CheckpointRecord['file_changes'] {
  const found = { modified: [] as FileChange[], created: [] as string[], deleted: [] as string[] };
  for (const { path, before, after } of changes) {
    const [was, is] = [isFile(before), isFile(after)];
    if (was && is)
      found.modified.push({
        path,
        hash_before: hashOf(before),
        hash_after: hashOf(after),
        by: authorOf(path),
      });
    else if (is) found.created.push(path);
    else if (was) found.deleted.push(path);
  }
  return found;
}

/** Directories come and go with the files in them. */
export function ofFiles(changes: readonly TreeChange[]): TreeChange[] {
  return changes.filter(({ before, after }) => isFile(before) || isFile(after));
}

export function filesIn(changes: readonly TreeChange[]): string[] {
  return ofFiles(changes).map(({ path }) => path);
}

function isFile(entry: TreeEntry | null): boolean {
  return entry?.kind === 'file' || entry?.kind === 'symlink';
}

/** A link's content is where it leads. */
function hashOf(entry: TreeEntry | null): string | null {
  if (entry?.kind === 'symlink') return hash('sha256', entry.target);
  return entry?.kind === 'file' ? entry.hash : null;
}
