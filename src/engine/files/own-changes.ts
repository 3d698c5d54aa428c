/** The task's own changes, from its journal in the store. */
import type { CheckpointRecord } from '../../checkpoint/record.ts';
import type { Storage } from '../../storage/contract.ts';
import { isAfter } from '../cut.ts';
import { type Head, loadHead } from '../head.ts';
import { liveEntries } from '../journal.ts';
import { readSpans, type SpanReader } from './spans.ts';

/** All that the task did. */
export async function spansOf(storage: Storage, task: string): Promise<SpanReader> {
  const reader = readSpans();
  const head = await loadHead(storage, task);
  if (head) for await (const { entry } of liveEntries(storage, head)) reader.take(entry);
  return reader;
}

/** What it did after the checkpoint. */
export async function spansAfter(storage: Storage, checkpoint: CheckpointRecord): Promise<SpanReader> {
  const reader = readSpans();
  const head: Head | null = await loadHead(storage, checkpoint.task_id);
  if (!head) return reader;
  const cut = { task: checkpoint.task_id, seq: checkpoint.journal.seq };
  let passed = false;
  for await (const { task, seq, entry } of liveEntries(storage, head)) {
    if (!passed && isAfter(head, cut, { task, seq })) {
      reader.cut(checkpoint.snapshot);
      passed = true;
    }
    reader.take(entry);
  }
  if (!passed) reader.cut(checkpoint.snapshot);
  return reader;
}
