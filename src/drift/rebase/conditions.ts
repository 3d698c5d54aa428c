/** What must hold before anything is tried. Pure. */
import { DriftError } from '../../errors.ts';
import type { Sight } from '../look.ts';

export interface Wish {
  readonly sight: Sight;
  readonly commits_behind: number;
  readonly force_push: boolean;
  /** By the user: asked, told beforehand, or by the settings. */
  readonly permitted: boolean;
  readonly test_command: string | null;
}

export type Obstacle =
  | 'not permitted'
  | 'no tests'
  | 'no upstream'
  | 'nothing new'
  | 'no commits'
  | 'detached HEAD'
  | 'operation in progress'
  | 'history rewritten'
  | 'unsettled conflict'
  | 'intended additions'
  | 'tasks at work'
  | 'merge commits'
  | 'signed commits'
  | 'commit conflicts'
  | 'uncommitted work conflicts'
  | 'files in the way'
  | 'replay failed'
  | 'tests fail'
  | 'changed meanwhile'
  | 'not applied';

/** The first thing that stands in the way; null when nothing does. */
export function obstacleTo({
  sight,
  commits_behind,
  force_push,
  permitted,
  test_command,
}: Wish): Obstacle | null {
  const has = (holds: (entry: Sight['changed'][number]) => boolean) => sight.changed.some(holds);
  const obstacles: readonly (readonly [boolean, Obstacle])[] = [
    [!permitted, 'not permitted'],
    [test_command === null, 'no tests'],
    [sight.head === null, 'no commits'],
    [sight.branch === null, 'detached HEAD'],
    [sight.operation !== null, 'operation in progress'],
    [sight.upstream_head === null, 'no upstream'],
    [force_push, 'history rewritten'],
    [commits_behind === 0, 'nothing new'],
    [has(({ kind }) => kind === 'unmerged'), 'unsettled conflict'],
    [has(({ xy }) => xy === '.A'), 'intended additions'],
  ];
  return obstacles.find(([stands]) => stands)?.[1] ?? null;
}

export function refused(why: Obstacle, data: Readonly<Record<string, unknown>> = {}): DriftError {
  const { message, hint } = WORDS[why];
  return new DriftError('REBASE_REFUSED', `Not rebased: ${message}.`, {
    data: { why, ...data },
    hint: `Everything is as it was. ${hint}`,
  });
}

const BY_HAND = 'Rebase by hand, then go on.';
const WORDS: Readonly<Record<Obstacle, { readonly message: string; readonly hint: string }>> = {
  'not permitted': {
    message: 'nobody permitted it',
    hint: 'Answer "rebase" when asked, or set on_upstream or drift.auto_rebase.',
  },
  'no tests': {
    message: 'there are no tests to run on what would come of it',
    hint: 'Set drift.test_command to the command that runs them.',
  },
  'no upstream': { message: 'nothing is known of upstream', hint: 'Give the branch an upstream.' },
  'nothing new': { message: 'upstream has nothing new', hint: 'There is nothing to do.' },
  'no commits': { message: 'the repository has no commits yet', hint: 'Commit first.' },
  'detached HEAD': { message: 'no branch is checked out', hint: 'Check out a branch.' },
  'operation in progress': {
    message: 'a merge, rebase or the like is in progress',
    hint: 'Finish it or abort it.',
  },
  'history rewritten': {
    message: "upstream's history was rewritten",
    hint: 'Compare and sync the branch by hand.',
  },
  'unsettled conflict': { message: 'a conflict in the worktree is not settled', hint: 'Settle it.' },
  'intended additions': {
    message: 'files are marked to be added later (git add -N)',
    hint: 'Add them, or take the mark away with git reset.',
  },
  'tasks at work': {
    message: 'other tasks are at work in the worktree',
    hint: 'Wait for them, or pause them.',
  },
  'merge commits': { message: 'there are merges among the commits to be moved', hint: BY_HAND },
  'signed commits': {
    message: 'there are signed commits among those to be moved, and their signatures would be lost',
    hint: BY_HAND,
  },
  'commit conflicts': { message: 'a commit conflicts with what upstream has now', hint: BY_HAND },
  'uncommitted work conflicts': {
    message: 'what is not committed conflicts with what upstream has now',
    hint: BY_HAND,
  },
  'files in the way': {
    message: 'upstream has files where there are ignored ones here',
    hint: 'Move them away.',
  },
  'replay failed': { message: 'git could not move the commits', hint: BY_HAND },
  'tests fail': {
    message: 'the tests fail on what would come of it',
    hint: 'See data.output; rebase by hand and put it right.',
  },
  'changed meanwhile': { message: 'the repository changed meanwhile', hint: 'Try again.' },
  'not applied': {
    message: 'what came of it could not be put in place',
    hint: 'See data.complaint, then try again.',
  },
};
