/** The record of a task's place in git, and of each detected drift. Pure. */
import * as z from 'zod';

const commit = z.string().regex(/^[0-9a-f]{40,64}$/);
const time = z.iso.datetime();
const level = z.enum(['none', 'low', 'medium', 'high']);

const upstream = z.strictObject({
  remote: z.string().nullable(),
  remote_ref: z.string(),
  ref: z.string(),
  name: z.string(),
  by: z.enum(['branch', 'default']),
});

const event = z.strictObject({
  detected_at: time,
  /** Besides upstream, force push and local changes: someone switched or moved the branch under the task. */
  type: z.enum(['upstream_change', 'local_change', 'force_push', 'branch_switched', 'head_moved']),
  details: z.strictObject({
    commits_behind: z.int().min(0).optional(),
    /** Those with conflicts. */
    conflicting_files: z.array(z.string()).optional(),
    old_head: commit.nullable().optional(),
    new_head: commit.nullable().optional(),
    severity: level.optional(),
    /** Why all of it is severe. */
    why: z.array(z.string()).optional(),
    /** What both sides touched, or what others left uncommitted. */
    files: z.array(z.string()).optional(),
    old_branch: z.string().nullable().optional(),
    new_branch: z.string().nullable().optional(),
    /** The commits that a force push removed from upstream, and where they still are. */
    vanished: z.array(commit).optional(),
    still_in: z.array(z.string()).optional(),
  }),
  /** `pending`: not decided yet. */
  resolution: z.enum(['pending', 'ignored', 'rebased', 'task_restarted', 'user_handled']),
  resolved_at: time.nullable(),
  /** Who asked for what resolved it. */
  resolved_by: z.string().optional(),
});

const schema = z.strictObject({
  task_id: z.string(),
  /** Null before the first commit of a repository. */
  started_at_commit: commit.nullable(),
  current_head: commit.nullable(),
  upstream_head: commit.nullable(),
  drift_events: z.array(event),
  /** Null where HEAD is detached. */
  branch: z.string().nullable(),
  upstream: upstream.nullable(),
  commits_behind: z.int().min(0),
  checked_at: time,
  /** Why upstream could not be checked the last time. */
  unknown: z.strictObject({ reason: z.string(), detail: z.string() }).nullable(),
  /** What others had left uncommitted. */
  others: z.array(z.string()),
  /** The severity, and what it was assessed for: assessed again when one of these changes. */
  assessed: z
    .strictObject({ head: commit, upstream_head: commit, work: z.string(), level, why: z.array(z.string()) })
    .nullable(),
});

export type VersionTracker = Readonly<z.infer<typeof schema>>;
export type DriftEvent = Readonly<z.infer<typeof event>>;
export type DriftResolution = DriftEvent['resolution'];

export function parseTracker(stored: unknown): VersionTracker | null {
  return schema.safeParse(stored).data ?? null;
}

/** Resolves what is pending, or only events of some types. */
export function resolveEvents(
  tracker: VersionTracker,
  resolution: DriftResolution,
  at: string,
  types?: readonly DriftEvent['type'][],
): VersionTracker {
  const settles = ({ type, resolution: now }: DriftEvent) =>
    now === 'pending' && (types === undefined || types.includes(type));
  if (!tracker.drift_events.some(settles)) return tracker;
  const drift_events = tracker.drift_events.map((known) =>
    settles(known) ? { ...known, resolution, resolved_at: at } : known,
  );
  return { ...tracker, drift_events };
}

/** The branch has been rebased onto what upstream had: that holds for what was ignored so far, too. */
export function rebasedEvents(
  tracker: VersionTracker,
  at: string,
  resolution: 'rebased' | 'task_restarted' = 'rebased',
  by?: string,
): VersionTracker {
  const { commits_behind, upstream_head: new_head, assessed } = tracker;
  const brought = ({ type, resolution: now }: DriftEvent) =>
    type === 'upstream_change' && (now === 'pending' || now === 'ignored');
  const rebased = { resolution, resolved_at: at, ...(by === undefined ? {} : { resolved_by: by }) };
  if (tracker.drift_events.some(brought)) {
    const drift_events = tracker.drift_events.map((known) =>
      brought(known) ? { ...known, ...rebased } : known,
    );
    return resolveEvents({ ...tracker, drift_events }, resolution, at);
  }
  // The branch was behind when the task started: no event recorded it.
  const severity = assessed ? { severity: assessed.level } : {};
  const details = { commits_behind, new_head, ...severity };
  const told: DriftEvent = { detected_at: at, type: 'upstream_change', details, ...rebased };
  const settled = resolveEvents(tracker, resolution, at);
  return { ...settled, drift_events: [...settled.drift_events, told] };
}

export function pendingEvents({ drift_events }: VersionTracker): DriftEvent[] {
  return drift_events.filter(({ resolution }) => resolution === 'pending');
}
