/** What two trees differ in, path by path, as git lists it. */
import type { GitOutput } from '../system/git/answer.ts';
import { fieldsOf, type Git } from './git.ts';
import { requireOutput } from './work.ts';

export interface PathChange {
  /** Where it is now; where it was when it is gone. */
  readonly path: string;
  /** Set where it was moved. */
  readonly from: string | null;
  readonly before: Version | null;
  readonly after: Version | null;
}

interface Version {
  readonly mode: string;
  readonly object: string;
}

export async function changesBetween(git: Git, from: string, to: string): Promise<PathChange[]> {
  if (from === to) return [];
  return parseChanges(await requireOutput(git, ['diff-tree', '-r', '-z', '-M', '--raw', from, to]));
}

/** `:mode mode object object status`, then the path, or both paths where it was moved. */
export function parseChanges(output: GitOutput): PathChange[] {
  const changes: PathChange[] = [];
  const fields = fieldsOf(output)[Symbol.iterator]();
  for (const field of fields) {
    const [before, after, was, is, status] = field.slice(1).split(' ');
    const path: string = fields.next().value!;
    const moved = status!.startsWith('R');
    changes.push({
      path: moved ? fields.next().value! : path,
      from: moved ? path : null,
      before: versionOf(before!, was!),
      after: versionOf(after!, is!),
    });
  }
  return changes;
}

function versionOf(mode: string, object: string): Version | null {
  return mode === '000000' ? null : { mode, object };
}

export interface ChangedName {
  readonly path: string;
  /** As git writes it: added, deleted, modified, another type. */
  readonly status: string;
}

/** Only the paths; a move counts as a removal and an addition. */
export async function pathsBetween(git: Git, from: string, to: string): Promise<ChangedName[]> {
  if (from === to) return [];
  const fields = fieldsOf(
    await requireOutput(git, ['diff-tree', '-r', '-z', '--no-renames', '--name-status', from, to]),
  );
  return fields.flatMap((status, index) => (index % 2 === 0 ? [{ status, path: fields[index + 1]! }] : []));
}

export const SUBMODULE = '160000';
