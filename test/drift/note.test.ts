/** What is kept of what was found: events, how they end, and when they count as new. */
import { expect, test } from 'vitest';
import type { Detection } from '../../src/drift/detect.ts';
import type { Sight } from '../../src/drift/look.ts';
import { newTracker, noteDetection } from '../../src/drift/note.ts';
import { parseTracker, resolveEvents, type VersionTracker } from '../../src/drift/tracker.ts';

const commit = (letter: string): string => letter.repeat(40);
const T = (minute: number): string => `2026-01-01T00:0${minute}:00.000Z`;
const upstream = {
  remote: 'origin',
  remote_ref: 'refs/heads/main',
  ref: 'refs/remotes/origin/main',
  name: 'origin/main',
  by: 'branch',
} as const;
const sight: Sight = {
  head: commit('a'),
  branch: 'main',
  changed: [],
  operation: null,
  shallow: false,
  linked: false,
  upstream,
  upstream_head: commit('a'),
  unknown: null,
};
const start = newTracker('t0', sight, 0, T(0));
const quiet: Detection = {
  findings: [],
  unknown: null,
  sight,
  commits_behind: 0,
  others: [],
  assessment: null,
  work: '',
  on_vanished: false,
};
const assessment = (level: 'low' | 'medium' | 'high') => ({ level, why: [], files: [], commits: [] });
const ahead = (letter: string, level: 'low' | 'medium' | 'high', from = 'a'): Detection => ({
  ...quiet,
  sight: { ...sight, upstream_head: commit(letter) },
  commits_behind: 1,
  assessment: assessment(level),
  findings:
    letter === from
      ? []
      : [{ type: 'upstream_change', old_head: commit(from), new_head: commit(letter), commits_behind: 1 }],
});
const ends = ({ drift_events }: VersionTracker) =>
  drift_events.map(({ type, resolution }) => `${type} ${resolution}`);

test('what is kept can be read again', () => {
  const { tracker } = noteDetection(start, ahead('b', 'high'), 'timer', T(1));
  expect(parseTracker(JSON.parse(JSON.stringify(tracker)))).toEqual(tracker);
  expect(parseTracker({ ...tracker, drift_events: [{}] })).toBeNull();
});

test('nothing new leaves only the time', () => {
  const { tracker, drift, events } = noteDetection(start, quiet, 'timer', T(1));
  expect(tracker).toEqual({ ...start, checked_at: T(1) });
  expect([drift.undecided, events]).toEqual([false, []]);
});

test('new commits are pending until somebody decides, and are then no news', () => {
  const first = noteDetection(start, ahead('b', 'low'), 'timer', T(1));
  expect(ends(first.tracker)).toEqual(['upstream_change pending']);
  expect(first.drift).toMatchObject({ level: 'low', undecided: true });
  const decided = resolveEvents(first.tracker, 'ignored', T(2));
  const again = noteDetection(decided, { ...ahead('b', 'low', 'b'), assessment: null }, 'resume', T(3));
  expect(ends(again.tracker)).toEqual(['upstream_change ignored']);
  expect(again.drift).toMatchObject({ level: 'low', undecided: false });
});

test('the same commits are news again when the work has come to collide with them', () => {
  const decided = resolveEvents(
    noteDetection(start, ahead('b', 'low'), 'timer', T(1)).tracker,
    'ignored',
    T(2),
  );
  const { tracker, drift } = noteDetection(decided, ahead('b', 'high', 'b'), 'timer', T(3));
  expect(ends(tracker)).toEqual(['upstream_change ignored', 'upstream_change pending']);
  expect(drift).toMatchObject({ level: 'high', undecided: true });
});

test('who merges what upstream has, has decided', () => {
  const pending = noteDetection(start, ahead('b', 'high'), 'timer', T(1)).tracker;
  const merged = { ...quiet, sight: { ...sight, head: commit('c'), upstream_head: commit('b') } };
  const { tracker, drift } = noteDetection(pending, merged, 'resume', T(2));
  expect(ends(tracker)).toEqual(['upstream_change user_handled']);
  expect(tracker).toMatchObject({ current_head: commit('c'), assessed: null });
  expect(drift).toMatchObject({ level: 'none', undecided: false });
});

test('another branch is asked about once, and forgotten when it is switched back', () => {
  const away: Detection = {
    ...quiet,
    sight: { ...sight, branch: 'other', head: commit('c') },
    findings: [{ type: 'branch_switched', old_branch: 'main', new_branch: 'other' }],
  };
  const first = noteDetection(start, away, 'timer', T(1));
  expect(first.tracker).toMatchObject({ branch: 'main', current_head: commit('a') });
  expect(first.drift.branch_switched).toBe(true);
  const second = noteDetection(first.tracker, away, 'timer', T(2));
  expect(ends(second.tracker)).toEqual(['branch_switched pending']);
  const back = noteDetection(second.tracker, quiet, 'timer', T(3));
  expect(ends(back.tracker)).toEqual(['branch_switched user_handled']);
  expect(back.drift.branch_switched).toBe(false);
});

test('where git could not be read, all that was known stays', () => {
  const unknown = { reason: 'git refuses', detail: 'x' } as const;
  const { tracker, drift } = noteDetection(start, { ...quiet, sight: null, unknown }, 'timer', T(1));
  expect(tracker).toEqual({ ...start, unknown, checked_at: T(1) });
  expect(drift.undecided).toBe(false);
});

test('what could not be compared is compared the next time', () => {
  const unknown = { reason: 'history unknown', detail: 'x' } as const;
  const moved = { ...quiet, unknown, sight: { ...sight, upstream_head: commit('b') }, commits_behind: 1 };
  const noted = noteDetection(start, moved, 'timer', T(1));
  expect(noted.tracker.upstream_head).toBe(commit('a'));
  expect(noted.drift.level).toBe('medium');
  const gone = { reason: 'no upstream', detail: 'x' } as const;
  const without = { ...quiet, unknown: gone, sight: { ...sight, upstream: null, upstream_head: null } };
  const pending = noteDetection(start, ahead('b', 'low'), 'timer', T(1)).tracker;
  const { tracker } = noteDetection(pending, { ...without, commits_behind: 1 }, 'timer', T(2));
  expect(tracker).toMatchObject({ upstream, upstream_head: commit('b'), commits_behind: 1 });
  expect(ends(tracker)).toEqual(['upstream_change pending']);
});
