/**
 * Which checkpoints are removed, and why; pure. Policies select checkpoints; kept anyway are the last valid one of a task
 * that can continue, pinned ones, and those that a kept one needs.
 */
import type { CleanupConfig } from '../../config/types.ts';
import { phrase } from '../../phrase.ts';
import {
  bySequence,
  type CleanupCheckpoint,
  type CleanupTask,
  mayResume,
  type Named,
  nameByPolicy,
  type PolicyName,
} from './policies.ts';

export { type CleanupTrigger, dueTriggers, nextDaily } from './due.ts';
export { thin } from './thin.ts';
export type { CleanupCheckpoint, CleanupTask, Named, PolicyName };

export interface CleanupPlan {
  /** Tasks in the order given, their checkpoints oldest first. */
  readonly removed: readonly Removal[];
  /** Selected by a policy, but kept. */
  readonly spared: readonly Spared[];
  /** Tasks that have no checkpoint left afterwards. */
  readonly emptied: readonly string[];
  /** What all of it frees. */
  readonly bytes: number;
}

export interface Removal extends Named {
  readonly bytes: number;
}

export interface Spared extends Named {
  readonly because: 'last_valid' | 'pinned' | 'needed';
}

interface CleanupFacts {
  readonly now: Date;
  /** How large the store is, for the quota. */
  readonly store_bytes: number;
}

export function planCleanup(
  tasks: readonly CleanupTask[],
  settings: CleanupConfig,
  environment: CleanupFacts,
): CleanupPlan {
  const named = new Map<string, Named>();
  for (const task of tasks) {
    for (const name of nameByPolicy(task, settings, environment.now)) named.set(name.id, name);
  }
  const safe = protectedIn(tasks, settings, environment.now);
  const spared = spare(tasks, named, safe);
  for (const { id } of spared) named.delete(id);
  nameByQuota(tasks, named, safe, settings, environment);
  return {
    removed: tasks.flatMap(({ checkpoints }) =>
      bySequence(checkpoints)
        .filter(({ id }) => named.has(id))
        .map(({ id, bytes }) => ({ ...named.get(id)!, bytes })),
    ),
    spared: spared.filter(({ id }) => !named.has(id)),
    emptied: tasks.filter((task) => isEmptied(task, named)).map(({ task }) => task),
    bytes: sum(tasks.map((task) => freedIn(task, named))),
  };
}

type Because = Spared['because'];

/** Checkpoints that no policy may remove, and why. */
function protectedIn(
  tasks: readonly CleanupTask[],
  settings: CleanupConfig,
  now: Date,
): ReadonlyMap<string, Because> {
  const safe = new Map<string, Because>();
  for (const task of tasks) {
    for (const { id, pinned } of task.checkpoints) if (pinned) safe.set(id, 'pinned');
    const ordered = bySequence(task.checkpoints);
    // Where none is valid the newest stays, so that one can see what is left of it.
    const last = ordered.findLast(({ valid }) => valid !== false) ?? ordered.at(-1);
    if (last && mayResume(task, settings, now)) safe.set(last.id, 'last_valid');
  }
  return safe;
}

/** Those that stay although they are selected: protected ones, and what kept ones need, directly or indirectly. */
function spare(
  tasks: readonly CleanupTask[],
  named: ReadonlyMap<string, Named>,
  safe: ReadonlyMap<string, Because>,
): Spared[] {
  const spared = new Map<string, Spared>();
  const checkpoints = new Map(tasks.flatMap((task) => task.checkpoints.map((one) => [one.id, one])));
  const waiting: string[] = [];
  const keep = (id: string, because: Because) => {
    const name = named.get(id);
    if (name) spared.set(id, { ...name, because });
    waiting.push(...(checkpoints.get(id)?.needs ?? []));
  };
  for (const [id, because] of safe) keep(id, because);
  for (const { id, needs } of checkpoints.values()) if (!named.has(id)) waiting.push(...(needs ?? []));
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (named.has(id) && !spared.has(id)) keep(id, 'needed');
  }
  return [...spared.values()];
}

const MB = 1024 * 1024;

/** Selects more until the store fits the quota: first of tasks that have ended, oldest end first. */
function nameByQuota(
  tasks: readonly CleanupTask[],
  named: Map<string, Named>,
  safe: ReadonlyMap<string, Because>,
  settings: CleanupConfig,
  { now, store_bytes }: CleanupFacts,
): void {
  const { quota_mb } = settings;
  if (quota_mb === null) return;
  let excess = store_bytes - quota_mb * MB - sum(tasks.map((task) => freedIn(task, named)));
  const users = usersOf(tasks, named);
  for (const task of tasks.toSorted((a, b) => compareForQuota(a, b, settings, now))) {
    const before = freedIn(task, named);
    for (const { id, sequence, needs } of bySequence(task.checkpoints)) {
      if (freedIn(task, named) - before >= excess) break;
      if (named.has(id) || safe.has(id) || (users.get(id) ?? 0) > 0) continue;
      const why = phrase`the store is larger than ${quota_mb} MB`;
      named.set(id, { task: task.task, id, sequence, policy: 'quota_mb', why });
      for (const need of needs ?? []) users.set(need, (users.get(need) ?? 0) - 1);
    }
    excess -= freedIn(task, named) - before;
    if (excess <= 0) return;
  }
}

/** How many kept checkpoints need each one. */
function usersOf(tasks: readonly CleanupTask[], named: ReadonlyMap<string, Named>): Map<string, number> {
  const users = new Map<string, number>();
  for (const { id, needs } of tasks.flatMap(({ checkpoints }) => checkpoints)) {
    if (!named.has(id)) for (const need of needs ?? []) users.set(need, (users.get(need) ?? 0) + 1);
  }
  return users;
}

function compareForQuota(a: CleanupTask, b: CleanupTask, settings: CleanupConfig, now: Date): number {
  const goesOn = Number(mayResume(a, settings, now)) - Number(mayResume(b, settings, now));
  return goesOn || lastActive(a) - lastActive(b) || (a.task < b.task ? -1 : 1);
}

function lastActive({ finished_at, checkpoints }: CleanupTask): number {
  const time = finished_at ?? bySequence(checkpoints).at(-1)?.created_at;
  return time === undefined ? 0 : Date.parse(time);
}

function freedIn(task: CleanupTask, named: ReadonlyMap<string, Named>): number {
  const gone = task.checkpoints.filter(({ id }) => named.has(id));
  return sum(gone.map(({ bytes }) => bytes)) + (isEmptied(task, named) ? (task.bytes ?? 0) : 0);
}

function isEmptied({ checkpoints }: CleanupTask, named: ReadonlyMap<string, Named>): boolean {
  return checkpoints.length > 0 && checkpoints.every(({ id }) => named.has(id));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
