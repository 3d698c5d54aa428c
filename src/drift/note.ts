/** What a detection changes in the task's record, and which action follows. Pure. */
import type { Detection, Finding } from './detect.ts';
import type { Sight } from './look.ts';
import type { Drift, Moment } from './policy.ts';
import type { Severity } from './severity.ts';
import { type DriftEvent, pendingEvents, resolveEvents, type VersionTracker } from './tracker.ts';

export interface Noted {
  readonly tracker: VersionTracker;
  readonly drift: Drift;
  /** Those that are new. */
  readonly events: readonly DriftEvent[];
}

/** How many of the newest are kept. */
const MOST_EVENTS = 500;
const MOST_FILES = 100;

/** Where a task begins. */
export function newTracker(
  task_id: string,
  sight: Sight,
  commits_behind: number,
  at: string,
): VersionTracker {
  return {
    task_id,
    started_at_commit: sight.head,
    current_head: sight.head,
    upstream_head: sight.upstream_head,
    drift_events: [],
    branch: sight.branch,
    upstream: sight.upstream,
    commits_behind,
    checked_at: at,
    unknown: sight.unknown,
    others: [],
    assessed: null,
  };
}

export function noteDetection(
  known: VersionTracker,
  detection: Detection,
  moment: Moment,
  at: string,
): Noted {
  const { sight, findings, unknown } = detection;
  if (!sight) return { ...nothingNew({ ...known, unknown, checked_at: at }) };
  const switched = findings.find(({ type }) => type === 'branch_switched');
  const before = switched ? known : settledByHand(known, detection, at);
  const events = newEvents(before, detection, at);
  const tracker: VersionTracker = {
    ...before,
    drift_events: [...before.drift_events, ...events].slice(-MOST_EVENTS),
    checked_at: at,
    unknown,
    others: [...detection.others],
    // On another branch, what is known of the task's own stays until that is decided.
    ...(switched ? {} : whereItIs(before, detection, sight)),
  };
  return { tracker, events, drift: driftOf(tracker, findings, moment) };
}

/** The task continues on another branch: what was undecided concerned the old one, the rest is detected again. */
export function takeBranch(
  known: VersionTracker,
  { events }: Pick<Noted, 'events'>,
  detection: Detection & { readonly sight: Sight },
  at: string,
): Noted {
  const { branch, head, upstream, upstream_head } = detection.sight;
  const switched = events.filter(({ type }) => type === 'branch_switched');
  const left = { ...known, drift_events: [...known.drift_events, ...switched] };
  const there = { ...resolveEvents(left, 'ignored', at), branch, current_head: head, upstream };
  const found = {
    ...detection,
    findings: detection.findings.filter(({ type }) => type !== 'branch_switched'),
    commits_behind: upstream_head === null ? 0 : detection.commits_behind,
  };
  return noteDetection({ ...there, upstream_head, assessed: null }, found, 'resume', at);
}

/** What is not known right now is kept as it was, for the next comparison. */
function whereItIs(before: VersionTracker, detection: Detection, sight: Sight) {
  const { assessment, commits_behind, work, unknown } = detection;
  const { head, branch, upstream, upstream_head } = sight;
  const comparable = upstream_head !== null && unknown?.reason !== 'history unknown';
  const assessed =
    assessment && head && upstream_head
      ? { head, upstream_head, work, level: assessment.level, why: [...assessment.why] }
      : commits_behind === 0
        ? null
        : before.assessed;
  return {
    current_head: head,
    branch,
    upstream: upstream ?? before.upstream,
    upstream_head: comparable ? upstream_head : before.upstream_head,
    commits_behind,
    assessed,
  };
}

function nothingNew(tracker: VersionTracker): Noted {
  return { tracker, events: [], drift: driftOf(tracker, [], 'manual') };
}

/** Merging upstream, or switching back, counts as a decision. */
function settledByHand(known: VersionTracker, detection: Detection, at: string): VersionTracker {
  const back = resolveEvents(known, 'user_handled', at, ['branch_switched']);
  if (detection.commits_behind > 0 || detection.sight?.upstream_head === null) return back;
  const merged = resolveEvents(back, 'user_handled', at, ['upstream_change']);
  return detection.on_vanished ? merged : resolveEvents(merged, 'user_handled', at, ['force_push']);
}

