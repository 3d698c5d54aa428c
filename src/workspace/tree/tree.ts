/** A tree of files as a value: what a snapshot holds. Directories that did not change are shared between trees. */
export type TreeEntry = FileEntry | LinkEntry | DirectoryEntry | OmittedEntry;

export interface FileEntry {
  readonly kind: 'file';
  /** All twelve bits: permissions, and set-user, set-group and sticky. */
  readonly mode: number;
  readonly size: number;
  /** SHA-256 of the bytes, in hex. */
  readonly hash: string;
  /** The git object with exactly these bytes; without one the bytes are the blob `file/{hash}`. */
  readonly git?: string;
}

interface LinkEntry {
  readonly kind: 'symlink';
  readonly target: string;
}

export interface DirectoryEntry {
  readonly kind: 'dir';
  readonly mode: number;
}

/** Something exists, and it was not captured. */
interface OmittedEntry {
  readonly kind: 'omitted';
  readonly why: OmitReason;
}

export const ALL_BITS = 0o7777;

export const OMIT_REASONS = [
  /** By a .gitignore or another of git's exclude files. */
  'ignored',
  /** By the setting `exclude`. */
  'excluded',
  /** By its name it holds a secret, and git does not track it. */
  'secret',
  'too_large',
  /** A socket, a pipe or a device. */
  'special',
  /** Its name is not UTF-8, has control characters, or could be mistaken for `.git`. */
  'name',
  'unreadable',
] as const;
export type OmitReason = (typeof OMIT_REASONS)[number];

/** The names in a directory in ascending order, and at the same index what each of them is. */
export interface TreeDirectory {
  readonly names: readonly string[];
  readonly entries: readonly TreeEntry[];
}

/** By path from the root with forward slashes; the root's own path is empty. */
export type Tree = ReadonlyMap<string, TreeDirectory>;

export const EMPTY_DIRECTORY: TreeDirectory = { names: [], entries: [] };
export const EMPTY_TREE: Tree = new Map([['', EMPTY_DIRECTORY]]);

export function entryAt(tree: Tree, path: string): TreeEntry | null {
  const slash = path.lastIndexOf('/');
  const directory = tree.get(path.slice(0, Math.max(0, slash)));
  if (!directory) return null;
  const index = indexOfName(directory.names, path.slice(slash + 1));
  return index < 0 ? null : directory.entries[index]!;
}

/** Whether something that was not captured is at the path, below it, or above it. */
export function touchesOmitted(tree: Tree, path: string): boolean {
  const entry = entryAt(tree, path);
  if (entry?.kind === 'omitted') return true;
  if (entry?.kind === 'dir') return [...everyEntry(tree, path)].some(([, { kind }]) => kind === 'omitted');
  return omittedAbove(tree, path) !== null;
}

/** The directory above that was not captured, so that nothing is known of the path. */
export function omittedAbove(tree: Tree, path: string): OmittedEntry | null {
  for (let above = parentOf(path); above !== ''; above = parentOf(above)) {
    const entry = entryAt(tree, above);
    if (entry?.kind === 'omitted') return entry;
  }
  return null;
}

/** Every entry under a directory with its path, parents before what is in them. */
export function* everyEntry(tree: Tree, directory = ''): Generator<[path: string, entry: TreeEntry]> {
  const found = tree.get(directory);
  if (!found) return;
  for (const [index, name] of found.names.entries()) {
    const path = joinPath(directory, name);
    const entry = found.entries[index]!;
    yield [path, entry];
    if (entry.kind === 'dir') yield* everyEntry(tree, path);
  }
}

export function joinPath(directory: string, name: string): string {
  return directory === '' ? name : `${directory}/${name}`;
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Where the name stands in an ascending list, or a negative number. */
export function indexOfName(names: readonly string[], name: string): number {
  let low = 0;
  let high = names.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = names[middle]!;
    if (found === name) return middle;
    if (found < name) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** Whether both are the same file to a user; where their bytes are kept does not matter. */
export function sameEntry(a: TreeEntry | null, b: TreeEntry | null): boolean {
  if (a === b) return true;
  if (a?.kind === 'file' && b?.kind === 'file') return a.hash === b.hash && a.mode === b.mode;
  if (a?.kind === 'symlink' && b?.kind === 'symlink') return a.target === b.target;
  if (a?.kind === 'dir' && b?.kind === 'dir') return a.mode === b.mode;
  return a?.kind === 'omitted' && b?.kind === 'omitted' && a.why === b.why;
}
