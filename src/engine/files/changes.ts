/** What a checkpoint says of files: what changed since the one before it, and by whom. Pure. */
import { hash } from 'node:crypto';
import type { CheckpointRecord, FileChange } from '../../checkpoint/record/record.ts';
import type { TreeChange } from '../../workspace/tree/diff.ts';
import type { TreeEntry } from '../../workspace/tree/tree.ts';

export function fileChanges(
  changes: readonly TreeChange[],
  authorOf: (change: TreeChange) => FileChange['by'],
): CheckpointRecord['file_changes'] {
  const of = ofFiles(changes);
  const [modified, others] = [of.filter(wasFile), of.filter((change) => !wasFile(change))];
  const told = (change: TreeChange): FileChange => tell(change, authorOf(change));
  return {
    modified: modified.map(told),
    created: others.filter(({ after }) => isFile(after)).map(({ path }) => path),
    deleted: others.filter(({ before }) => isFile(before)).map(({ path }) => path),
    ...(others.length > 0 ? { details: others.map(told) } : {}),
  };
}

/** And is one still. */
function wasFile({ before, after }: TreeChange): boolean {
  return before !== null && after !== null && !isDirectory(before) && !isDirectory(after);
}

function tell({ path, before, after }: TreeChange, by: FileChange['by']): FileChange {
  const hashes = { hash_before: hashOf(before), hash_after: hashOf(after) };
  const [mode_before, mode_after] = [modeOf(before), modeOf(after)];
  if (mode_before === mode_after) return { path, ...hashes, by };
  return {
    path,
    ...hashes,
    ...(mode_before ? { mode_before } : {}),
    ...(mode_after ? { mode_after } : {}),
    by,
  };
}

/** Links have none of their own. */
function modeOf(entry: TreeEntry | null): string | null {
  return entry?.kind === 'file' ? entry.mode.toString(8).padStart(4, '0') : null;
}

/** Directories come and go with the files in them. Of what was not captured it is not known whether it changed. */
export function ofFiles(changes: readonly TreeChange[]): TreeChange[] {
  return changes.filter(
    ({ before, after }) => (isFile(before) || isFile(after)) && isKnown(before) && isKnown(after),
  );
}

/** What grew too large to be captured counts as changed. */
function isKnown(entry: TreeEntry | null): boolean {
  return entry?.kind !== 'omitted' || entry.why === 'too_large';
}

function isDirectory({ kind }: TreeEntry): boolean {
  return kind === 'dir';
}

export function filesIn(changes: readonly TreeChange[]): string[] {
  return ofFiles(changes).map(({ path }) => path);
}

/** Files and links; directories follow their content. */
export function isFile(entry: TreeEntry | null): boolean {
  return entry?.kind === 'file' || entry?.kind === 'symlink';
}

/** A link's content is where it leads. */
export function hashOf(entry: TreeEntry | null): string | null {
  if (entry?.kind === 'symlink') return hash('sha256', entry.target);
  return entry?.kind === 'file' ? entry.hash : null;
}
