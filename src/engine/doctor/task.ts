/** Checks one task for consistency: head, state, every entry and checkpoint, and everything these refer to. Reads only. */

import { locatedRecords } from '../../checkpoint/located.ts';
import type { CheckpointRecord } from '../../checkpoint/record/record.ts';
import { blobIdsIn, blobIdsWithin } from '../../checkpoint/values/blob-ref.ts';
import { type LoadBlob, unpackValue } from '../../checkpoint/values/pack.ts';
import { answering, CorruptError, isDamage, VibeError } from '../../errors.ts';
import { loadState } from '../../persistence/state-records.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import type { TaskState } from '../../task/state.ts';
import { liveCheckpoints, tryCheckpoint } from '../history/checkpoints.ts';
import { parseEntry } from '../task/entries.ts';
import { recordsOf, snapshotsIn, snapshotsInRecord } from '../task/layout.ts';
import { blobLoader } from '../task/packing.ts';
import { CHECKPOINT } from '../task/records/checkpoints.ts';
import { FORK, forkKey } from '../task/records/forks.ts';
import { HEAD, type Head, isDead, loadHead } from '../task/records/head.ts';
import { keyOf } from '../task/records/kind.ts';
import { QUEUE, queueKey } from '../task/records/queue.ts';
import { loadUnfinished, ROLLBACK_IN_PROGRESS, verbOf } from '../task/records/rollback-in-progress.ts';
import { loadRolledBack } from '../task/records/rolled-back.ts';
import { STATE } from '../task/records/state.ts';
import type { Examined, StoreFinding } from './finding.ts';

interface TaskFindings {
  readonly findings: readonly StoreFinding[];
  /** Snapshots and files that it refers to. */
  readonly names: ReadonlySet<string>;
  readonly working_dir: string | null;
}

/** Repeats if the task changed in the meantime: findings may mix two states. */
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

async function revisionOf(storage: Storage, task: string): Promise<string> {
  try {
    const head = await storage.get('tasks', keyOf(HEAD, task));
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
  ): void => {
    if (!findings.some((one) => one.where === where && one.message === message))
      findings.push({ code, message, task, where, mend });
  };
  const orReported = async <T>(where: string, read: () => Promise<T>): Promise<T | null> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof VibeError)) throw error;
      report(where, error.message, null, error.code);
      return null;
    }
  };

  const head = await orReported(`tasks/${keyOf(HEAD, task)}`, () => loadHead(storage, task));
  const state = await stateOf(storage, task, head, report);
  const load = blobLoader(storage, { task_id: task, lineage: head?.lineage ?? [] });
  const checkBlobs = blobChecker(load, counts, report);
  const checkpoints =
    (await orReported(phrase`checkpoints of ${task}`, () =>
      readCheckpoints(storage, task, load, counts, report),
    )) ?? [];
  for (const { record } of checkpoints) await checkBlobs(record.id, record);
  await orReported(phrase`records of ${task}`, async () => {
    for await (const { kind, category, key } of recordsOf(storage, task)) {
      const where = `${category}/${key}`;
      if (findings.some((finding) => finding.where === where)) continue;
      await orReported(where, async () => {
        const data = await storage.load(category, key);
        if (data === null) return;
        kind?.check?.(data, task);
        if (kind?.keeps !== 'nothing' && kind !== CHECKPOINT) await checkBlobs(where, data);
        if (kind && kind.keeps !== 'all') return;
        for (const name of await snapshotsInRecord(kind, data, load)) names.add(name);
      });
    }
  });

  const wanted = new Map(checkpoints.map((one) => [one.record.journal.seq, one]));
  const hashes = new Map<number, string>();
  await orReported(phrase`journal of ${task}`, async () => {
    try {
      for await (const { seq, hash, data } of storage.read(task)) {
        counts.entries++;
        if (wanted.has(seq)) hashes.set(seq, hash);
        for (const name of snapshotsIn(data)) names.add(name);
        if (!head) continue; // Only the engine knows what its entries mean.
        const where = phrase`journal of ${task}, entry ${seq}`;
        await orReported(where, async () => parseEntry(data, seq));
        if (!isDead(head.dead, seq)) await checkBlobs(where, data);
      }
    } catch (error) {
      // The store has already reported it; what follows cannot be checked.
      if (!(error instanceof CorruptError)) throw error;
      wanted.clear();
    }
  });
  for (const [seq, { record, key }] of wanted) {
    if (seq === 0 || hashes.get(seq) === record.journal.hash) continue;
    report(
      `tasks/${key}`,
      phrase`The checkpoint ${record.id} refers to entry ${seq}, which is not in the journal.`,
      'checkpoint',
    );
  }

  if (head)
    await orReported(phrase`forks and rollbacks of ${task}`, () => examineReferences(storage, head, report));
  const inProgress = `tasks/${keyOf(ROLLBACK_IN_PROGRESS, task)}`;
  await orReported(inProgress, async () => {
    const begun = await loadUnfinished(storage, task);
    // Its owner is about to finish it.
    if (!begun || (await storage.owner(task))) return;
    const verb = { undo: 'undo', redo: 'redo', rollback: 'resume', take: 'finish' }[verbOf(begun)];
    const message = phrase`Restoring the files of task ${task} was interrupted. To finish it: vibe-engine ${verb} ${task}`;
    report(inProgress, message, null, 'RESTORE_UNFINISHED');
  });
  if (state?.status === 'queued')
    await orReported(`${QUEUE.category}/${queueKey(state.data)}`, async () => {
      if ((await storage.get(QUEUE.category, queueKey(state.data))) === null)
        report(
          `tasks/${keyOf(STATE, task)}`,
          phrase`Task ${task} is queued, but has no place in the queue.`,
          'queue',
        );
    });
  return { findings, names, working_dir: head?.working_dir ?? null };
}

