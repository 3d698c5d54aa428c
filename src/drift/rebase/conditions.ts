/** Preconditions of a rebase. Pure. */
import { DriftError } from '../../errors.ts';
import { firstNames, phrase } from '../../phrase.ts';
import type { Sight } from '../look.ts';

export interface Wish {
  readonly sight: Sight;
  readonly commits_behind: number;
  readonly force_push: boolean;
  /** By the user: when asked, in advance, or in the settings. */
  readonly permitted: boolean;
  readonly test_command: string | null;
  /** Requested by a person, who knows that no tests run if no command for them is set. */
  readonly without_tests?: boolean | undefined;
}

type Obstacle =
  | 'not permitted'
  | 'no tests'
  | 'no repository'
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
  without_tests = false,
}: Wish): Obstacle | null {
  const has = (holds: (entry: Sight['changed'][number]) => boolean) => sight.changed.some(holds);
  const obstacles: readonly (readonly [boolean, Obstacle])[] = [
    [!permitted, 'not permitted'],
    [test_command === null && !without_tests, 'no tests'],
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
  const said = detailOf(data);
  return new DriftError('REBASE_REFUSED', [message, ...said].join(' '), {
    data: { why, ...data },
    hint: [phrase`Everything is as it was.`, hint].join(' '),
  });
}

/** The error of a replay; a refusal if git gave no answer. */
export function refusedReplay(error: unknown): unknown {
  const isUnknown = error instanceof DriftError && error.code === 'DRIFT_UNKNOWN';
  return isUnknown ? refused('replay failed', { complaint: error.message }) : error;
}

/** Details for the reader: which files, what git or the tests said. */
function detailOf({ files, complaint, output }: Readonly<Record<string, unknown>>): string[] {
  const names = Array.isArray(files) ? firstNames(files) : '';
  const last = typeof output === 'string' ? output.trimEnd().split('\n').slice(-MOST_LINES).join('\n') : '';
  return [
    ...(names === '' ? [] : [phrase`In the way: ${names}.`]),
    ...(typeof complaint === 'string' ? [phrase`Git says: ${complaint}`] : []),
    ...(last === '' ? [] : [phrase`Their last output: ${last}`]),
  ];
}

const MOST_LINES = 5;

const BY_HAND = phrase`Rebase manually: git pull --rebase --autostash. If it stops at a conflict, resolve it in the files, git add them, and git rebase --continue.`;
const WORDS: Readonly<Record<Obstacle, { readonly message: string; readonly hint: string }>> = {
  'not permitted': {
    message: phrase`Not rebased: nothing permits it.`,
    hint: phrase`Answer "rebase" when asked, give --on-upstream rebase, or set drift.auto_rebase.`,
  },
  'no tests': {
    message: phrase`Not rebased: there are no tests to run on the result.`,
    hint: phrase`Set drift.test_command to the command that runs them.`,
  },
  'no repository': {
    message: phrase`Not rebased: no git repository is known for this task.`,
    hint: phrase`Only a task that was started in a git repository has a branch to rebase.`,
  },
  'no upstream': {
    message: phrase`Not rebased: nothing is known of upstream.`,
    hint: phrase`Give the branch an upstream: git branch --set-upstream-to.`,
  },
  'nothing new': {
    message: phrase`Not rebased: upstream has nothing new.`,
    hint: phrase`There is nothing to do.`,
  },
  'no commits': {
    message: phrase`Not rebased: the repository has no commits yet.`,
    hint: phrase`Commit first.`,
  },
  'detached HEAD': {
    message: phrase`Not rebased: no branch is checked out.`,
    hint: phrase`Check out a branch.`,
  },
  'operation in progress': {
    message: phrase`Not rebased: a merge, rebase or the like is in progress.`,
    hint: phrase`Finish it or abort it.`,
  },
  'history rewritten': {
    message: phrase`Not rebased: upstream's history was rewritten.`,
    hint: phrase`Check what is gone, and sync the branch manually: git pull --rebase --autostash`,
  },
  'unsettled conflict': {
    message: phrase`Not rebased: there is an unresolved conflict in the worktree.`,
    hint: phrase`Resolve it.`,
  },
  'intended additions': {
    message: phrase`Not rebased: files are marked to be added later (git add -N).`,
    hint: phrase`Add them, or remove the mark with git reset.`,
  },
  'tasks at work': {
    message: phrase`Not rebased: other tasks are working in the worktree.`,
    hint: phrase`Wait for them, or pause them.`,
  },
  'merge commits': {
    message: phrase`Not rebased: there are merges among the commits to be moved.`,
    hint: phrase`Rebase manually, and keep the merges: git pull --rebase=merges --autostash`,
  },
  'signed commits': {
    message: phrase`Not rebased: there are signed commits among those to be moved, and their signatures would be lost.`,
    hint: BY_HAND,
  },
  'commit conflicts': {
    message: phrase`Not rebased: a commit conflicts with upstream.`,
    hint: BY_HAND,
  },
  'uncommitted work conflicts': {
    message: phrase`Not rebased: uncommitted changes conflict with upstream.`,
    hint: phrase`Rebase manually: git pull --rebase --autostash. Resolve the conflict in the files, git add them, then remove the stash that is left over: git stash drop`,
  },
  'files in the way': {
    message: phrase`Not rebased: upstream adds files where ignored files are here.`,
    hint: phrase`Move them away.`,
  },
  'replay failed': { message: phrase`Not rebased: git could not move the commits.`, hint: BY_HAND },
  'tests fail': {
    message: phrase`Not rebased: the tests fail on the result.`,
    hint: phrase`Rebase manually (git pull --rebase --autostash), and fix what the tests report.`,
  },
  'changed meanwhile': {
    message: phrase`Not rebased: the repository changed in the meantime.`,
    hint: phrase`Try again.`,
  },
  'not applied': {
    message: phrase`Not rebased: the result could not be put in place.`,
    hint: phrase`Try again.`,
  },
};