function newEvents(known: VersionTracker, detection: Detection, at: string): DriftEvent[] {
  const events = detection.findings.flatMap((finding) => eventOf(finding, known, detection, at));
  const told = events.some(({ type }) => type === 'upstream_change' || type === 'force_push');
  return told || !isWorse(known, detection) ? events : [...events, worse(known, detection, at)];
}

function eventOf(
  finding: Finding,
  known: VersionTracker,
  detection: Detection,
  at: string,
): readonly DriftEvent[] {
  switch (finding.type) {
    case 'upstream_change': {
      const { old_head, new_head } = finding;
      const merged = detection.commits_behind === 0;
      const details = { ...severityOf(detection), old_head, new_head };
      return [event('upstream_change', details, merged ? 'user_handled' : 'pending', at)];
    }
    case 'force_push': {
      const { old_head, new_head, vanished, still_in, in_step } = finding;
      const gone = { vanished: vanished.map(({ id }) => id).slice(0, MOST_FILES), still_in: [...still_in] };
      const severity = in_step ? {} : REWRITTEN;
      const details = { ...severity, ...severityOf(detection), old_head, new_head, ...gone };
      return [event('force_push', details, in_step ? 'user_handled' : 'pending', at)];
    }
    case 'branch_switched': {
      const { old_branch, new_branch } = finding;
      const asked = pendingEvents(known).some(
        ({ type, details }) => type === 'branch_switched' && details.new_branch === new_branch,
      );
      return asked ? [] : [event('branch_switched', { old_branch, new_branch }, 'pending', at)];
    }
    case 'head_moved': {
      const { old_head, new_head } = finding;
      return [event('head_moved', { old_head, new_head }, 'user_handled', at)];
    }
    case 'local_change':
      return [event('local_change', { files: finding.files.slice(0, MOST_FILES) }, 'ignored', at)];
  }
}

function event(
  type: DriftEvent['type'],
  details: DriftEvent['details'],
  resolution: DriftEvent['resolution'],
  at: string,
): DriftEvent {
  return { detected_at: at, type, details, resolution, resolved_at: resolution === 'pending' ? null : at };
}

/** Also where upstream has nothing that is not here. */
const REWRITTEN = { severity: 'high', why: ['history rewritten'] } as const satisfies DriftEvent['details'];

function severityOf({ assessment, commits_behind }: Detection): DriftEvent['details'] {
  if (!assessment) return { commits_behind };
  const paths = (level?: string) =>
    assessment.files
      .filter((file) => level === undefined || file.level === level)
      .map(({ path }) => path)
      .slice(0, MOST_FILES);
  return {
    commits_behind,
    severity: assessment.level,
    why: [...assessment.why],
    files: paths(),
    conflicting_files: paths('high'),
  };
}

/** Upstream stayed, and what the task has done since gets in its way more than before. */
function isWorse(known: VersionTracker, { assessment }: Detection): boolean {
  return assessment !== null && RANK[assessment.level] > RANK[known.assessed?.level ?? 'none'];
}

function worse(known: VersionTracker, detection: Detection, at: string): DriftEvent {
  const new_head = detection.sight?.upstream_head ?? null;
  const details = { ...severityOf(detection), old_head: known.upstream_head, new_head };
  return event('upstream_change', details, 'pending', at);
}

const RANK: Readonly<Record<Severity, number>> = { none: 0, low: 1, medium: 2, high: 3 };

/** Whether the severity is known; if not, that is worth a notice. */
export function isJudged(
  tracker: VersionTracker,
): tracker is VersionTracker & { readonly assessed: NonNullable<VersionTracker['assessed']> } {
  const { assessed, current_head, upstream_head } = tracker;
  return assessed?.head === current_head && assessed?.upstream_head === upstream_head;
}

function driftOf(tracker: VersionTracker, findings: readonly Finding[], moment: Moment): Drift {
  const pending = new Set(pendingEvents(tracker).map(({ type }) => type));
  const force_push = pending.has('force_push');
  const level = tracker.commits_behind === 0 ? 'none' : isJudged(tracker) ? tracker.assessed.level : 'medium';
  return {
    level: force_push ? 'high' : level,
    undecided: pending.has('upstream_change') || force_push,
    force_push,
    branch_switched: pending.has('branch_switched'),
    remarkable: findings.some(
      ({ type }) => type === 'head_moved' || (type === 'local_change' && moment === 'resume'),
    ),
  };
}
