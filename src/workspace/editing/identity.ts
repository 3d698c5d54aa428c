/** One name for one file, regardless of links, Unicode form or case. */
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { WorkspaceError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import * as io from '../../system/io.ts';
import { isPattern } from '../reservations/overlap.ts';

export interface LocatedFile {
  /** The same for every way to name the file or pattern: relative to the workspace, with "/" between its parts. */
  readonly key: string;
  /** Where it really is, or would be. */
  readonly path: string;
}

export type Locate = (path: string) => LocatedFile;

/** `root` is the workspace's directory, its links followed. */
export function locateIn(root: string, case_sensitive: boolean): Locate {
  return (path) => {
    const named = relative(root, resolve(root, path)).split(sep);
    const patternAt = named.findIndex(isPattern);
    const literal = patternAt < 0 ? named : named.slice(0, patternAt);
    const there = followed(join(root, ...literal));
    const inside = relative(root, there);
    if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) throw outside(root, path);
    const rest = patternAt < 0 ? [] : named.slice(patternAt);
    const name = [...inside.split(sep), ...rest]
      .filter((part) => part !== '')
      .join('/')
      .normalize('NFC');
    return { key: case_sensitive ? name : name.toLowerCase(), path: join(there, ...rest) };
  };
}

/** Links are followed as far as the path exists; the rest keeps its name. */
function followed(path: string): string {
  const found = io.realpath(path);
  if (found !== null) return found;
  const parent = dirname(path);
  return parent === path ? path : join(followed(parent), path.slice(parent === sep ? 1 : parent.length + 1));
}

function outside(root: string, path: string): WorkspaceError {
  return new WorkspaceError('WORKSPACE_UNSAFE', phrase`${path} is not inside ${root}.`, {
    data: { root, path },
    hint: phrase`Name a file of the workspace, by a path that leads out of it neither by ".." nor by a link.`,
  });
}
