/** Undoes a rebase whose branch has not moved yet: in the process that failed, or in the one after a crash. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { readIfExists, removeIfExists } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import { type PathChange, parseChanges } from '../changes.ts';
import { fieldsOf, type Git } from '../git.ts';
import { lstatInside } from '../lstat-inside.ts';
import { openQuarantine, type Quarantine } from '../quarantine.ts';
import { requireOutput } from '../work.ts';
import { breakLock, installIndex } from './index-file.ts';
import { rememberModes } from './modes.ts';

export const UNFINISHED = z.strictObject({
  branch: z.string(),
  old_head: z.string(),
  new_head: z.string(),
  backup_ref: z.string(),
  /** Trees: the worktree and the index, before and after. */
  work: z.string(),
  carried: z.string(),
  index: z.string(),
  new_index: z.string(),
  /** Exists while git writes files: git may outlive the process that started it. */
  writing: z.string(),
});
export type Unfinished = Readonly<z.infer<typeof UNFINISHED>>;

/** `index` is a copy of the index as it was. */
export async function undo(git: Git, unfinished: Unfinished, index: string): Promise<void> {
  await restoreWork(git, unfinished);
  if (!readIfExists(join(git.place.git_dir, 'index'))?.equals(readIfExists(index) ?? new Uint8Array()))
    installIndex(git.place, index);
  await git.run(['update-ref', '-d', unfinished.backup_ref]);
}

/** After a crash: whether the rebase is in place now. If not, it was undone. */
export async function settleUnfinished(git: Git, unfinished: Unfinished): Promise<boolean> {
  const { branch, old_head, new_head, index, new_index } = unfinished;
  await untilGone(unfinished.writing);
  breakLock(git.place, new_head);
  const ref = `refs/heads/${branch}`;
  const now = await git.text(['rev-parse', '--verify', '--quiet', ref]);
  // If the branch was moved since, someone continues from there: nothing is undone.
  if (now !== old_head) return now !== null && (await isIn(git, new_head, now));
  // Files and index were in place: only the branch is missing.
  if (index !== new_index && (await indexTree(git)) === new_index)
    return (await git.run(['update-ref', ref, new_head, old_head])).code === 0;
  await restoreWork(git, unfinished);
  await git.run(['update-ref', '-d', unfinished.backup_ref]);
  return false;
}

const MOST_ATTEMPTS = 100;
const AGAIN_MS = 50;

async function untilGone(path: string): Promise<void> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS && io.lstat(path); attempt++) await sleep(AGAIN_MS);
}

async function isIn(git: Git, commit: string, branch: string): Promise<boolean> {
  return (await git.run(['merge-base', '--is-ancestor', commit, branch])).code === 0;
}

async function indexTree({ place }: Git): Promise<string | null> {
  const quarantine = openQuarantine(place);
  try {
    return await quarantine.git.text(['write-tree']);
  } finally {
    quarantine.remove();
  }
}

/** Files that are as the rebase made them become what they were; those changed since then stay. */
async function restoreWork(git: Git, { work, carried }: Unfinished): Promise<void> {
  const raw = ['diff-tree', '-r', '-z', '--no-renames', '--raw', work, carried];
  const changes = parseChanges(await requireOutput(git, raw));
  if (changes.length === 0) return;
  const quarantine = openQuarantine(git.place);
  try {
    const made = await madeByUs(quarantine, changes);
    for (const { path, before } of made) if (!before) removeFile(git.place.toplevel, path);
    const back = made.filter(({ before }) => before !== null);
    if (back.length === 0) return;
    const env = await indexOf(quarantine, 'before', back);
    const input = Buffer.from(back.map(({ path }) => `${path}\0`).join(''));
    const keepModes = rememberModes(
      git.place.toplevel,
      back.map(({ path }) => path),
    );
    await requireOutput(git, ['checkout-index', '--force', '-z', '--stdin'], { env, input });
    keepModes();
  } finally {
    quarantine.remove();
  }
}

async function madeByUs(quarantine: Quarantine, changes: readonly PathChange[]): Promise<PathChange[]> {
  const { git } = quarantine;
  const env = await indexOf(quarantine, 'after', changes);
  await git.run(['update-index', '-q', '--refresh'], { env });
  const listed = await requireOutput(git, ['diff-files', '-z', '--name-only'], { env });
  const changed = new Set(fieldsOf(listed));
  const isThere = (path: string) => lstatInside(git.place.toplevel, path) !== null;
  return changes.filter(({ path, after }) => (after ? !changed.has(path) : !isThere(path)));
}

/** An index of one side of the changes and nothing else. */
async function indexOf(
  { git, dir }: Quarantine,
  side: 'before' | 'after',
  changes: readonly PathChange[],
): Promise<{ GIT_INDEX_FILE: string }> {
  const env = { GIT_INDEX_FILE: join(dir, `index.${side}`) };
  const lines = changes.flatMap(({ path, [side]: version }) =>
    version ? [`${version.mode} ${version.object}\t${path}\0`] : [],
  );
  await requireOutput(git, ['update-index', '-z', '--index-info'], {
    env,
    input: Buffer.from(lines.join('')),
  });
  return env;
}

/** With the directories that are empty without it. */
function removeFile(toplevel: string, path: string): void {
  removeIfExists(join(toplevel, path));
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
    try {
      io.rmdir(join(toplevel, path.slice(0, at)));
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(io.errnoOf(error) ?? '')) throw error;
      return;
    }
  }
}