/** An unreadable state can be rebuilt if there is a head. */
async function stateOf(
  storage: Storage,
  task: string,
  head: Head | null,
  report: Report,
): Promise<TaskState | null> {
  const mend = head ? 'state' : null;
  const where = `tasks/${keyOf(STATE, task)}`;
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

type Report = (where: string, message: string, mend?: StoreFinding['mend'], code?: string) => void;

/** Each is looked up once. The store itself checks its bytes. */
function blobChecker(load: LoadBlob, counts: Counts, report: Report) {
  const checked = new Set<string>();
  const isThere = async (id: string): Promise<boolean> =>
    (await load(id).catch(answering(isDamage, id))) !== null;
  return async (where: string, value: unknown): Promise<void> => {
    const direct = blobIdsIn(value);
    if (direct.length === 0) return;
    let ids: Iterable<string> = direct;
    try {
      ids = await blobIdsWithin(value, (reference) => unpackValue(reference, load));
    } catch (error) {
      if (!(error instanceof CorruptError)) throw error; // Those it refers to directly are checked below.
    }
    for (const id of ids) {
      if (checked.has(id)) continue;
      checked.add(id);
      counts.blobs++;
      if (!(await isThere(id))) report(where, phrase`The blob ${id} is missing.`, null, 'CONTENT_MISSING');
    }
  };
}

/** Their records; those in the journal are checked with it. */
async function readCheckpoints(
  storage: Storage,
  task: string,
  load: LoadBlob,
  counts: Counts,
  report: Report,
): Promise<{ key: string; record: CheckpointRecord }[]> {
  const found: { key: string; record: CheckpointRecord }[] = [];
  counts.checkpoints += (await liveCheckpoints(storage, task, 'all')).length;
  for (const place of await locatedRecords(storage, task, load)) {
    const { key } = place;
    const read = await tryCheckpoint(place);
    if ('record' in read) found.push({ key, record: read.record });
    else report(`tasks/${key}`, read.problem, 'checkpoint');
  }
  return found;
}

/** What it was forked from, and what it can redo. */
async function examineReferences(storage: Storage, head: Head, report: Report): Promise<void> {
  const { task_id: task } = head;
  for (const { task: parent, to, hash, dead } of head.lineage) {
    if ((await storage.get(FORK.category, forkKey(parent, task))) === null)
      report(
        `${FORK.category}/${forkKey(parent, task)}`,
        phrase`Nothing protects the journal of ${parent}, which its fork ${task} needs.`,
        'fork',
      );
    if (to > 0 && !isDead(dead, to) && !(await hasEntry(storage, parent, to, hash)))
      report(
        phrase`journal of ${parent}, entry ${to}`,
        phrase`Task ${task} was forked there, and it is no longer the same.`,
      );
  }
  for (const { key } of head.undone)
    if (!(await loadRolledBack(storage, key)))
      report(`tasks/${key}`, phrase`What a rollback of task ${task} put away cannot be read.`);
}

async function hasEntry(storage: Storage, task: string, seq: number, hash: string): Promise<boolean> {
  try {
    for await (const entry of storage.read(task, { from: seq, to: seq })) return entry.hash === hash;
  } catch (error) {
    if (!(error instanceof CorruptError)) throw error;
  }
  return false;
}
