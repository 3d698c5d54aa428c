/** Lets git merge files in a temporary repository: the user's own is not used. */
import { removeTree } from '../../system/files.ts';
import type { GitOptions } from '../../system/git/answer.ts';
import { runGit } from '../../system/git/git.ts';
import { openGitObjects } from '../../system/git/objects.ts';
import { makeTempDir } from '../../system/user/temp.ts';
import { type GitMerge, parseGitMerge, parseListing } from './git-answer.ts';
import { type Importables, importStream } from './git-import.ts';
import type { TreeName } from './parts.ts';

interface GitsAnswer extends Pick<GitMerge, 'conflicts'> {
  /** The merged tree. */
  readonly listing: ReadonlyMap<string, { readonly mode: string; readonly object: string }>;
  /** Of what no side has, by object: git merged it. */
  readonly contents: ReadonlyMap<string, Uint8Array>;
}

export type ImportableTrees = Readonly<Record<TreeName, Importables>>;

/** Without the user's settings: those are for their own merges. */
const envFor = (dir: string) => ({
  GIT_DIR: dir,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
});
const SETTINGS = [
  ...['-c', 'merge.directoryRenames=false'],
  ...['-c', 'merge.renames=true'],
  ...['-c', 'merge.renameLimit=7000'],
];

/** Null where git is missing or older than 2.38. */
export async function askGit(trees: ImportableTrees): Promise<GitsAnswer | null> {
  const dir = makeTempDir('ve-merge');
  const git = async (args: readonly string[], options: GitOptions = {}) => {
    const { code, output } = await runGit(dir, [...SETTINGS, ...args], { ...options, env: envFor(dir) });
    return { code, text: output.toString() };
  };
  try {
    if ((await git(['init', '-q', '--bare', '--template=', '.'])).code !== 0) return null;
    const input = importStream([
      { ref: 'refs/heads/base', files: trees.base },
      { ref: 'refs/heads/ours', from: 'refs/heads/base', files: trees.ours },
      { ref: 'refs/heads/theirs', from: 'refs/heads/base', files: trees.theirs },
    ]);
    if ((await git(['fast-import', '--quiet'], { input })).code !== 0) return null;
    const merged = await git(['merge-tree', '--write-tree', '-z', 'ours', 'theirs']);
    if (merged.code !== 0 && merged.code !== 1) return null;
    const isPath = (path: string): boolean => Object.values(trees).some((files) => files.has(path));
    const { tree, conflicts } = parseGitMerge(merged.text, isPath);
    const listed = await git(['ls-tree', '-r', '-z', '--full-tree', tree]);
    if (listed.code !== 0) return null;
    // Names that git invented for one side of a conflict are left out.
    const listing = new Map([...parseListing(listed.text)].filter(([path]) => isPath(path)));
    const contents = await readNew(dir, trees, listing);
    return contents && { conflicts, listing, contents };
  } finally {
    removeTree(dir);
  }
}

async function readNew(
  dir: string,
  trees: ImportableTrees,
  listing: GitsAnswer['listing'],
): Promise<Map<string, Uint8Array> | null> {
  const known = new Set(
    Object.values(trees).flatMap((files) => [...files.values()].map(({ object }) => object)),
  );
  const listed = new Set([...listing.values()].map(({ object }) => object));
  const fresh = [...listed].filter((object) => !known.has(object));
  if (fresh.length === 0) return new Map();
  const objects = openGitObjects(dir, envFor(dir));
  try {
    const contents = await objects.read(fresh);
    if (contents.includes(null)) return null;
    return new Map(fresh.map((object, index) => [object, contents[index]!]));
  } finally {
    objects.close();
  }
}
