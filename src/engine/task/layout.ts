/**
 * The stored records of a task, besides its journal and its blobs: every kind once. Code that walks over everything of a
 * task (clean-up, doctor, export and import, migration) walks over this list, and so misses nothing.
 */
import { isFitted, unfitRecord } from '../../checkpoint/values/fit.ts';
import type { LoadBlob } from '../../checkpoint/values/pack.ts';
import type { Storage } from '../../storage/contract.ts';
import { encode } from '../../storage/serialize.ts';
import { everyKey } from '../../storage/walk.ts';
import { CHECKPOINT, CREATING, LISTED } from './records/checkpoints.ts';
import { CLEANED } from './records/cleaned.ts';
import { CONVERSATION, HISTORY } from './records/copies.ts';
import { FORK } from './records/forks.ts';
import { HEAD } from './records/head.ts';
import { IMPORTED } from './records/imported.ts';
import { INBOX } from './records/inbox.ts';
import { keyOf, type Parts, type RecordKind, taskIn } from './records/kind.ts';
import { QUESTION } from './records/questions.ts';
import { QUEUE } from './records/queue.ts';
import { REBASE_IN_PROGRESS } from './records/rebase-in-progress.ts';
import { ROLLBACK_IN_PROGRESS, ROLLBACK_IN_PROGRESS_0_1 } from './records/rollback-in-progress.ts';
import { ROLLED_BACK } from './records/rolled-back.ts';
import { SESSION } from './records/sessions.ts';
import { STATE } from './records/state.ts';
import { VERSIONS } from './records/versions.ts';
import { WITHHELD } from './records/withheld.ts';

export const LAYOUT: readonly RecordKind[] = [
  HEAD,
  STATE,
  CHECKPOINT,
  LISTED,
  ROLLED_BACK,
  VERSIONS,
  CLEANED,
  WITHHELD,
  IMPORTED,
  CREATING,
  ROLLBACK_IN_PROGRESS,
  ROLLBACK_IN_PROGRESS_0_1,
  REBASE_IN_PROGRESS,
  INBOX,
  QUESTION,
  QUEUE,
  HISTORY,
  CONVERSATION,
  FORK,
  SESSION,
];

/** Records outside tasks that refer to snapshots. */
export const NAMING_SNAPSHOTS = ['snapshots', 'restores', 'displaced'] as const;

interface KnownRecord {
  /** Null for a record at `tasks/{task}/` of an unknown kind. */
  readonly kind: RecordKind | null;
  readonly category: string;
  readonly key: string;
}

/** Where its records are: all at `tasks/{task}/`, of known kinds or not, and those outside that may exist. */
export async function* recordsOf(storage: Storage, task: string): AsyncGenerator<KnownRecord> {
  for await (const key of everyKey(storage, 'tasks', { prefix: `${task}/` }))
    yield { kind: kindOf('tasks', key)?.kind ?? null, category: 'tasks', key };
  for (const kind of LAYOUT) {
    const { category } = kind;
    if (category === 'tasks' || kind.key.startsWith('*')) continue;
    const prefix = keyOf(kind, task);
    if (!kind.key.includes('*')) yield { kind, category, key: prefix };
    else for await (const key of everyKey(storage, category, { prefix })) yield { kind, category, key };
  }
}

/** The kind of a record, and the task it is of; null where no task has such a record. */
export function kindOf(category: string, key: string): { kind: RecordKind; task: string } | null {
  for (const kind of LAYOUT) {
    const task = kind.category === category ? taskIn(kind, key) : null;
    if (task !== null) return { kind, task };
  }
  return null;
}

/** A record with its parts changed; `rest` where it has none. */
export async function changeParts(
  kind: RecordKind | null,
  stored: unknown,
  parts: Partial<Parts>,
): Promise<unknown> {
  const whole = { state: same, checkpoint: same, rest: same, ...parts };
  return kind?.change ? kind.change(stored, whole) : whole.rest(stored);
}

async function same(stored: unknown): Promise<unknown> {
  return stored;
}

/** Which snapshots, and which of their files, are named in a value. */
export function snapshotsIn(value: unknown): string[] {
  return snapshotsInText(encode(value));
}

export function snapshotsInText(text: string): string[] {
  return [...text.matchAll(/\b(?:snapshot|file)\/[0-9a-f]{64}\b/g)].map(([id]) => id);
}

/** The same in a record, also in blobs of its checkpoints. */
export async function snapshotsInRecord(
  kind: RecordKind | null,
  stored: unknown,
  load: LoadBlob,
): Promise<string[]> {
  const names = snapshotsIn(stored);
  await changeParts(kind, stored, {
    async checkpoint(one) {
      if (isFitted(one)) names.push(...snapshotsIn(await unfitRecord(one, load)));
      return one;
    },
  });
  return names;
}
