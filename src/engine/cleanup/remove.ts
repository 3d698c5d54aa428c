/** Removes from a task's lists what the plan selects: one commit per task, refused if the task changed since. */

import { answering, isDamage } from '../../errors.ts';
import { stateRecord } from '../../persistence/state-records.ts';
import type { RecordWrite } from '../../storage/contract.ts';
import { inSpans, joinSpans } from '../../storage/ranges.ts';
import { encode } from '../../storage/serialize.ts';
import { updateData } from '../../task/transition.ts';
import { createHistoryReader } from '../history/history.ts';
import { liveEntries } from '../task/journal.ts';
import { type Cleaned, cleanedRecord } from '../task/records/cleaned.ts';
import { HISTORY } from '../task/records/copies.ts';
import { HEAD, type Head, headRecord } from '../task/records/head.ts';
import { keyOf, type RecordKind } from '../task/records/kind.ts';
import { STATE } from '../task/records/state.ts';
import type { TaskRemovals } from './plan.ts';
import { isUnreadable, type Surveyed } from './survey.ts';
import { type Sweep, unlessTaken } from './sweep.ts';

interface Removed {
  /** The task as it is afterwards. */
  readonly of: Surveyed;
  readonly bytes: number;
  readonly keys: readonly string[];
  /** How many checkpoints went that were not in its list. */
  readonly unlisted: number;
}

/** Null if the task was claimed or changed in the meantime. */
export async function removeFrom(sweep: Sweep, removals: TaskRemovals): Promise<Removed | null> {
  const { of, checkpoints, undone, emptied } = removals;
  const { storage, at, dry } = sweep;
  const head = of.head && headWithout(of.head, removals);
  const gone = new Set(checkpoints.map(({ sequence }) => sequence));
  const left = of.checkpoints.filter(({ sequence }) => !gone.has(sequence));
  const inJournal = checkpoints.some(({ marked }) => marked);
  const spans = inJournal ? spansOf(gone, left) : [];
  const removed = inJournal ? joinSpans([...of.cleaned.removed, ...spans]) : of.cleaned.removed;
  const unlisted = removals.unlisted.filter((one) => emptied !== null || inSpans(spans, one)).length;
  const cleaned: Cleaned = {
    ...of.cleaned,
    removed,
    ...(emptied ? { emptied_at: at.toISOString(), ...emptied } : {}),
  };
  // A failed task without checkpoints cannot continue, even if the settings change later.
  const failed =
    emptied && of.failed?.data.recoverable ? updateData(of.failed, { recoverable: false }, at) : of.failed;
  const keys = [...checkpoints, ...undone].flatMap(({ key }) => key ?? []);
  const bytes = checkpoints.reduce((sum, one) => sum + one.bytes, 0) + (await bytesOf(sweep, undone));
  const after = {
    ...of,
    head,
    failed,
    cleaned,
    checkpoints: left,
  };
  if (dry) return { of: after, bytes, keys, unlisted };

  if (emptied && of.head) await saveHistory(sweep, of.head);
  const guards: RecordWrite[] = [
    ...(head ? [{ ...headRecord(head), expect: of.revisions.head }] : []),
    ...(failed && failed !== of.failed ? [{ ...stateRecord(failed), expect: of.revisions.state }] : []),
  ];
  const records: RecordWrite[] = [
    ...guards,
    ...checkpoints.flatMap(({ key, revision }) => (key === null ? [] : removal(key, revision))),
    ...undone.map(({ key }) => removal(key, undefined)),
    ...(emptied || inJournal ? [cleanedRecord(of.task, cleaned)] : []),
  ];
  const receipt = await unlessTaken(sweep, of.task, () => storage.commit({ task: of.task, records }));
  if (!receipt) return null;
  const revision = (kind: RecordKind): number | undefined =>
    receipt.records[guards.findIndex(({ key }) => key === keyOf(kind, of.task))]?.revision;
  const { head: headWas, state: stateWas } = of.revisions;
  const revisions = { head: revision(HEAD) ?? headWas, state: revision(STATE) ?? stateWas };
  return { of: { ...after, revisions }, bytes, keys, unlisted };
}

/** The numbers that go, with those in between that are not listed any more. */
function spansOf(
  gone: ReadonlySet<number>,
  left: readonly { readonly sequence: number }[],
): [number, number][] {
  return [...gone].map((last) => {
    const before = left.findLast(({ sequence }) => sequence < last)?.sequence ?? 0;
    return [before + 1, last];
  });
}

/** The journal is whole until the task is emptied: the history in it is kept when it is removed. */
async function saveHistory({ storage, breathe }: Sweep, head: Head): Promise<void> {
  const reader = createHistoryReader();
  try {
    for await (const { entry } of liveEntries(storage, head)) {
      reader.add(entry);
      await breathe();
    }
  } catch (error) {
    if (!isUnreadable(error)) throw error; // For a damaged journal, as much as can be read.
  }
  await storage.save(HISTORY.category, keyOf(HISTORY, head.task_id), reader.finish(head, []));
}

/** Without the rollbacks that are forgotten. The numbers of removed checkpoints are never given out again. */
function headWithout(head: Head, { checkpoints, undone }: TaskRemovals): Head {
  const forgotten = new Set(undone.map(({ key }) => key));
  return {
    ...head,
    undone: head.undone.filter(({ key }) => !forgotten.has(key)),
    last_checkpoint: Math.max(head.last_checkpoint, ...checkpoints.map(({ sequence }) => sequence)),
  };
}

function removal(key: string, expect: number | undefined): RecordWrite {
  return { category: 'tasks', key, remove: true, ...(expect === undefined ? {} : { expect }) };
}

async function bytesOf({ storage }: Sweep, undone: Head['undone']): Promise<number> {
  let bytes = 0;
  for (const { key } of undone) {
    const record = await storage.get('tasks', key).catch(answering(isDamage, null)); // It is removed, even if it is damaged.
    if (record) bytes += Buffer.byteLength(encode(record.data));
  }
  return bytes;
}
