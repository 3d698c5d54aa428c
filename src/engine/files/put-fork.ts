/** Puts the files of a checkpoint into another directory, for a fork that works there. */
import { WorkspaceError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import { repositoryId } from '../../workspace/git/repository-id.ts';
import { entryAt, everyEntry, sameEntry, type Tree } from '../../workspace/tree/tree.ts';
import type { Workspace } from '../../workspace/workspace.ts';

interface ForkFiles {
  readonly source: Workspace;
  readonly target: Workspace;
  readonly storage: Storage;
  /** Called with files whose content tools execute, before they are written. */
  readonly naming: (files: readonly string[]) => void;
}

/**
 * Returns the snapshot of the files there. The directory may have what the snapshot has, and files that are as git has them
 * where it belongs to the same repository, such as a new worktree; refused where it has anything else.
 */
export async function putFork(fork: ForkFiles, snapshot: string): Promise<string> {
  const { source, target, naming } = fork;
  const wanted = await source.tree(snapshot);
  const { id: now } = await target.snapshot();
  const inGit = await sameRepository(source.root, target.root);
  const inTheWay = filesInTheWay(await target.tree(now), wanted, inGit);
  if (inTheWay.length > 0) throw notEmpty(target.root, inTheWay);
  // A store that an old snapshot has is one only where the source is.
  const changes = (await target.diff(snapshot, now)).filter(
    ({ path, before }) => before === null || entryAt(wanted, path) !== null,
  );
  for (const { path, before } of changes) if (before?.kind === 'file') await lend(fork, snapshot, path);
  const paths = changes.map(({ path }) => path);
  const { left } = await target.restore({ to: snapshot, own: [{ from: snapshot, to: now }], paths, naming });
  if (left.length > 0)
    throw notEmpty(
      target.root,
      left.map(({ path }) => path),
    );
  return (await target.snapshot()).id;
}

async function sameRepository(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([repositoryId(one), repositoryId(other)]);
  return a !== null && a.id === b?.id;
}

/** `inGit`: what git has need not stay. */
function filesInTheWay(there: Tree, wanted: Tree, inGit: boolean): string[] {
  return [...everyEntry(there)]
    .filter(([path, entry]) => {
      if (entry.kind === 'dir' || entry.kind === 'omitted') return false;
      return !(inGit && entry.kind === 'file' && entry.git) && !sameEntry(entry, entryAt(wanted, path));
    })
    .map(([path]) => path);
}

/** Content that only the source's repository has is stored, so that the fork can read it. */
async function lend({ source, target, storage }: ForkFiles, snapshot: string, path: string): Promise<void> {
  try {
    await target.read(snapshot, path);
  } catch (error) {
    if (!(error instanceof WorkspaceError && error.code === 'CONTENT_MISSING')) throw error;
    await storage.putBlobs(null, [{ kind: 'file', bytes: await source.read(snapshot, path) }]);
  }
}

function notEmpty(root: string, files: readonly string[]): WorkspaceError {
  return new WorkspaceError(
    'WORKSPACE_UNSAFE',
    phrase`${root} is not empty: ${files[0]}${files.length > 1 ? ` and ${files.length - 1} more` : ''}.`,
    {
      data: { root, files },
      hint: phrase`None of them was changed. Name an empty directory, or a new worktree of the repository.`,
    },
  );
}
