/** A bare upstream, a clone that a task works in, and one that somebody else pushes from; each made on the spot. */
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type Detection, type DetectOptions, detect } from '../../src/drift/detect.ts';
import { type Git, gitAt } from '../../src/drift/git.ts';
import { look, type Sight } from '../../src/drift/look.ts';
import { newTracker } from '../../src/drift/note.ts';
import { findRepository } from '../../src/drift/place.ts';
import type { VersionTracker } from '../../src/drift/tracker.ts';
import { type Copied, filesBelow, headOf, NO_UPKEEP, pushByFiles, writeFiles } from '../support/git-files.ts';

const ENV = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
  LC_ALL: 'C',
  ...NO_UPKEEP,
};

export interface Clone {
  readonly dir: string;
  git(...args: string[]): string;
  /** Whether it succeeded. */
  tries(...args: string[]): boolean;
  put(path: string, content: string | Uint8Array): void;
  remove(path: string): void;
  read(path: string): string;
  /** Commits all there is, and says which commit that is. */
  commit(message: string, files?: Readonly<Record<string, string | Uint8Array | null>>): string;
}

export function cloneAt(dir: string): Clone {
  const run = (args: string[]): string =>
    execFileSync('git', args, {
      cwd: dir,
      env: ENV,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trimEnd();
  const git = (...args: string[]): string =>
    (args.join(' ') === 'rev-parse HEAD' ? headOf(dir) : undefined) ?? run(args);
  const clone: Clone = {
    dir,
    git,
    tries: (...args) => {
      try {
        git(...args);
        return true;
      } catch {
        return false;
      }
    },
    put(path, content) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), content);
    },
    remove: (path) => rmSync(join(dir, path), { recursive: true }),
    read: (path) => readFileSync(join(dir, path), 'utf8'),
    commit(message, files = {}) {
      for (const [path, content] of Object.entries(files)) {
        if (content === null) clone.remove(path);
        else clone.put(path, content);
      }
      git('add', '-A');
      git('commit', '--quiet', '--allow-empty', '-m', message);
      return git('rev-parse', 'HEAD');
    },
  };
  return clone;
}

export interface Ground {
  readonly upstream: string;
  /** Where the task works. */
  readonly work: Clone;
  /** Somebody else. */
  readonly other: Clone;
}

/** With one commit of these files, that all three have. */
export function groundAt(
  dir: string,
  files: Readonly<Record<string, string>> = { 'a.txt': 'one\n' },
  branch = 'main',
): Ground {
  const upstream = join(dir, 'upstream.git');
  const key = JSON.stringify([files, branch]);
  const made = grounds.get(key);
  if (made) return copyOf(made, dir);
  mkdirSync(upstream, { recursive: true });
  cloneAt(upstream).git('init', '--quiet', '--bare', `--initial-branch=${branch}`);
  appendFileSync(join(upstream, 'config'), '[receive]\n\tautogc = false\n');
  const other = newClone(dir, 'other', upstream);
  other.commit('begin', files);
  other.git('push', '--quiet', 'origin', `HEAD:${branch}`);
  const ground = { upstream, work: newClone(dir, 'work', upstream), other };
  grounds.set(key, { dir, files: filesBelow(dir, ['upstream.git', 'other', 'work']) });
  return ground;
}

interface Made {
  readonly dir: string;
  readonly files: Copied;
}

/** Those made before in this process: to write one again takes git a quarter of the time. */
const grounds = new Map<string, Made>();

function copyOf({ dir: from, files }: Made, dir: string): Ground {
  mkdirSync(dir, { recursive: true });
  writeFiles(files, from, dir);
  const [work, other] = ['work', 'other'].map((name) => cloneAt(join(dir, name))) as [Clone, Clone];
  work.git('update-index', '--refresh'); // It knows files by their inodes.
  return { upstream: join(dir, 'upstream.git'), work, other };
}

export function newClone(dir: string, name: string, from: string, ...options: string[]): Clone {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
  cloneAt(dir).git('clone', '--quiet', ...identity, ...options, from, name);
  return cloneAt(join(dir, name));
}

