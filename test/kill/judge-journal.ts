/** The journal as a whole: what was acknowledged is in it once, in order, and it tells a lawful course of events. */
import { isDeepStrictEqual } from 'node:util';
import { canTransition, type TaskStatus } from '../../src/task/status.ts';
import type { Kept } from './judge.ts';
import { AGENTS, ANSWER, PROGRESS, SKIPPED, STEPS } from './task.ts';
import type { Line } from './witness.ts';

export function* judgeJournal(journal: readonly Kept[], lines: readonly Line[]): Generator<string> {
  yield* judgeBatches(journal, lines);
  yield* judgeRecoveries(journal, lines);
  yield* judgeStatus(journal);
  yield* judgeSingles(journal);
}

/** The journal is what was committed, batch by batch; one that was in progress at a kill is there whole or not at all. */
function* judgeBatches(journal: readonly Kept[], lines: readonly Line[]): Generator<string> {
  const acked = new Set(lines.flatMap((line) => (line.what === 'acked' ? [`${line.run}/${line.n}`] : [])));
  let at = 0;
  for (const line of lines) {
    if (line.what !== 'commit') continue;
    const stored = journal.slice(at, at + line.entries.length).map(({ entry }) => asJson(entry));
    const isThere = isDeepStrictEqual(stored, asJson(line.entries));
    if (isThere) at += line.entries.length;
    else if (acked.has(`${line.run}/${line.n}`)) {
      yield `commit ${line.n} of run ${line.run} was acknowledged, and is not in the journal at ${at + 1}: ${JSON.stringify(line.entries)}`;
      return;
    }
  }
  if (at < journal.length) yield `nobody committed entry ${at + 1}: ${JSON.stringify(journal[at]!.entry)}`;
}

/** Each run that took the task up after another says so before anything else. */
function* judgeRecoveries(journal: readonly Kept[], lines: readonly Line[]): Generator<string> {
  for (const found of lines) {
    if (found.what !== 'found') continue;
    const first = lines.find((line) => line.what === 'commit' && line.run === found.run);
    if (first?.what !== 'commit') continue;
    const kinds = first.entries.map((entry) => (entry as { t: string }).t);
    const tookOver = found.status !== null && found.status !== 'queued';
    if (kinds.includes('recovery') !== tookOver)
      yield `run ${found.run} found the task ${found.status} and began with ${kinds.join(', ')}`;
  }
  const open = new Set<string>();
  for (const { entry } of journal) {
    if (entry.t === 'begin') open.add(entry.id);
    if (entry.t === 'step' || entry.t === 'failure') open.delete(entry.id);
    if (entry.t === 'recovery' && !isDeepStrictEqual(new Set(entry.unknown), open))
      yield `a recovery names as unknown ${JSON.stringify(entry.unknown)}, under way were ${JSON.stringify([...open])}`;
  }
  if (open.size > 0) yield `without end: ${[...open].join(', ')}`;
}

function* judgeStatus(journal: readonly Kept[]): Generator<string> {
  let status: TaskStatus | null = null;
  for (const { entry, seq } of journal) {
    if (entry.t !== 'status') continue;
    const to = entry.to as TaskStatus;
    const isLawful: boolean = status === null ? to === 'queued' : canTransition(status, to);
    if (entry.from !== status || !isLawful)
      yield `entry ${seq} moves from ${entry.from} to ${to} where the task was ${status}`;
    status = to;
  }
  if (status !== 'completed') yield `the journal ends with the task ${status}`;
}

/** What is recorded once, by any process. */
function* judgeSingles(journal: readonly Kept[]): Generator<string> {
  const those = (pick: (entry: Kept['entry']) => unknown): unknown[] =>
    journal.flatMap(({ entry }) => {
      const picked = pick(entry);
      return picked === undefined ? [] : [picked];
    });
  const expected: readonly [name: string, found: unknown[], wanted: readonly unknown[]][] = [
    ['steps', those((e) => (e.t === 'step' ? e.id : undefined)).sort(), STEPS.map(({ id }) => id).sort()],
    ['agents', those((e) => (e.t === 'agent' ? [e.id, e.status] : undefined)).sort(), AGENTS.map(succeeded)],
    ['skips', those((e) => (e.t === 'skip' ? e.id : undefined)), [SKIPPED]],
    ['sleeps', those((e) => (e.t === 'sleep' ? e.id : undefined)), ['/sleep#1']],
    ['waits', those((e) => (e.t === 'wait' ? e.id : undefined)), ['/wait#1']],
    ['answers', those((e) => (e.t === 'answer' ? [e.id, e.outcome, e.value] : undefined)), [ANSWERED]],
    ['progress', those((e) => (e.t === 'progress' ? e.percent : undefined)), PROGRESS],
    ['variables', those((e) => (e.t === 'set' ? e.name : undefined)), ['built']],
  ];
  for (const [name, found, wanted] of expected) {
    if (!isDeepStrictEqual(found, wanted)) yield `${name}: ${JSON.stringify(found)}`;
  }
}

const ANSWERED = ['/wait#1', 'answered', ANSWER];

function succeeded(id: string): [string, string] {
  return [id, 'success'];
}

/** As it is after being stored: without members that are undefined. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
