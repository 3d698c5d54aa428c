/** What a rollback removed from the lists, kept so that it can be redone: `tasks/{task}/undone/{entry}`. */

import * as z from 'zod';
import { CorruptError } from '../../../errors.ts';
import { phrase } from '../../../phrase.ts';
import type { RecordWrite, Storage } from '../../../storage/contract.ts';
import { encode } from '../../../storage/serialize.ts';
import { openState, sealState, type TaskState } from '../../../task/state.ts';
import type { Undo } from '../../../workspace/restore/apply.ts';
import { CHECKPOINT } from './checkpoints.ts';
import { keyOf, type RecordKind, taskIn } from './kind.ts';

const count = z.int().min(0);
const ranges = z.array(z.tuple([count, count]));

const schema = z.strictObject({
  version: z.literal('1.0'),
  at: z.iso.datetime(),
  checkpoint: z.string().nullable(),
  /** The entry that records the rollback, and the last one written with it. */
  rollback: count,
  last: count,
  /** What no longer counted before: of the task's own journal, and of each one it was forked from. */
  dead: ranges,
  lineage: z.array(ranges),
  /** The state as it was, sealed. */
  state: z.unknown(),
  /** The records of later checkpoints, unchanged. */
  checkpoints: z.array(z.strictObject({ key: z.string(), data: z.unknown() })),
  /** The key of a checkpoint that was made with the rollback; null when none was. */
  added: z.string().nullable(),
  /** The snapshots before and after, as "before..after"; null when no files were changed. */
  files: z.string().nullable(),
  /** The head's `retries` before, where they were counted. */
  retries: count.optional(),
  /** The head's `files_undone` before, where it had one. */
  files_undone: z
    .strictObject({ at: z.iso.datetime(), by: z.string(), checkpoint: z.string().nullable() })
    .optional(),
});

export type RolledBack = Omit<z.infer<typeof schema>, 'version' | 'state' | 'files'> & {
  readonly state: TaskState;
  /** What the workspace needs to undo its part; null when no files were changed. */
  readonly files: Undo | null;
};

export const ROLLED_BACK: RecordKind = {
  category: 'tasks',
  key: '{task}/undone/*',
  travels: 'always',
  keeps: 'all',
  check(stored, task) {
    const kept = parseRolledBack(stored)?.checkpoints;
    if (kept?.every(({ key }) => taskIn(CHECKPOINT, key) === task)) return;
    throw new CorruptError(phrase`What a rollback of task ${task} put away cannot be read.`, {
      data: { task },
      hint: phrase`Restore the store from a backup.`,
    });
  },
  async change(stored, { state, checkpoint, rest }) {
    const { state: before, checkpoints, ...others } = (stored ?? {}) as z.infer<typeof schema>;
    if (!Array.isArray(checkpoints)) return rest(stored); // Not such a record: left as it is.
    const kept = [];
    for (const one of checkpoints) kept.push({ ...one, data: await checkpoint(one.data) });
    const changed = (await rest(others)) as object;
    return { ...(stored as object), ...changed, state: await state(before), checkpoints: kept };
  },
};

export function rolledBackKey(task: string, rollback: number): string {
  return keyOf(ROLLED_BACK, task, String(rollback).padStart(9, '0'));
}

export function rolledBackRecord(task: string, undone: RolledBack): RecordWrite {
  const files = undone.files && `${undone.files.before}..${undone.files.after}`;
  const data = { version: '1.0', ...undone, files, state: sealState(undone.state, encode) };
  return { category: 'tasks', key: rolledBackKey(task, undone.rollback), data };
}

/** Null if it is gone, or this version cannot redo it. */
export async function loadRolledBack(storage: Storage, key: string): Promise<RolledBack | null> {
  return parseRolledBack(await storage.load('tasks', key));
}

export function parseRolledBack(stored: unknown): RolledBack | null {
  const parsed = schema.safeParse(stored);
  if (!parsed.success) return null;
  const { version: _, ...rest } = parsed.data;
  const [before = '', after = before] = rest.files?.split('..') ?? [];
  return {
    ...rest,
    files: rest.files === null ? null : { before, after },
    state: openState(rest.state, encode),
  };
}
