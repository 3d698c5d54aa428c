/**
 * Puts a rebase in place: files, index, branch, in this order, under git's own lock. Until the branch has moved, everything
 * can be undone, here or after a crash.
 */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { readIfExists } from '../../system/files.ts';
import type { Git } from '../git.ts';
import type { RepositoryPaths } from '../place.ts';
import { copyIndex, ON_COPIED_INDEX, openQuarantine, type Quarantine } from '../quarantine.ts';
import { commitTree, requireOutput } from '../work.ts';
import { type Carried, type UncommittedWork, uncommittedWork } from './carry.ts';
import { refused } from './conditions.ts';
import { installIndex, lockIndex } from './index-file.ts';
import { rememberModes } from './modes.ts';
import { type Unfinished, undo } from './undo.ts';

interface Prepared {
  readonly branch: string;
  /** As a readable name. */
  readonly onto: string;
  readonly upstream_head: string;
  readonly old_head: string;
  readonly new_head: string;
  readonly before: UncommittedWork;
  readonly after: Carried;
  /** Of the index file, when all this was prepared. */
  readonly index_hash: string;
  readonly backup_ref: string;
}

/** `begin` is called before the first change, with what is needed to undo it if this process dies. */
export async function apply(
  git: Git,
  quarantine: Quarantine,
  prepared: Prepared,
  begin: (unfinished: Unfinished) => Promise<void>,
): Promise<void> {
  const { branch, old_head, new_head, before, after, backup_ref } = prepared;
  const index = await newIndex(quarantine, git.place, prepared);
  const trees = { work: before.work, carried: after.work, index: before.index, new_index: after.index };
  const release = lockIndex(git.place, new_head);
  const fresh = openQuarantine(git.place);
  const writing = `${fresh.index}.lock`;
  const unfinished: Unfinished = { branch, old_head, new_head, backup_ref, ...trees, writing };
  try {
    await assertUnchanged(git, fresh, prepared);
    await bringObjects(git, quarantine, prepared);
    await begin(unfinished);
    try {
      await requireOutput(git, ['update-ref', backup_ref, before.backup]);
      const env = { GIT_OBJECT_DIRECTORY: quarantine.objects, GIT_INDEX_FILE: fresh.index };
      const keepModes = rememberModes(
        git.place.toplevel,
        after.changes.map(({ path }) => path),
      );
      // Checks every file before it writes the first one, and writes only those that differ.
      await requireOutput(git, [...ON_COPIED_INDEX, 'read-tree', '-m', '-u', before.work, after.work], {
        env,
      });
      keepModes();
      await git.run([...ON_COPIED_INDEX, 'update-index', '-q', '--refresh'], {
        env: { GIT_INDEX_FILE: index },
      });
      installIndex(git.place, index);
      const message = `rebase (vibe-engine): onto ${prepared.onto}`;
      await requireOutput(git, ['update-ref', '-m', message, `refs/heads/${branch}`, new_head, old_head]);
    } catch (error) {
      await undo(git, unfinished, join(quarantine.dir, 'index.before'));
      throw refused('not applied', { complaint: error instanceof Error ? error.message : String(error) });
    }
  } finally {
    release();
    fresh.remove();
  }
}

/** The new index: everything in it besides contents stays. */
async function newIndex(
  { git, dir }: Quarantine,
  place: RepositoryPaths,
  { before, after }: Prepared,
): Promise<string> {
  const index = join(dir, 'index.after');
  copyIndex(join(place.git_dir, 'index'), index);
  copyIndex(join(place.git_dir, 'index'), join(dir, 'index.before'));
  const env = { GIT_INDEX_FILE: index };
  await requireOutput(git, ['read-tree', '-i', '-m', before.index, after.index], { env });
  return index;
}

async function assertUnchanged(git: Git, fresh: Quarantine, prepared: Prepared): Promise<void> {
  const { branch, old_head, before, index_hash } = prepared;
  const head = await git.text(['rev-parse', 'HEAD', '--symbolic-full-name', 'HEAD']);
  if (head !== `${old_head}\nrefs/heads/${branch}`) throw refused('changed meanwhile', { what: 'HEAD' });
  if (indexHash(git.place) !== index_hash) throw refused('changed meanwhile', { what: 'the index' });
  const { work } = await uncommittedWork(fresh, old_head);
  if (work !== before.work) throw refused('changed meanwhile', { what: 'files' });
}

/** Only now are new objects added to the user's repository: the commits, and what is not committed. */
async function bringObjects(git: Git, quarantine: Quarantine, prepared: Prepared): Promise<void> {
  const { old_head, new_head, upstream_head, before, after } = prepared;
  const uncommitted = await Promise.all(
    [after.work, after.index].map((tree) => commitTree(quarantine.git, tree, old_head)),
  );
  const wanted = [new_head, before.backup, ...uncommitted, `^${old_head}`, `^${upstream_head}`];
  const input = Buffer.from(`${wanted.join('\n')}\n`);
  const pack = await requireOutput(quarantine.git, ['pack-objects', '--revs', '--stdout', '-q'], { input });
  await requireOutput(git, ['unpack-objects', '-q'], { input: pack });
}

export function indexHash({ git_dir }: RepositoryPaths): string {
  return hash('sha256', readIfExists(join(git_dir, 'index')) ?? '');
}
