/** The head of a task: what it is, where it comes from, and which ranges of its journal no longer count. */

import * as z from 'zod';
import { answering, CorruptError, isDamage } from '../../../errors.ts';
import { phrase } from '../../../phrase.ts';
import type { RecordWrite, Storage } from '../../../storage/contract.ts';
import { inSpans, type Span } from '../../../storage/ranges.ts';
import { parserOf } from '../../../system/parser.ts';
import { keyOf, type RecordKind } from './kind.ts';

const count = z.int().min(0);
const ranges = z.array(z.tuple([count, count]));

const schema = z.strictObject({
  version: z.literal('1.0'),
  task_id: z.string(),
  task_name: z.string(),
  created_at: z.iso.datetime(),
  definition: z.strictObject({ name: z.string(), fingerprint: z.string() }),
  /** The task's input; packed. */
  input: z.unknown(),
  working_dir: z.string(),
  /** It was given a working directory: its files are there, even if the project has moved. */
  told_where: z.literal(true).optional(),
  /** Where its code is, as given by the process that started it. */
  origin: z.record(z.string(), z.unknown()).optional(),
  /** For a fork: the journals it continues, oldest first, up to which entry, less what was rolled back then. */
  lineage: z.array(
    z.strictObject({ task: z.string(), to: count, hash: z.string(), dead: ranges, checkpoint: z.string() }),
  ),
  /** Ranges of the task's own journal that a rollback removed. */
  dead: ranges,
  /** Rollbacks that can be redone, newest last: the records they put away, and the entries (none when `from` is after `to`). */
  undone: z.array(z.strictObject({ key: z.string(), from: count, to: count, at: z.iso.datetime() })),
  /** The highest number of a checkpoint that was rolled back: no number is given out twice. */
  last_checkpoint: count,
  /** How often it was retried. */
  retries: count,
  /** When the task's changes to files were last undone without its state, by whom, and to which checkpoint. */
  files_undone: z
    .strictObject({ at: z.iso.datetime(), by: z.string(), checkpoint: z.string().nullable() })
    .optional(),
});

export type Head = z.infer<typeof schema>;
const parse = parserOf(schema);

export const HEAD: RecordKind = {
  category: 'tasks',
  key: '{task}/head',
  travels: 'always',
  keeps: 'all',
  check: (stored, task) => void openHead(task, stored),
  async settle(stored, { moved, hashOf }) {
    const head = stored as Head;
    const path = head.origin?.path;
    const lineage: Head['lineage'] = [];
    for (const share of head.lineage)
      lineage.push({ ...share, hash: (await hashOf(share.task, share.to)) ?? share.hash });
    return {
      ...head,
      working_dir: moved(head.working_dir),
      ...(typeof path === 'string' ? { origin: { ...head.origin, path: moved(path) } } : {}),
      lineage,
    };
  },
};
export type Ranges = readonly Span[];

export function headRecord(head: Head): RecordWrite {
  return { category: 'tasks', key: keyOf(HEAD, head.task_id), data: head };
}

/** The head, or null when there is no such task. */
export async function loadHead(storage: Storage, task: string): Promise<Head | null> {
  const stored = await storage.load('tasks', keyOf(HEAD, task));
  return stored === null ? null : openHead(task, stored);
}

/** Null also if it is damaged. */
export function readableHead(storage: Storage, task: string): Promise<Head | null> {
  return loadHead(storage, task).catch(answering(isDamage, null));
}

/** The head as it was stored, if it is the one of this task. */
export function openHead(task: string, stored: unknown): Head {
  const parsed = parse(stored);
  if (parsed.success && parsed.data.task_id === task) return parsed.data;
  throw new CorruptError(phrase`The head of task ${task} is damaged.`, {
    data: { task_id: task, field: parsed.error?.issues[0]?.path.join('.') ?? 'task_id' },
    hint: phrase`Restore the store from a backup, or fork the task from one of its checkpoints in another store.`,
  });
}

export function isDead(dead: Ranges, seq: number): boolean {
  return inSpans(dead, seq);
}
