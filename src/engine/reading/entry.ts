/** One entry of a journal, whole: with the values that are stored apart. */

import { looksLikeReference } from '../../checkpoint/values/blob-ref.ts';
import type { LoadBlob } from '../../checkpoint/values/pack.ts';
import { InvalidInputError, VibeError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import { loadSnapshot } from '../../workspace/snapshot/snapshots.ts';
import { diffTrees } from '../../workspace/tree/diff.ts';
import { filesIn } from '../files/changes.ts';
import { orLost } from '../task/conversation.ts';
import { type Entry, parseEntry } from '../task/entries.ts';
import { blobLoader } from '../task/packing.ts';
import { loadCleaned } from '../task/records/cleaned.ts';
import { isDead } from '../task/records/head.ts';
import { requireTask } from '../task/tasks.ts';
import { fitted } from './fitting.ts';

export interface EntryView {
  readonly task: string;
  readonly seq: number;
  readonly kind: Entry['t'];
  readonly at: string;
  /** It was rolled back. */
  readonly dead: boolean;
  /** Plain JSON. */
  readonly value: unknown;
  readonly truncated: boolean;
  /** The files that the operation changed; null where that is not known. */
  readonly files: readonly string[] | null;
}

const MOST = 1_000_000;

export async function readEntry(storage: Storage, task: string, seq: number): Promise<EntryView> {
  const { head } = await requireTask(storage, task);
  const found = await entryAt(storage, task, seq);
  const value = (await unpacked(found, blobLoader(storage, head))) as Entry;
  const { t: kind, at, ...rest } = value;
  const files = await filesOf(storage, found);
  return { task, seq, kind, at, dead: isDead(head.dead, seq), ...fitted(rest, MOST), files };
}

/** Without those that others changed meanwhile. */
async function filesOf(storage: Storage, entry: Entry): Promise<string[] | null> {
  const span = entry.t === 'step' || entry.t === 'failure' ? entry.files : undefined;
  if (!span) return null;
  const { from, to } = span.own ?? span;
  try {
    const [before, after] = [await loadSnapshot(storage, from), await loadSnapshot(storage, to)];
    return filesIn([...diffTrees(before.tree, after.tree)]).sort();
  } catch (error) {
    if (error instanceof VibeError) return null; // A snapshot was cleaned up.
    throw error;
  }
}

async function entryAt(storage: Storage, task: string, seq: number): Promise<Entry> {
  for await (const { data } of storage.read(task, { from: seq, to: seq })) return parseEntry(data, seq);
  const end = (await storage.position(task)).seq;
  const { cut } = await loadCleaned(storage, task);
  const gone = seq <= end && cut.some(([from, to]) => from <= seq && seq <= to);
  throw new InvalidInputError('USAGE', phrase`Task ${task} has no journal entry ${seq}.`, {
    data: { task, seq, last: end },
    hint: gone ? phrase`Clean-up has removed it.` : phrase`Its last entry is ${end}.`,
  });
}

/** With everything that is in blobs; what is lost is said in its place. */
export async function unpacked(value: unknown, load: LoadBlob): Promise<unknown> {
  if (looksLikeReference(value)) return orLost(value, load);
  if (Array.isArray(value)) return Promise.all(value.map((one) => unpacked(one, load)));
  if (!isPlain(value)) return value;
  const members = Object.entries(value).map(
    async ([name, one]) => [name, await unpacked(one, load)] as const,
  );
  return Object.fromEntries(await Promise.all(members));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
