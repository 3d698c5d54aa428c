/** Records of clean-up: what it removed from each task, and when it last ran. */

import * as z from 'zod';
import type { RecordWrite, Storage } from '../../../storage/contract.ts';
import { keyOf, type RecordKind } from './kind.ts';

const count = z.int().min(0);
const time = z.iso.datetime();

const cleaned = z.strictObject({
  version: z.literal('1.0'),
  /** When the last checkpoint of the ended task was removed; null: it has some, or never had any. */
  emptied_at: time.nullable(),
  /** How many bytes of journal and blobs were left then. */
  bytes: count,
  /** What is gone from its journal. */
  cut: z.array(z.tuple([count, count])),
  /** The numbers of the checkpoints that were removed from its list. */
  removed: z.array(z.tuple([count, count])).default([]),
});
export type Cleaned = z.infer<typeof cleaned>;

export const CLEANED: RecordKind = {
  category: 'tasks',
  key: '{task}/cleaned',
  travels: 'always',
  keeps: 'all',
};

export const NOT_CLEANED: Cleaned = { version: '1.0', emptied_at: null, bytes: 0, cut: [], removed: [] };

export function cleanedRecord(task: string, data: Cleaned): RecordWrite {
  return { category: 'tasks', key: cleanedKey(task), data };
}

/** Without a readable record nothing counts as cleaned: doing it again does no harm. */
export async function loadCleaned(storage: Storage, task: string): Promise<Cleaned> {
  return parseCleaned(await storage.load('tasks', cleanedKey(task)));
}

export function parseCleaned(stored: unknown): Cleaned {
  return cleaned.safeParse(stored).data ?? NOT_CLEANED;
}

export function cleanedKey(task: string): string {
  return keyOf(CLEANED, task);
}

const runs = z.object({
  version: z.literal('1.0'),
  /** When a full clean-up last finished. */
  last_run_at: time.nullable(),
  /** When it last ran at all: the run after a completed task does not look for unreferenced blobs. */
  last_quick_at: time.nullable(),
  /** It was due, and the engine was closed before it was done. */
  missed: z.boolean(),
  /** How many bytes of files were waiting then for their grace period to be over. */
  pending_file_bytes: count.default(0),
  /** The last trusted time of the clock; null: never noted. */
  believed_at: time.nullable().default(null),
  /** Since when the clock has been too far ahead of that to be trusted; null: it is not. */
  ahead_since: time.nullable().default(null),
  /** Who last asked for one. */
  last_asked: z.object({ by: z.string(), at: time }).nullable().default(null),
});
export type CleanupRuns = z.infer<typeof runs>;

const NEVER: CleanupRuns = {
  version: '1.0',
  last_run_at: null,
  last_quick_at: null,
  missed: false,
  pending_file_bytes: 0,
  believed_at: null,
  ahead_since: null,
  last_asked: null,
};

export async function loadRuns(storage: Storage): Promise<CleanupRuns> {
  return parseRuns(await storage.load('cleanup', 'state'));
}

export function parseRuns(stored: unknown): CleanupRuns {
  return runs.safeParse(stored).data ?? NEVER;
}

export async function noteRuns(storage: Storage, change: Partial<CleanupRuns>): Promise<CleanupRuns> {
  const next = { ...(await loadRuns(storage)), ...change };
  await storage.save('cleanup', 'state', next);
  return next;
}
