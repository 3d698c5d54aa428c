/** The git repository around a workspace, if any: we read it and add refs of our own; nothing else is changed. */
import { join } from 'node:path';
import { readIfExists } from '../../system/files.ts';
import type { GitOutput } from '../../system/git/answer.ts';
import { runGit, runGitNow } from '../../system/git/git.ts';
import { openGitObjects } from '../../system/git/objects.ts';
import { newId } from '../../system/ids.ts';
import * as io from '../../system/io.ts';
import { type OuterIgnoreFile, RULE_FILE, type Tracked, trackedFrom } from '../rules/rules.ts';

export interface Repository {
  readonly algorithm: 'sha1' | 'sha256';
  /** Git's directory of objects. */
  readonly objects: string;
  /** The ignore files outside the tree, the weakest first. */
  readonly outerIgnoreFiles: () => OuterIgnoreFile[];
  /** Changes when the index or an ignore file outside the tree does. */
  readonly fingerprint: () => { readonly index: string; readonly ignores: string };
  /** Read when it is needed, in the middle of a scan, and kept while the index is the same. */
  tracked(): Tracked;
  /** Keeps these objects from being collected; returns the holds on them. Null when git does not have them all. */
  hold(objects: ReadonlySet<string>): Promise<string[] | null>;
  /** Our holds, for all workspaces of the store. */
  holds(): Promise<string[]>;
  /** All of them or none: false if git refuses. */
  release(holds: readonly string[]): Promise<boolean>;
  /** Of these objects, the ones that every clone of the remote has. */
  inRemote(objects: ReadonlySet<string>): Promise<ReadonlySet<string>>;
  /** The content of objects, in order; null for one that is missing. */
  read(objects: readonly string[]): Promise<(Uint8Array | null)[]>;
  close(): void;
}

/** With this many new objects it pays to check whether the tree of HEAD holds them. */
const MANY = 500;

/**
 * Null where there is no git, no repository, or one that git refuses to read. A hold is a ref
 * `refs/vibe-engine/{store}/{hold}` to a tree: several stores may hold objects of one repository.
 */
