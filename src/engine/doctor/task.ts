/** One task, checked against itself: head, state, every entry and checkpoint, and everything these refer to. Reads only. */

import type { CheckpointRecord } from '../../checkpoint/record/record.ts';
import { blobIdsIn, blobIdsWithin } from '../../checkpoint/values/blob-ref.ts';
import { isFitted, unfitRecord } from '../../checkpoint/values/fit.ts';
import { unpackValue } from '../../checkpoint/values/pack.ts';
import { CorruptError, VibeError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import { encode } from '../../storage/serialize.ts';
import { loadState } from '../../storage/state-records.ts';
import type { TaskState } from '../../task/state.ts';
import { parseEntry } from '../task/entries.ts';
import { blobLoader } from '../task/packing.ts';
import { liveCheckpoints, tryCheckpoint } from '../task/records/checkpoints.ts';
import { type Head, isDead, loadHead } from '../task/records/head.ts';
import { placeOf } from '../task/records/queue.ts';
import { loadUnfinished, verbOf } from '../task/records/rollback-in-progress.ts';
import { loadRolledBack } from '../task/records/rolled-back.ts';
import type { Examined, StoreFinding } from './finding.ts';

export interface TaskFindings {
  readonly findings: readonly StoreFinding[];
  /** Snapshots and files that it names. */
  readonly names: ReadonlySet<string>;
  readonly working_dir: string | null;
}

/** Looks again where the task has changed meanwhile: what is found then may be of two moments. */
export async function examineTask(storage: Storage, task: string, seen: Examined): Promise<TaskFindings> {
  for (let left = TRIES; ; left--) {
    const before = await revisionOf(storage, task);
    const counts = { entries: 0, checkpoints: 0, blobs: 0 };
    const found = await examineOnce(storage, task, counts);
    if (left > 0 && found.findings.length > 0 && (await revisionOf(storage, task)) !== before) continue;
    seen.entries += counts.entries;
    seen.checkpoints += counts.checkpoints;
    seen.blobs += counts.blobs;
    return found;
  }
}

const TRIES = 3;
const NAME = /\b(?:snapshot|file)\/[0-9a-f]{64}\b/g;

async function revisionOf(storage: Storage, task: string): Promise<string> {
  try {
    const head = await storage.get('tasks', `${task}/head`);
    return `${head?.revision} ${(await storage.position(task)).seq}`;
  } catch (error) {
    if (error instanceof CorruptError) return '';
    throw error;
  }
}

type Counts = Pick<Examined, 'entries' | 'checkpoints' | 'blobs'>;

async function examineOnce(storage: Storage, task: string, counts: Counts): Promise<TaskFindings> {
  const findings: StoreFinding[] = [];
  const names = new Set<string>();
  const report = (
    where: string,
    message: string,
    mend: StoreFinding['mend'] = null,
    code = 'CORRUPT',
  ): void => void findings.push({ code, message, task, where, mend });
  const orReported = async <T>(where: string, read: () => Promise<T>): Promise<T | null> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof VibeError)) throw error;
      report(where, error.message, null, error.code);
      return null;
    }
  };

  const head = await orReported(`tasks/${task}/head`, () => loadHead(storage, task));
  const state = await stateOf(storage, task, head, report);
  const checkBlobs = blobChecker(storage, task, head, counts, report);
  for (const [where, value] of [
    [`tasks/${task}/head`, head],
    [`tasks/${task}/state`, state],
  ] as const)
    await checkBlobs(where, value);

  const checkpoints =
    (await orReported(phrase`checkpoints of ${task}`, () =>
      readCheckpoints(storage, task, counts, report),
    )) ?? [];
  for (const { record } of checkpoints) {
    await checkBlobs(record.id, record);
    addNames(record, names);
  }

  const wanted = new Map(checkpoints.map((one) => [one.record.journal.seq, one]));
  const hashes = new Map<number, string>();
  await orReported(phrase`journal of ${task}`, async () => {
    try {
      for await (const { seq, hash, data } of storage.read(task)) {
        counts.entries++;
        if (wanted.has(seq)) hashes.set(seq, hash);
        addNames(data, names);
        if (!head) continue; // Nobody but the engine says what its entries are.
        const where = phrase`journal of ${task}, entry ${seq}`;
        await orReported(where, async () => parseEntry(data, seq));
        if (!isDead(head.dead, seq)) await checkBlobs(where, data);
      }
    } catch (error) {
      // The store itself has said so already; what stands beyond it cannot be judged.
      if (!(error instanceof CorruptError)) throw error;
      wanted.clear();
    }
  });
  for (const [seq, { record, key }] of wanted) {
    if (seq === 0 || hashes.get(seq) === record.journal.hash) continue;
    report(
      `tasks/${key}`,
      phrase`The checkpoint ${record.id} stands at entry ${seq}, which is not in the journal.`,
      'checkpoint',
    );
  }

  if (head)
    await orReported(phrase`forks and rollbacks of ${task}`, () =>
      examineReferences(storage, head, names, report),
    );
  await orReported(`tasks/${task}/going-back`, async () => {
    const begun = await loadUnfinished(storage, task);
    // The one who holds the task is about to finish it.
    if (!begun || (await storage.owner(task))) return;
    const verb = { undo: 'undo', redo: 'redo', rollback: 'resume' }[verbOf(begun)];
    const message = phrase`Putting back the files of task ${task} was cut off. To finish it: vibe-engine ${verb} ${task}`;
    report(`tasks/${task}/going-back`, message, null, 'RESTORE_UNFINISHED');
  });
  if (state?.status === 'queued')
    await orReported(`queue/${placeOf(state.data)}`, async () => {
      if ((await storage.get('queue', placeOf(state.data))) === null)
        report(
          `tasks/${task}/state`,
          phrase`Task ${task} is queued, but has no place in the queue.`,
          'queue',
        );
    });
  return { findings, names, working_dir: head?.working_dir ?? null };
}