/** So that git needs no configuration of the machine's. */
export function configured(clone: Clone): Clone {
  clone.git('config', 'user.name', 'Ada');
  clone.git('config', 'user.email', 'ada@example.com');
  return clone;
}

/** Somebody commits and pushes; the push without the nine processes that git starts for one. */
export function pushed(
  { other, upstream }: Ground,
  message: string,
  files: Readonly<Record<string, string | Uint8Array | null>>,
): string {
  const commit = other.commit(message, files);
  if (!pushByFiles(other.dir, upstream)) other.git('push', '--quiet', 'origin', 'HEAD');
  return commit;
}

export function gitOf(clone: Clone): Git {
  return gitAt(findRepository(clone.dir)!, {
    env: { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
  });
}

/** What a task notes when it begins. */
export async function trackerOf(clone: Clone, wanted: string | null = null): Promise<VersionTracker> {
  const sight = (await look(gitOf(clone), { wanted, fetch_timeout_ms: null })) as Sight;
  return newTracker('t0', sight, 0, '2026-01-01T00:00:00.000Z');
}

export function detectIn(
  clone: Clone,
  known: VersionTracker,
  options: Partial<DetectOptions> = {},
): Promise<Detection> {
  const own = async () => new Set<string>();
  return detect(gitOf(clone), { known, wanted: null, fetch_timeout_ms: 20_000, own, ...options });
}

/**
 * Everything in a worktree and its repository, but for what a fetch brings: objects, remote-tracking refs with their
 * logs, and refs of our own.
 */
export function pictureOf(clone: Clone): Record<string, string> {
  const { git_dir, common_dir, toplevel } = findRepository(clone.dir)!;
  const picture: Record<string, string> = {};
  const refs = clone.git('for-each-ref', '--format=%(refname) %(objectname) %(symref)').split('\n');
  picture.refs = refs
    .map((line) => line.trim())
    .filter((line) => !/^refs\/(remotes|vibe-engine)\//.test(line))
    .join('\n');
  for (const [name, dir] of Object.entries({ worktree: toplevel, own: git_dir, common: common_dir })) {
    for (const path of pathsIn(dir, name === 'worktree' ? NOT_IN_WORKTREE : NOT_IN_REPOSITORY))
      picture[`${name} ${path}`] = thingAt(dir, path);
  }
  return picture;
}

const NOT_IN_WORKTREE = /^(\.git|\.vibe-engine)$/;
/** Loose refs are compared by what git makes of them; a shallow clone may be deepened. */
const NOT_IN_REPOSITORY = /^(objects|refs|packed-refs|logs\/refs\/remotes|shallow|modules\/[^/]+\/objects)$/;

/** Names are bytes: each is written as one character a byte. */
function pathsIn(dir: string, without: RegExp, below = ''): string[] {
  const names = readdirSync(at(dir, below), { encoding: 'buffer' }).map((name) => name.toString('latin1'));
  return names.flatMap((name) => {
    const path = below === '' ? name : `${below}/${name}`;
    if (without.test(path)) return [];
    return lstatSync(at(dir, path)).isDirectory() ? [`${path}/`, ...pathsIn(dir, without, path)] : [path];
  });
}

function thingAt(dir: string, path: string): string {
  const found = lstatSync(at(dir, path));
  const mode = found.mode.toString(8);
  if (found.isDirectory()) return mode;
  if (found.isSymbolicLink()) return `${mode} ${readlinkSync(at(dir, path))}`;
  // Git itself marks the shared part of a split index as in use whenever it reads it.
  const time = path.startsWith('sharedindex.') ? '' : found.mtimeMs;
  return `${mode} ${time} ${hash('sha256', readFileSync(at(dir, path)))}`;
}

function at(dir: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${dir}/`), Buffer.from(path, 'latin1')]);
}

/** How many objects there are: none may come by a look that finds nothing. */
export function objectsOf(clone: Clone): string {
  const dir = join(findRepository(clone.dir)!.common_dir, 'objects');
  return existsSync(dir) ? pathsIn(dir, /^$/).sort().join('\n') : '';
}
