/** What `git merge-tree --write-tree -z` says: the tree, what is in conflict and why. */
import type { TreeConflict } from '../../merge/entry.ts';

export interface GitMerge {
  /** Conflicted paths are in it, too. */
  readonly tree: string;
  readonly conflicts: readonly GitConflict[];
}

export interface GitConflict {
  readonly kind: TreeConflict | 'text';
  /** All paths that git names with it. */
  readonly paths: readonly string[];
  /** The objects of the base, of ours and of theirs. */
  readonly stages: Readonly<Partial<Record<1 | 2 | 3, { readonly mode: string; readonly object: string }>>>;
}

/** The stronger comes first: git says several things of one path. */
const KINDS: readonly (readonly [says: string, kind: TreeConflict | 'text'])[] = [
  ['rename/rename', 'rename/rename'],
  ['rename/delete', 'rename/delete'],
  ['file/directory', 'directory/file'],
  ['distinct modes', 'kind'],
  ['distinct types', 'kind'],
  ['rename involved in collision', 'add/add'],
  ['modify/delete', 'modify/delete'],
  ['contents', 'text'],
  ['binary', 'text'],
];

interface Group {
  readonly paths: Set<string>;
  readonly says: Set<string>;
  readonly stages: Record<string, { mode: string; object: string }>;
}

/**
 * `tree`, then `mode object stage⇥path` for each stage of what is in conflict, an empty field, then messages: how many
 * paths, the paths, the kind, the text. `isPath` tells real paths from names that git invented for one side of a conflict.
 */
export function parseGitMerge(output: string, isPath: (path: string) => boolean): GitMerge {
  const [tree, ...rest] = output.split('\0');
  const end = Math.max(0, rest.indexOf(''));
  const groups = new Map<string, Group>();
  const real = (path: string): string => (isPath(path) ? path : path.replace(/~(ours|theirs)(_\d+)?$/, ''));
  const groupOf = (path: string): Group => {
    const known = groups.get(path) ?? { paths: new Set([path]), says: new Set(), stages: {} };
    groups.set(path, known);
    return known;
  };
  for (const line of rest.slice(0, end)) {
    const [, mode, object, stage, path] = /^(\d+) ([0-9a-f]+) (\d)\t([\s\S]+)$/.exec(line)!;
    groupOf(real(path!)).stages[stage!] = { mode: mode!, object: object! };
  }
  const messages = rest.slice(end + 1);
  for (let at = 0; at + 2 < messages.length; ) {
    const count = Number(messages[at]);
    const paths = messages.slice(at + 1, at + 1 + count).map(real);
    const says = /^CONFLICT \((.+)\)$/.exec(messages[at + 1 + count]!)?.[1];
    if (says !== undefined) join(groups, paths.map(groupOf)).says.add(says);
    at += count + 3;
  }
  return { tree: tree!, conflicts: [...new Set(groups.values())].map(toConflict) };
}

/** Joins several groups into one. */
function join(groups: Map<string, Group>, several: readonly Group[]): Group {
  const [first, ...others] = several as [Group, ...Group[]];
  for (const other of others) {
    if (other === first) continue;
    for (const path of other.paths) groups.set(path, first);
    for (const path of other.paths) first.paths.add(path);
    for (const word of other.says) first.says.add(word);
    Object.assign(first.stages, { ...other.stages, ...first.stages });
  }
  return first;
}

function toConflict({ paths, says, stages }: Group): GitConflict {
  const found = KINDS.find(([word]) => says.has(word))?.[1] ?? 'text';
  const modes = Object.values(stages).map(({ mode }) => mode);
  const links = found === 'text' && modes.every((mode) => mode === '120000');
  const kind = found === 'text' && !stages[1] ? 'add/add' : links ? 'symlink' : found;
  return { kind, paths: [...paths], stages };
}

/** One entry a line of `git ls-tree -r -z`. */
export function parseListing(output: string): Map<string, { mode: string; object: string }> {
  const listed = new Map<string, { mode: string; object: string }>();
  for (const line of output.split('\0')) {
    const [, mode, object, path] = /^(\d+) \w+ ([0-9a-f]+)\t([\s\S]+)$/.exec(line) ?? [];
    if (path !== undefined) listed.set(path, { mode: mode!, object: object! });
  }
  return listed;
}
