/** Checks everything stored: each record, hash, blob and reference, and the content of each snapshot. Changes nothing. */
import { answering, CorruptError, isDamage } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import { everyTask } from '../../storage/walk.ts';
import { type Done, type OnProgress, type Tracking, trackProgress } from '../../system/progress.ts';
import { partsOfSnapshots } from '../files/snapshot-parts.ts';
import { exposed, type StoreLocation } from '../secrets/exposure.ts';
import { NAMING_SNAPSHOTS, snapshotsIn } from '../task/layout.ts';
import { withheldFrom } from '../task/records/withheld.ts';
import type { Examined, StoreFinding } from './finding.ts';
import { examineTask } from './task.ts';

export type Patient = StoreLocation;

/** What is wrong, as it is found; `seen` counts along. */
export async function* examineStore(
  store: Patient,
  seen: Examined = emptyExamination(),
  onProgress?: OnProgress,
): AsyncGenerator<StoreFinding> {
  const progress = trackProgress(onProgress);
  try {
    yield* examineAll(store, seen, progress);
  } finally {
    progress.end();
  }
}

async function* examineAll(
  patient: Patient,
  seen: Examined,
  progress: Tracking,
): AsyncGenerator<StoreFinding> {
  const { storage, project_dir } = patient;
  yield* exposedIn(patient);
  const said = new Set<string>();
  for await (const finding of findingsOf(storage, progress.of('check_store'))) {
    said.add(finding.message);
    yield finding;
  }
  /** What refers to each. */
  const named = new Map<string, string | null>();
  const roots = new Set([project_dir]);
  const withheld = new Set<string>();
  const tasks = await Array.fromAsync(everyTask(storage));
  for (const task of tasks) {
    progress.at('check_tasks', seen.tasks++, tasks.length);
    const { findings, names, working_dir } = await examineTask(storage, task, seen);
    for (const name of names) if (!named.has(name)) named.set(name, task);
    if (working_dir !== null) roots.add(working_dir);
    for (const id of await withheldFrom(storage, task).catch(answering(isDamage, []))) withheld.add(id);
    for (const finding of findings) if (!said.has(finding.message)) yield finding;
  }
  for await (const name of namedOutside(storage)) if (!named.has(name)) named.set(name, null);
  for await (const { id, bytes } of partsOfSnapshots(storage, named.keys(), [...roots])) {
    progress.at('check_files', seen.snapshots + seen.files);
    seen[id.startsWith('snapshot/') ? 'snapshots' : 'files']++;
    if (bytes || withheld.has(id)) continue;
    const message = id.startsWith('snapshot/')
      ? phrase`The snapshot ${id} is damaged.`
      : phrase`The content ${id} is missing in the store and in git.`;
    yield { code: 'CONTENT_MISSING', message, task: named.get(id) ?? null, where: id, mend: null };
  }
}

export function* exposedIn(store: Patient): Generator<StoreFinding> {
  const message = phrase`Others on this machine can read or change it: close it with chmod -R go=`;
  for (const where of exposed(store, true))
    yield { code: 'STORE_UNSAFE', message, task: null, where, mend: null };
}

/** What the store itself finds wrong. */
export async function* findingsOf(storage: Storage, at?: Done): AsyncGenerator<StoreFinding> {
  for await (const { code, message, task, where } of storage.verify(at))
    yield {
      code,
      message,
      task,
      where,
      mend: code === 'VIEW_DAMAGED' ? 'view' : isJournal(where) ? 'journal' : null,
    };
}

export function emptyExamination(): Examined {
  return { tasks: 0, entries: 0, checkpoints: 0, blobs: 0, snapshots: 0, files: 0 };
}

/** Named by records of restores. The store has already reported what cannot be read. */
async function* namedOutside(storage: Storage): AsyncGenerator<string> {
  for (const category of NAMING_SNAPSHOTS)
    for (const key of await storage.list(category)) {
      try {
        yield* snapshotsIn(await storage.load(category, key));
      } catch (error) {
        if (!(error instanceof CorruptError)) throw error;
      }
    }
}

/** In the stores' own words: a log of entries, or the row with its end. */
function isJournal(where: string): boolean {
  return /\bjournal\b|\bheads\b|\brecords\.log$/.test(where);
}
