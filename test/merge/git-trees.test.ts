/** Whole trees against `git merge-tree`, hundreds of them in one repository. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import type { TreeEntry } from '../../src/merge/entry.ts';
import { mergeText } from '../../src/merge/text.ts';
import { planTreeMerge, type Trees } from '../../src/merge/tree.ts';
import { tempDirs } from '../support/temp.ts';
import { type Draw, drawFrom } from './cases.ts';
import { bareEnvironment } from './git-merges.ts';

const temp = tempDirs();

interface File {
  readonly type: '100644' | '100755' | '120000';
  readonly content: string;
}
type Files = ReadonlyMap<string, File>;
type TreeCase = Readonly<Record<keyof Trees, Files>>;

test('agrees with git on which merges of trees are clean, and on the tree when they are', () => {
  const draw = drawFrom(1_126);
  const cases = Array.from({ length: 200 }, () => makeTrees(draw));
  const mine = cases.map(merge);
  const byGit = mergeWithGit(cases, mine);
  const conflicts = mine.filter((files) => files === undefined).length;
  expect(conflicts).toBeGreaterThan(40);
  expect(conflicts).toBeLessThan(160);
  expect(byGit.map(({ clean }) => clean)).toEqual(mine.map((files) => files !== undefined));
  for (const { clean, tree, treeOfMine } of byGit) if (clean) expect(treeOfMine).toBe(tree);
});

/** Few paths, so that all kinds of clashes happen; contents of several lines, so that some merge. */
function makeTrees(draw: Draw): TreeCase {
  const base = new Map<string, File>();
  for (let count = draw(6); count > 0; count--) put(base, draw);
  const edited = () => {
    const files = new Map(base);
    for (let edits = 1 + draw(3); edits > 0; edits--) put(files, draw);
    return files;
  };
  return { base, ours: edited(), theirs: edited() };
}

const PATHS = ['a', 'a/b', 'a/c/d', 'e', 'f/g', 'f/h'];

function put(files: Map<string, File>, draw: Draw): void {
  const path = PATHS[draw(PATHS.length)]!;
  if (draw(4) === 0) {
    files.delete(path);
    return;
  }
  for (const other of files.keys()) {
    if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) files.delete(other);
  }
  const link = draw(6) === 0;
  // Little in common with any other path's, so that nothing looks moved.
  const own = path.repeat(20);
  const content = link ? `${own}${draw(3)}` : `${draw(3)}\n${own}\n${own}\n${draw(3)}\n`;
  files.set(path, { type: link ? '120000' : draw(4) === 0 ? '100755' : '100644', content });
}

/** The merged files, or nothing where there is a conflict. */
function merge({ base, ours, theirs }: TreeCase): Files | undefined {
  const trees = { base: toManifest(base), ours: toManifest(ours), theirs: toManifest(theirs) };
  const merged = new Map(base);
  for (const { path, from, result, conflict } of planTreeMerge(trees)) {
    if (conflict) return undefined;
    if (result.do === 'remove') {
      merged.delete(path);
    } else if (result.do === 'merge') {
      const text = mergeText(
        base.get(from.base!)!.content,
        ours.get(from.ours!)!.content,
        theirs.get(from.theirs!)!.content,
      );
      if (text.outcome !== 'clean') return undefined;
      merged.set(path, { type: typeOf(result.mode), content: Buffer.from(text.bytes).toString() });
    } else {
      const source = result.side === 'ours' ? ours.get(from.ours!)! : theirs.get(from.theirs!)!;
      const { entry } = result;
      merged.set(path, entry.kind === 'file' ? { ...source, type: typeOf(entry.mode) } : source);
    }
  }
  return merged;
}

function toManifest(files: Files): ReadonlyMap<string, TreeEntry> {
  return new Map(
    [...files].map(([path, { type, content }]): [string, TreeEntry] =>
      type === '120000'
        ? [path, { kind: 'symlink', target: content }]
        : [path, { kind: 'file', mode: type === '100755' ? 0o755 : 0o644, hash: content }],
    ),
  );
}

function typeOf(mode: number): File['type'] {
  return mode === 0o755 ? '100755' : '100644';
}

interface ByGit {
  readonly clean: boolean;
  readonly tree: string;
  /** Git's name for the tree that was made here. */
  readonly treeOfMine: string | undefined;
}

function mergeWithGit(cases: readonly TreeCase[], mine: readonly (Files | undefined)[]): ByGit[] {
  const directory = temp();
  const run = (command: string, args: readonly string[], input = '') =>
    execFileSync(command, args, { cwd: directory, env: bareEnvironment(directory), input, encoding: 'utf8' });
  run('git', ['init', '-q', '--bare']);
  const commits = cases.flatMap(({ base, ours, theirs }, index) => [
    commit(`refs/base/${index}`, base),
    commit(`refs/ours/${index}`, ours, `refs/base/${index}`),
    commit(`refs/theirs/${index}`, theirs, `refs/base/${index}`),
    mine[index] ? commit(`refs/mine/${index}`, mine[index]) : '',
  ]);
  run('git', ['fast-import', '--quiet'], commits.join(''));
  const script = `i=0; while [ $i -lt ${cases.length} ]; do
    git merge-tree --write-tree refs/ours/$i refs/theirs/$i > merged 2>&1
    echo "$? $(head -n 1 merged)"; i=$((i + 1)); done`;
  const answers = run('sh', ['-c', script]).trim().split('\n');
  const refs = run('git', ['for-each-ref', '--format=%(refname) %(tree)', 'refs/mine']).trim().split('\n');
  const trees = new Map(refs.map((line) => line.split(' ') as [string, string]));
  return answers.map((answer, index) => {
    const [status, tree] = answer.split(' ');
    return { clean: status === '0', tree: tree!, treeOfMine: trees.get(`refs/mine/${index}`) };
  });
}

/** In the language of `git fast-import`. */
function commit(ref: string, files: Files, parent?: string): string {
  const changes = [...files].map(([path, { type, content }]) => `M ${type} inline ${path}\n${data(content)}`);
  const from = parent ? `from ${parent}\n` : '';
  return `commit ${ref}\ncommitter test <test@localhost> 0 +0000\n${data('')}${from}deleteall\n${changes.join('')}\n`;
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}
