/**
 * What commands may have done to what no snapshot has: files that are gone, and files that were changed or came since. Found
 * by names and by ctime, which no program can set; their content is not known.
 */
import { join } from 'node:path';
import { runGit } from '../../system/git/git.ts';
import * as io from '../../system/io.ts';
import { entryAt, everyEntry, omittedAbove, type Tree } from '../tree/tree.ts';
import { onDisk } from './on-disk.ts';
import type { PlanItem } from './plan.ts';

/** Enough to look at in a directory that is not captured: some hold whole installations. */
const MOST_NAMES = 20_000;
/** The file system's clock may be behind by a tick. */
const TICK_MS = 20;
const SLASH = Buffer.from('/');

export function uncapturedSince(
  root: string,
  spans: readonly { readonly from: Tree }[],
  now: Tree,
  since: number,
): string[] {
  const found = new Set<string>();
  let left = MOST_NAMES;
  const above = Buffer.from(`${root}/`);
  const isYoung = (path: Buffer): boolean => {
    left -= 1;
    const stat = statOf(path);
    if (!stat) return false;
    if (stat.ctimeMs >= since - TICK_MS) return true;
    return (
      stat.isDirectory() &&
      namesOf(path).some((name) => left > 0 && isYoung(Buffer.concat([path, SLASH, name])))
    );
  };
  for (const { from } of spans)
    for (const path of omittedIn(from)) {
      const entry = entryAt(now, path);
      if (entry === null && !omittedAbove(now, path)) found.add(path);
      // Captured by now: what was done to it before is not known.
      if (entry && entry.kind !== 'omitted' && isYoung(Buffer.concat([above, onDisk(path)]))) found.add(path);
    }
  for (const path of omittedIn(now)) if (isYoung(Buffer.concat([above, onDisk(path)]))) found.add(path);
  return [...found].sort();
}

/** What is put back as it was when it was first captured: what a command did to it before that is not known. */
export function capturedLater(
  items: readonly { readonly path: string; readonly action: string }[],
  [first]: readonly { readonly from: Tree }[],
): string[] {
  const isLeftOut = (path: string): boolean =>
    entryAt(first!.from, path)?.kind === 'omitted' || omittedAbove(first!.from, path) !== null;
  return items.filter(({ path, action }) => action !== 'keep' && isLeftOut(path)).map(({ path }) => path);
}

/** Whether a repository that had files of the checkpoint is gone. */
export async function isRepositoryLost(root: string, checkpoint: Tree): Promise<boolean> {
  if (io.lstat(join(root, '.git'))) return false;
  const wasThere = [...checkpoint.values()].some(({ entries }) =>
    entries.some((entry) => entry.kind === 'file' && entry.git !== undefined),
  );
  return wasThere && (await runGit(root, ['rev-parse', '--git-dir'])).code !== 0;
}

/** What no snapshot has, and a command may have changed. */
export function notCaptured(path: string): PlanItem {
  const nothing = { current: null, target: null, steps: [], doubtful: false, runs: false };
  return { path, ...nothing, action: 'keep', why: 'not_captured' };
}

function omittedIn(tree: Tree): string[] {
  return [...everyEntry(tree)].filter(([, { kind }]) => kind === 'omitted').map(([path]) => path);
}

function statOf(path: Buffer): ReturnType<typeof io.lstat> {
  return unlessRefused(() => io.lstat(path), null);
}

function namesOf(path: Buffer): Buffer[] {
  return unlessRefused(() => io.readNameBytes(path), []);
}

function unlessRefused<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch (error) {
    if (io.errnoOf(error) === undefined) throw error;
    return otherwise;
  }
}
