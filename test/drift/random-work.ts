/** Random work on both sides of a repository: what the task does here, what somebody pushes there. */
import { chmodSync, existsSync, lstatSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../crash/random.ts';
import { type Clone, type Ground, groundAt } from './ground.ts';

type Files = Record<string, string>;

/** Lines that occur often among lines that do not: which belong together is sometimes anybody's guess. */
function line(random: Random): string {
  return random.oneIn(3) ? random.pick(['}', '', '  return;', '{']) : `line ${random.below(200)}`;
}

function lines(random: Random, count: number): string[] {
  return Array.from({ length: count }, () => line(random));
}

export function randomText(random: Random): string {
  return textOf(lines(random, 10 + random.below(70)));
}

function textOf(content: readonly string[]): string {
  return content.map((text) => `${text}\n`).join('');
}

/** A change or two to lines of a text. */
export function edited(random: Random, text: string): string {
  const content = text.split('\n').slice(0, -1);
  for (let changes = 1 + random.below(2); changes > 0; changes--) {
    const at = random.below(content.length + 1);
    const count = 1 + random.below(3);
    switch (random.below(5)) {
      case 0:
        content.splice(at, 0, ...lines(random, count));
        break;
      case 1:
        content.splice(at, count);
        break;
      case 2: {
        const moved = content.splice(at, count);
        content.splice(random.below(content.length + 1), 0, ...moved);
        break;
      }
      default:
        content.splice(at, count, ...lines(random, count));
    }
  }
  return textOf(content);
}

export function randomGround(random: Random, dir: string): { ground: Ground; files: Files } {
  const files: Files = {};
  for (let n = 2 + random.below(4); n > 0; n--)
    files[`${random.pick(['', 'src/'])}f${n}.txt`] = randomText(random);
  return { ground: groundAt(dir, files), files };
}

/** Edits some of the files: `left` says where each stands with the clone now. */
export function editSome(random: Random, clone: Clone, left: Files): void {
  for (const path of Object.keys(left)) {
    if (!random.oneIn(3) || !existsSync(join(clone.dir, path))) continue;
    left[path] = edited(random, left[path]!);
    clone.put(path, left[path]);
  }
}

/** Edits of content alone: in commits, staged, and neither. */
export function plainWork(random: Random, work: Clone, files: Files): void {
  const left = { ...files };
  for (let commits = random.below(3); commits > 0; commits--) {
    editSome(random, work, left);
    work.commit('mine');
  }
  if (random.oneIn(2)) {
    editSome(random, work, left);
    work.git('add', '-A');
  }
  if (random.oneIn(2)) editSome(random, work, left);
}

export function plainPush(random: Random, other: Clone, files: Files): void {
  const left = { ...files };
  for (let commits = 1 + random.below(3); commits > 0; commits--) {
    editSome(random, other, left);
    other.commit('theirs');
  }
  other.git('push', '--quiet', 'origin', 'HEAD');
}

type Change = (random: Random, clone: Clone, path: string) => void;

const CHANGES: readonly Change[] = [
  (random, clone, path) => place(clone, path, edited(random, clone.read(path))),
  (random, clone) => place(clone, `new-${random.below(5)}.txt`, randomText(random)),
  (random, clone) => place(clone, `dir-${random.below(2)}/deep/${random.below(3)}.txt`, randomText(random)),
  (_random, clone, path) => clone.remove(path),
  (random, clone, path) => {
    place(clone, `moved-${random.below(3)}.txt`, clone.read(path));
    clone.remove(path);
  },
  (_random, clone, path) => chmodSync(join(clone.dir, path), 0o755),
  (random, clone) => place(clone, 'data.bin', `${random.below(5)}\0${random.below(1000)}`),
  (random, clone, path) => place(clone, path, clone.read(path).replaceAll('\n', random.pick(['\r\n', '\n']))),
  (random, clone) => {
    const link = join(clone.dir, `link-${random.below(2)}`);
    rmSync(link, { force: true });
    symlinkSync(random.pick(['a', 'b']), link);
  },
  (random, clone, path) => {
    clone.remove(path);
    place(clone, `${path}/inside.txt`, randomText(random));
  },
];

/** In place of whatever is there or on the way. */
function place(clone: Clone, path: string, content: string): void {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth++) {
    const at = join(clone.dir, ...parts.slice(0, depth));
    const isDirectory = lstatSync(at, { throwIfNoEntry: false })?.isDirectory() ?? false;
    if (isDirectory === (depth === parts.length)) rmSync(at, { recursive: true, force: true });
  }
  clone.put(path, content);
}

/** Any change that files can undergo. */
export function changeAnything(random: Random, clone: Clone): void {
  const paths = clone
    .git('ls-files', '-z', '--', '*.txt')
    .split('\0')
    .filter((path) => path !== '' && isFile(clone, path));
  for (let changes = 1 + random.below(3); changes > 0; changes--) {
    const path = random.pick(paths);
    if (path !== undefined && isFile(clone, path)) random.pick(CHANGES)(random, clone, path);
  }
}

function isFile(clone: Clone, path: string): boolean {
  return clone.tries('hash-object', '--', path);
}

/** What the worktree may be in when somebody looks. */
export const SITUATIONS: Readonly<Record<string, (random: Random, work: Clone) => void>> = {
  plain: () => {},
  staged: (random, work) => {
    changeAnything(random, work);
    work.git('add', '-A');
  },
  stashed: (random, work) => {
    changeAnything(random, work);
    work.tries('stash', 'push', '--quiet', '--include-untracked');
  },
  ignored: (_random, work) => {
    work.put('.git/info/exclude', 'new-*\ndata.bin\n');
    work.put('new-1.txt', 'ignored, and dear to somebody\n');
  },
  detached: (_random, work) => void work.git('checkout', '--quiet', '--detach'),
  switched: (_random, work) => void work.git('switch', '--quiet', '--create', 'elsewhere'),
  merging: (random, work) => {
    work.git('stash', 'push', '--quiet', '--include-untracked');
    work.git('switch', '--quiet', '--create', 'side');
    changeAnything(random, work);
    work.commit('side');
    work.git('switch', '--quiet', 'main');
    changeAnything(random, work);
    work.commit('main');
    work.tries('merge', '--quiet', 'side');
  },
  sparse: (_random, work) => void work.tries('sparse-checkout', 'set', '--no-cone', '/*', '!/src/'),
  intended: (_random, work) => {
    work.put('intended.txt', 'to be added\n');
    work.git('add', '--intent-to-add', 'intended.txt');
  },
};
