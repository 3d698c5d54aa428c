/** Has the repository changed since the task's last check? *unknown* is one of the answers. */

import { hash } from 'node:crypto';
import { DriftError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import type { OnProgress } from '../system/progress.ts';
import { commonHistory, type Deepening, distanceOf, type Relation, relationOf } from './ancestry.ts';
import { type Assessment, assess } from './assess.ts';
import { type ForcePush, hasVanished, lookAtForcePush } from './force-push.ts';
import type { Git } from './git.ts';
import { look, type Sight, type Unknown } from './look.ts';
import { lstatInside } from './lstat-inside.ts';
import { isNotFetched } from './missing.ts';
import type { ChangedPath } from './status.ts';
import type { DriftEvent, VersionTracker } from './tracker.ts';
import { sameUpstream } from './upstream.ts';

export type Finding =
  | {
      readonly type: 'upstream_change';
      readonly old_head: string;
      readonly new_head: string;
      readonly commits_behind: number;
    }
  | ({ readonly type: 'force_push' } & ForcePush)
  | { readonly type: 'local_change'; readonly files: readonly string[] }
  | {
      readonly type: 'branch_switched';
      readonly old_branch: string | null;
      readonly new_branch: string | null;
    }
  | {
      readonly type: 'head_moved';
      readonly old_head: string | null;
      readonly new_head: string | null;
      readonly how: Relation;
    };

export interface Detection {
  readonly findings: readonly Finding[];
  /** Why upstream could not be checked, or its commits not be assessed; null if they could. */
  readonly unknown: Unknown | null;
  /** Null where git cannot read the repository. */
  readonly sight: Sight | null;
  readonly commits_behind: number;
  /** What others left uncommitted. */
  readonly others: readonly string[];
  /** Of what upstream has and the branch has not; null when that is nothing, or as it was. */
  readonly assessment: Assessment | null;
  readonly work: string;
  /** The branch still has commits that were taken from upstream, and that is undecided. */
  readonly on_vanished: boolean;
}

export interface DetectOptions {
  readonly known: VersionTracker;
  readonly wanted: string | null;
  readonly fetch_timeout_ms: number;
  readonly onProgress?: OnProgress | undefined;
  /** The files the task has changed itself, relative to the top of the worktree; called only when needed. */
  readonly own: () => Promise<ReadonlySet<string>>;
}

export async function detect(git: Git, options: DetectOptions): Promise<Detection> {
  const { known, wanted, fetch_timeout_ms, onProgress, own } = options;
  const sight = await look(git, { known, wanted, fetch_timeout_ms, onProgress });
  if (!('head' in sight)) return { ...NOTHING, unknown: sight.unknown };
  const deepening = sight.upstream && { upstream: sight.upstream, timeout_ms: fetch_timeout_ms };
  const findings: Finding[] = [...(await movedHead(git, known, sight))];
  const { finding, unknown } = await movedUpstream(git, known, sight, deepening);
  const moved =
    findings.length > 0 ||
    known.upstream_head !== sight.upstream_head ||
    !sameUpstream(known.upstream, sight.upstream);
  const commits_behind = (moved ? await behind(git, sight) : null) ?? known.commits_behind;
  if (finding?.type === 'upstream_change') findings.push({ ...finding, commits_behind });
  else if (finding) findings.push(finding);

  const others = sight.changed.length === 0 ? [] : foreign(sight.changed, await own());
  const fresh = others.filter((path) => !known.others.includes(path));
  if (fresh.length > 0) findings.push({ type: 'local_change', files: fresh });

  const work = workDigest(git, sight.changed);
  const result = {
    ...NOTHING,
    findings,
    sight,
    commits_behind,
    others,
    work,
    on_vanished: await isOnVanished(git, sight, undecidedLosses(known)),
    unknown: unknown ?? sight.unknown,
  };
  const rewritten = finding?.type === 'force_push';
  return { ...result, ...(await assessed(git, known, { ...result, sight }, { deepening, rewritten })) };
}

/** The severity, computed only if something is new. */
async function assessed(
  git: Git,
  known: VersionTracker,
  { sight, commits_behind, work }: Pick<Detection, 'commits_behind' | 'work'> & { readonly sight: Sight },
  how: { readonly deepening: Deepening | null; readonly rewritten: boolean },
): Promise<Partial<Detection>> {
  const { head, upstream_head } = sight;
  const before = known.assessed;
  if (commits_behind === 0 || head === null || upstream_head === null) return {};
  if (before?.head === head && before.upstream_head === upstream_head && before.work === work) return {};
  if (!(await commonHistory(git, head, upstream_head, how.deepening)))
    return unknownFor('history unknown', phrase`this shallow clone lacks the common ancestor`);
  const rewritten =
    how.rewritten ||
    (before?.why.includes('history rewritten') ?? false) ||
    (await isOnVanished(git, sight, ignoredForcePushes(known)));
  try {
    const asking = how.deepening;
    return { assessment: await assess(git, { ...sight, head, upstream_head, rewritten, asking }) };
  } catch (error) {
    if (!(error instanceof DriftError)) throw error;
    return unknownFor(isNotFetched(error) ? 'not fetched' : 'git refuses', error.message);
  }
}

function unknownFor(reason: Unknown['reason'], detail: string): { readonly unknown: Unknown } {
  return { unknown: { reason, detail } };
}

const NOTHING: Detection = {
  findings: [],
  unknown: null,
  sight: null,
  commits_behind: 0,
  others: [],
  assessment: null,
  work: '',
  on_vanished: false,
};

async function movedHead(git: Git, known: VersionTracker, { head, branch }: Sight): Promise<Finding[]> {
  if (branch !== known.branch)
    return [{ type: 'branch_switched', old_branch: known.branch, new_branch: branch }];
  if (head === known.current_head) return [];
  const old_head = known.current_head;
  const how = old_head && head ? await relationOf(git, old_head, head) : old_head ? 'unknown' : 'forward';
  return [{ type: 'head_moved', old_head, new_head: head, how }];
}

async function movedUpstream(
  git: Git,
  known: VersionTracker,
  sight: Sight,
  deepening: Deepening | null,
): Promise<{ finding: Finding | null; unknown: Unknown | null }> {
  const [old_head, new_head] = [known.upstream_head, sight.upstream_head];
  if (!old_head || !new_head || !sameUpstream(known.upstream, sight.upstream))
    return { finding: null, unknown: null };
  switch (await relationOf(git, old_head, new_head, deepening)) {
    case 'same':
      return { finding: null, unknown: null };
    case 'forward':
      return { finding: { type: 'upstream_change', old_head, new_head, commits_behind: 0 }, unknown: null };
    case 'rewritten': {
      const push = await lookAtForcePush(git, {
        old_head,
        new_head,
        head: sight.head,
        ref: sight.upstream!.ref,
      });
      return { finding: { type: 'force_push', ...push }, unknown: null };
    }
    case 'unknown': {
      const detail = phrase`whether ${new_head.slice(0, 12)} comes after ${old_head.slice(0, 12)} is not known here`;
      return { finding: null, ...unknownFor('history unknown', detail) };
    }
  }
}

async function isOnVanished(
  git: Git,
  { head, upstream_head }: Sight,
  pushes: readonly DriftEvent[],
): Promise<boolean> {
  if (!head || !upstream_head) return false;
  for (const { old_head } of pushes.map(({ details }) => details)) {
    if (old_head && (await hasVanished(git, { old_head, new_head: upstream_head, head }))) return true;
  }
  return false;
}

/** Where upstream only lost commits, the branch has all of the rest already: that alone does not settle it. */
function undecidedLosses({ drift_events }: VersionTracker): DriftEvent[] {
  return drift_events.filter(
    ({ type, resolution, details }) =>
      type === 'force_push' && resolution === 'pending' && details.commits_behind === 0,
  );
}

function ignoredForcePushes({ drift_events }: VersionTracker): DriftEvent[] {
  return drift_events.filter(({ type, resolution }) => type === 'force_push' && resolution === 'ignored');
}

/** Null if not known. */
async function behind(git: Git, { head, upstream_head }: Sight): Promise<number | null> {
  if (head === null || upstream_head === null) return null;
  return (await distanceOf(git, head, upstream_head))?.behind ?? null;
}

/** Listing more is of no use. */
const MOST_OTHERS = 500;

/** A directory that is not tracked at all is the task's when the task has put something in it. */
function foreign(changed: readonly ChangedPath[], own: ReadonlySet<string>): string[] {
  const isOwn = (path: string) =>
    own.has(path) || (path.endsWith('/') && [...own].some((file) => file.startsWith(path)));
  const others = changed.map(({ path }) => path).filter((path) => !isOwn(path));
  return others.slice(0, MOST_OTHERS);
}

/** Changes when uncommitted work does. The content of untracked directories is not read: it may have changed. */
function workDigest(git: Git, changed: readonly ChangedPath[]): string {
  const parts = changed.map(({ path, xy }) => {
    const found = lstatInside(git.place.toplevel, path);
    const stamp = path.endsWith('/') ? performance.now() : `${found?.ino}:${found?.size}:${found?.mtimeMs}`;
    return `${xy} ${path} ${found ? stamp : ''}`;
  });
  return hash('sha256', parts.join('\0'));
}