/** What cannot be read of it can be made again where there is a head. */
async function stateOf(
  storage: Storage,
  task: string,
  head: Head | null,
  report: Report,
): Promise<TaskState | null> {
  const mend = head ? 'state' : null;
  const where = `tasks/${task}/state`;
  try {
    const state = await loadState(storage, task);
    if (head && !state) report(where, phrase`The state of task ${task} is missing.`, mend);
    return state;
  } catch (error) {
    if (!(error instanceof VibeError)) throw error;
    report(where, error.message, mend, error.code);
    return null;
  }
}

function addNames(value: unknown, names: Set<string>): void {
  for (const [name] of encode(value).matchAll(NAME)) names.add(name);
}

type Report = (where: string, message: string, mend?: StoreFinding['mend'], code?: string) => void;

/** Each is looked for once. Whether its bytes are right the store says by itself. */
function blobChecker(storage: Storage, task: string, head: Head | null, counts: Counts, report: Report) {
  const load = blobLoader(storage, { task_id: task, lineage: head?.lineage ?? [] });
  const checked = new Set<string>();
  const isThere = async (id: string): Promise<boolean> => {
    try {
      return (await load(id)) !== null;
    } catch (error) {
      if (error instanceof CorruptError) return true;
      throw error;
    }
  };
  return async (where: string, value: unknown): Promise<void> => {
    const direct = blobIdsIn(value);
    if (direct.length === 0) return;
    let ids: Iterable<string> = direct;
    try {
      ids = await blobIdsWithin(value, (reference) => unpackValue(reference, load));
    } catch (error) {
      if (!(error instanceof CorruptError)) throw error; // Those it names itself are looked for below.
    }
    for (const id of ids) {
      if (checked.has(id)) continue;
      checked.add(id);
      counts.blobs++;
      if (!(await isThere(id))) report(where, phrase`The blob ${id} is missing.`, null, 'CONTENT_MISSING');
    }
  };
}

async function readCheckpoints(
  storage: Storage,
  task: string,
  counts: Counts,
  report: Report,
): Promise<{ key: string; record: CheckpointRecord }[]> {
  const found: { key: string; record: CheckpointRecord }[] = [];
  for (const place of await liveCheckpoints(storage, task)) {
    counts.checkpoints++;
    const read = await tryCheckpoint(storage, task, place);
    if ('record' in read) found.push({ key: place.key, record: read.record });
    else report(`tasks/${place.key}`, read.problem, 'checkpoint');
  }
  return found;
}

/** What it was forked from, and what it can redo. */
async function examineReferences(
  storage: Storage,
  head: Head,
  names: Set<string>,
  report: Report,
): Promise<void> {
  const { task_id: task } = head;
  for (const { task: parent, to, hash, dead } of head.lineage) {
    if ((await storage.get('forks', `${parent}/${task}`)) === null)
      report(
        `forks/${parent}/${task}`,
        phrase`Nothing keeps the journal of ${parent} for its fork ${task}.`,
        'fork',
      );
    if (to > 0 && !isDead(dead, to) && !(await hasEntry(storage, parent, to, hash)))
      report(
        phrase`journal of ${parent}, entry ${to}`,
        phrase`Task ${task} was forked there, and it is no longer the same.`,
      );
  }
  const load = blobLoader(storage, head);
  for (const { key } of head.undone) {
    const undone = await loadRolledBack(storage, key);
    if (!undone) report(`tasks/${key}`, phrase`What a rollback of task ${task} put away cannot be read.`);
    addNames(undone, names);
    for (const { data } of undone?.checkpoints ?? [])
      if (isFitted(data)) addNames(await unfitRecord(data, load).catch(() => null), names);
  }
}

async function hasEntry(storage: Storage, task: string, seq: number, hash: string): Promise<boolean> {
  try {
    for await (const entry of storage.read(task, { from: seq, to: seq })) return entry.hash === hash;
  } catch (error) {
    if (!(error instanceof CorruptError)) throw error;
  }
  return false;
}
