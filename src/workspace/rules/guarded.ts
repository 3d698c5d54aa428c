/** What no tool that writes files may touch: a hook planted in a repository runs with the next git command. */
import { dirname, join, relative, resolve, sep } from 'node:path';
import { WorkspaceError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import * as io from '../../system/io.ts';
import { isOwnName, nameProblem } from '../tree/names.ts';

/**
 * WORKSPACE_UNSAFE where the path, as given or with links followed, leads into git's directory or ours. `there` is the path
 * with links followed.
 */
export function refuseGuarded(root: string, given: string, there: string): void {
  const parts = [relative(root, resolve(root, given)), relative(root, there)].flatMap((path) =>
    path.split(/[/\\]/),
  );
  if (parts.some(isOwnName) || isInRepository(root, there)) throw guarded(given);
}

/** Under any name: a bare repository, and what a `.git` that is a file or a link leads to. */
function isInRepository(root: string, there: string): boolean {
  for (let dir = dirname(there); dir.length > root.length && dir.startsWith(root + sep); dir = dirname(dir)) {
    const has = (name: string): boolean => io.lstat(join(dir, name)) !== null;
    if (has('HEAD') && (has('commondir') || (has('objects') && has('refs')))) return true;
  }
  return false;
}

/** WORKSPACE_UNSAFE if no snapshot could contain the file, so that its old content could not be restored. */
export function refuseUnkept(path: string): void {
  for (const name of path.split('/')) {
    const problem = nameProblem(name);
    if (problem) throw unkept(path, phrase`the name ${JSON.stringify(name.slice(0, 80))} ${problem}`);
  }
}

function unkept(path: string, why: string): WorkspaceError {
  return new WorkspaceError('WORKSPACE_UNSAFE', phrase`${path} is not changed: ${why}.`, {
    data: { path },
    hint: phrase`A change to it could not be undone. Choose another name, or do it with a command.`,
  });
}

function guarded(path: string): WorkspaceError {
  return new WorkspaceError(
    'WORKSPACE_UNSAFE',
    phrase`${path} belongs to git or to vibe-engine, and is not changed.`,
    {
      data: { path },
      hint: phrase`Change files of the project itself, and use git commands to change the repository.`,
    },
  );
}
