/** What `git status` says of a worktree, as a value. */
import type { GitOutput } from '../system/git/answer.ts';
import { fieldsOf } from './git.ts';

export interface WorktreeStatus {
  /** Null before the first commit. */
  readonly head: string | null;
  /** Null where HEAD is detached. */
  readonly branch: string | null;
  readonly changed: readonly ChangedPath[];
}

export interface ChangedPath {
  /** Relative to the top of the worktree; an untracked directory ends with "/". */
  readonly path: string;
  /** `renamed` in the index: from `from`. `unmerged`: an unresolved conflict. */
  readonly kind: 'changed' | 'renamed' | 'unmerged' | 'untracked';
  /** As git writes them: index and worktree, `.` for unchanged. */
  readonly xy: string;
  readonly submodule: boolean;
  readonly from?: string;
}

export const STATUS: readonly string[] = [
  'status',
  '--porcelain=v2',
  '--branch',
  '--no-ahead-behind',
  '-z',
  '--untracked-files=normal',
];

export function parseStatus(output: GitOutput): WorktreeStatus {
  const changed: ChangedPath[] = [];
  const headers = new Map<string, string>();
  const fields = fieldsOf(output)[Symbol.iterator]();
  for (const field of fields) {
    const [kind] = field;
    if (kind === '#') {
      const [, name, ...value] = field.split(' ');
      headers.set(name!, value.join(' '));
    } else if (kind === '?') {
      changed.push({ path: field.slice(2), kind: 'untracked', xy: '??', submodule: false });
    } else if (kind !== '!') {
      // The parts before the path are of fixed number: 8 for changed ones, 9 for renamed, 10 for unmerged.
      const [, xy, sub] = field.split(' ');
      const common = { xy: xy!, submodule: sub!.startsWith('S') };
      const path = afterSpaces(field, kind === '1' ? 8 : kind === '2' ? 9 : 10);
      if (kind === '2') changed.push({ path, kind: 'renamed', ...common, from: fields.next().value! });
      else changed.push({ path, kind: kind === 'u' ? 'unmerged' : 'changed', ...common });
    }
  }
  const head = headers.get('branch.oid');
  const branch = headers.get('branch.head');
  return {
    head: head === undefined || head === '(initial)' ? null : head,
    branch: branch === undefined || branch === '(detached)' ? null : branch,
    changed,
  };
}

function afterSpaces(text: string, spaces: number): string {
  let at = 0;
  for (let seen = 0; seen < spaces; seen++) at = text.indexOf(' ', at) + 1;
  return text.slice(at);
}