export async function openRepository(root: string, store: string): Promise<Repository | null> {
  const refs = `refs/vibe-engine/${store}/`;
  const git = async (args: readonly string[], input?: string): Promise<GitOutput | null> => {
    const { code, output } = await runGit(
      root,
      args,
      input === undefined ? {} : { input: Buffer.from(input) },
    );
    return code === 0 ? output : null;
  };
  const line = async (...args: string[]): Promise<string> => (await git(args))?.toString().trim() ?? '';

  const [facts, configured] = await Promise.all([
    git(['rev-parse', '--show-object-format', '--path-format=absolute', '--is-inside-work-tree', ...PATHS]),
    line('config', '--type=path', '--get', 'core.excludesFile'),
  ]);
  const [algorithm, inside, index, exclude, objectsDir, prefix = ''] = facts?.toString().split('\n') ?? [];
  if (
    inside !== 'true' ||
    (algorithm !== 'sha1' && algorithm !== 'sha256') ||
    !index ||
    !exclude ||
    !objectsDir
  )
    return null;
  const ignoreFiles = [
    ...[configured || join(configHome(), 'git', 'ignore'), exclude].map((path) => ({ path, prefix })),
    ...ignoreFilesAbove(root, prefix),
  ];

  const treeObjects = async (tree: string): Promise<Set<string>> =>
    new Set(fieldsOf(await git(['ls-tree', '-r', '-z', '--full-tree', '--format=%(objectname)', tree])));
  const headTree = (): Promise<string> => line('rev-parse', '--verify', '--quiet', 'HEAD^{tree}');
  const updateRefs = (lines: readonly string[]): Promise<GitOutput | null> =>
    git(['update-ref', '--stdin'], lines.map((line) => `${line}\n`).join(''));

  const objects = openGitObjects(root);
  let listed: { stamp: string; tracked: Tracked } | undefined;

  return {
    algorithm,
    objects: objectsDir,
    outerIgnoreFiles: () =>
      ignoreFiles.map(({ path, prefix }) => ({ text: readIfExists(path)?.toString() ?? '', prefix })),
    fingerprint: () => ({
      index: stampOf(index),
      ignores: ignoreFiles.map(({ path }) => stampOf(path)).join(),
    }),

    tracked() {
      const stamp = stampOf(index);
      if (listed?.stamp === stamp) return listed.tracked;
      const found = new Map<string, string>();
      for (const field of fieldsOf(runGitNow(root, ['ls-files', '--stage', '-z']))) {
        // `100644 {object} {stage}⇥{path}`; links and submodules have other modes, conflicts other stages.
        const tab = field.indexOf('\t');
        const [mode, object, stage] = field.slice(0, tab).split(' ');
        if (mode?.startsWith('100') && stage === '0') found.set(field.slice(tab + 1), object!);
      }
      listed = { stamp, tracked: trackedFrom(found) };
      return listed.tracked;
    },

    async hold(wanted) {
      const trees: string[] = [];
      let rest = [...wanted];
      const head = rest.length >= MANY ? await headTree() : '';
      if (head !== '') {
        const inHead = await treeObjects(head);
        rest = rest.filter((object) => !inHead.has(object));
        if (rest.length < wanted.size) trees.push(head);
      }
      if (rest.length > 0) {
        // Refuses missing objects.
        const listing = rest.sort().map((object) => `100644 blob ${object}\t${object}\0`);
        const tree = (await git(['mktree', '-z'], listing.join('')))?.toString().trim();
        if (!tree) return null;
        trees.push(tree);
      }
      const holds = trees.map(() => newId('h'));
      const made = await updateRefs(holds.map((hold, index) => `create ${refs}${hold} ${trees[index]}`));
      return made && holds;
    },
    holds: async () =>
      fieldsOf(await git(['for-each-ref', '--format=%(refname)', refs]), '\n').map((ref) =>
        ref.slice(refs.length),
      ),
    release: async (holds) => (await updateRefs(holds.map((hold) => `delete ${refs}${hold}`))) !== null,

    async inRemote(wanted) {
      const unpushed = await line('rev-list', '--max-count=1', 'HEAD', '--not', '--remotes');
      const boundary = unpushed
        ? fieldsOf(await git(['rev-list', '--boundary', 'HEAD', '--not', '--remotes']), '\n')
            .filter((commit) => commit.startsWith('-'))
            .map((commit) => commit.slice(1))
        : [await line('rev-parse', '--verify', '--quiet', 'HEAD')];
      const remotes = await line('for-each-ref', '--count=1', '--format=%(refname)', 'refs/remotes');
      const there = new Set<string>();
      if (remotes === '') return there;
      for (const commit of boundary.filter(Boolean).slice(0, MOST_BOUNDARY)) {
        for (const object of await treeObjects(commit)) if (wanted.has(object)) there.add(object);
      }
      return there;
    },

    read: objects.read,
    close: objects.close,
  };
}

const PATHS = ['--git-path', 'index', '--git-path', 'info/exclude', '--git-path', 'objects', '--show-prefix'];
const MOST_BOUNDARY = 10;

/** Those of the directories above a workspace inside a repository, the outermost first. */
function ignoreFilesAbove(root: string, prefix: string): { path: string; prefix: string }[] {
  const parts = prefix.split('/').filter(Boolean);
  return parts.map((_, index) => ({
    path: join(root, ...parts.slice(index).fill('..'), RULE_FILE),
    prefix: `${parts.slice(index).join('/')}/`,
  }));
}

function fieldsOf(output: GitOutput | null, separator = '\0'): string[] {
  return output?.toString().split(separator).filter(Boolean) ?? [];
}

function stampOf(path: string): string {
  const found = io.lstat(path);
  return found ? `${found.ino}:${found.size}:${found.mtimeMs}:${found.ctimeMs}` : '';
}

function configHome(): string {
  return process.env.XDG_CONFIG_HOME || join(process.env.HOME ?? '', '.config');
}
