/** Two tasks side by side, above all two forks: what each did since they parted, to files and otherwise. Reads only. */

import { unpackValue } from '../../checkpoint/values/pack.ts';
import { countLines, isBinary, type TextHunk, textHunks } from '../../merge/hunks.ts';
import { mergeText } from '../../merge/text.ts';
import type { Storage } from '../../storage/contract.ts';
import { type StatusFacts, statusFacts } from '../../task/status.ts';
import { openRepository } from '../../workspace/git/repository.ts';
import { contentOf } from '../../workspace/restore/file-details.ts';
import type { OwnChange } from '../../workspace/restore/plan.ts';
import { openReader, type Reader } from '../../workspace/snapshot/reader.ts';
import { openTrees } from '../../workspace/snapshot/trees.ts';
import { entryAt, sameEntry, type Tree, type TreeEntry } from '../../workspace/tree/tree.ts';
import { firstSnapshot, spansAfter } from '../files/own-changes.ts';
import { ownChanges } from '../files/own-steps.ts';
import { sameBytes } from '../files/sides.ts';
import { partedAt } from '../recovery/taken.ts';
import { isAfter, type Point } from '../task/cut.ts';
import { foldJournal } from '../task/journal.ts';
import { blobLoader } from '../task/packing.ts';
import type { Head } from '../task/records/head.ts';
import { requireTask } from '../task/tasks.ts';
import type { DiffSource } from './file-diff.ts';
import { type RowSource, rowOf } from './row.ts';

export interface Comparison {
  /** Where they parted; null where they have nothing in common. */
  readonly ancestor: { readonly task: string; readonly checkpoint: string | null } | null;
  readonly a: ComparedTask;
  readonly b: ComparedTask;
  /** Changed by both, to the same. */
  readonly same: readonly string[];
  readonly only_a: readonly string[];
  readonly only_b: readonly string[];
  readonly differ: readonly DifferingFile[];
}

/** One of them, since they parted. */
export interface ComparedTask extends StatusFacts {
  readonly task: string;
  readonly name: string;
  readonly steps: number;
  /** How long its steps took. */
  readonly ms: number;
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  /** The last result of checking its work; null where there is none. */
  readonly verified: unknown;
  readonly snapshot: string | null;
  /** Files that it or others changed: it was cut off, or commands ran side by side. None of them counts as its own for that. */
  readonly in_doubt: readonly string[];
  /** False if part of what it changed is not known: an operation is in progress or was cut off. */
  readonly complete: boolean;
}

export interface DifferingFile {
  readonly path: string;
  /** Whether both could be merged. */
  readonly merge: 'clean' | 'conflict' | 'binary';
  /** What each did to it; null where it is not shown. */
  readonly hunks_a: readonly TextHunk[] | null;
  readonly hunks_b: readonly TextHunk[] | null;
}

const MOST_BYTES = 2 * 1024 * 1024;

export async function compareTasks(
  source: DiffSource & RowSource,
  a: string,
  b: string,
): Promise<Comparison> {
  const { storage, project_dir } = source;
  const [one, other] = [await requireTask(storage, a), await requireTask(storage, b)];
  const parted = await partedAt(storage, one.head, other.head);
  // It reads objects only; it does not use holds.
  const repository = await openRepository(project_dir, 'none');
  try {
    const reader = openReader(storage, repository);
    const treeOf = openTrees(storage);
    // Without anything in common, each began with its own files.
    const baseOf = async (task: string): Promise<Tree | null> => {
      const start = parted?.snapshot ?? (await firstSnapshot(storage, task));
      return start === null ? null : treeOf(start);
    };
    const pointFor = (task: string): Point => parted ?? { task, seq: 0 };
    const sides = [];
    for (const { head, state } of [one, other]) {
      const point = pointFor(head.task_id);
      const { files, told: known } = await filesOf(
        storage,
        head.task_id,
        point,
        await baseOf(head.task_id),
        treeOf,
        reader,
      );
      const did = await workOf(storage, head, point);
      const facts = statusFacts(await rowOf(source, state));
      const told = { task: head.task_id, name: state.task_name, ...facts, ...did, ...known };
      sides.push({ files, told: { ...told, files: files.size, ...linesIn(files) } });
    }
    const [left, right] = [sides[0]!, sides[1]!];
    const both = [...left.files.keys()].filter((path) => right.files.has(path)).sort();
    const isSame = (path: string): boolean => sameVersion(left.files.get(path)!, right.files.get(path)!);
    const ancestor = parted && { task: parted.task, checkpoint: parted.checkpoint };
    return {
      ancestor,
      a: left.told,
      b: right.told,
      same: both.filter(isSame),
      only_a: [...left.files.keys()].filter((path) => !right.files.has(path)).sort(),
      only_b: [...right.files.keys()].filter((path) => !left.files.has(path)).sort(),
      differ: both
        .filter((path) => !isSame(path))
        .map((path) => differing(path, left.files.get(path)!, right.files.get(path)!)),
    };
  } finally {
    repository?.close();
  }
}

/** A file as it was when they parted, and as one of them left it: without what others did to it. */
interface Version {
  readonly mode: number | null;
  /** Null where there is no file. */
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
}

async function filesOf(
  storage: Storage,
  task: string,
  point: Point,
  base: Tree | null,
  treeOf: (snapshot: string) => Promise<Tree>,
  reader: Reader,
): Promise<{ files: Map<string, Version>; told: Pick<ComparedTask, 'snapshot' | 'in_doubt' | 'complete'> }> {
  const spans = await spansAfter(storage, task, point);
  const { own, in_doubt, complete } = await ownChanges({ storage, task, treeOf }, spans);
  const files = new Map<string, Version>();
  for (const [path, steps] of own) {
    const was = base && entryAt(base, path);
    const version = await replayed(path, was, steps, reader);
    if (version) files.set(path, version);
  }
  return { files, told: { snapshot: spans.newest(), in_doubt, complete } };
}

/** Null where nothing of it is left. */
async function replayed(
  path: string,
  base: TreeEntry | null,
  steps: readonly OwnChange[],
  reader: Reader,
): Promise<Version | null> {
  const read = async (entry: TreeEntry | null) =>
    entry?.kind === 'file' || entry?.kind === 'symlink' ? contentOf(reader, path, entry) : null;
  const before = await read(base);
  let [entry, bytes] = [base, before];
  for (const step of steps) {
    const [from, to] = [await read(step.before), await read(step.after)];
    const isOn = sameEntry(entry, step.before) || !from || !to || !bytes;
    const merged = isOn ? null : mergeText(from, bytes!, to);
    bytes = merged?.outcome === 'clean' ? merged.bytes : to;
    entry = step.after;
  }
  if (sameBytes(before, bytes) && modeOf(base) === modeOf(entry)) return null;
  return { mode: modeOf(entry), before, after: bytes };
}

function differing(path: string, a: Version, b: Version): DifferingFile {
  const none = new Uint8Array();
  const all = [a.before, a.after, b.after].filter((bytes) => bytes !== null);
  if (all.some(isBinary)) return { path, merge: 'binary', hunks_a: null, hunks_b: null };
  const isGone = a.after === null || b.after === null;
  const merged = isGone ? null : mergeText(a.before ?? none, a.after!, b.after!);
  const isShown = all.every(({ length }) => length <= MOST_BYTES);
  const hunks = (of: Version) => (isShown ? textHunks(of.before ?? none, of.after ?? none) : null);
  const merge = merged?.outcome === 'clean' ? 'clean' : 'conflict';
  return { path, merge, hunks_a: hunks(a), hunks_b: hunks(b) };
}

function linesIn(files: ReadonlyMap<string, Version>): { added: number; removed: number } {
  const sums = { added: 0, removed: 0 };
  for (const { before, after } of files.values()) {
    const [from, to] = [before ?? new Uint8Array(), after ?? new Uint8Array()];
    if ([from, to].some((bytes) => isBinary(bytes) || bytes.length > MOST_BYTES)) continue;
    const { added, removed } = countLines(from, to);
    sums.added += added;
    sums.removed += removed;
  }
  return sums;
}

/** Its steps, but those inside others, which take their time. */
async function workOf(
  storage: Storage,
  head: Head,
  point: Point,
): Promise<{ steps: number; ms: number; verified: unknown }> {
  let [steps, ms] = [0, 0];
  let results: unknown;
  await foldJournal(storage, head, [
    (one) => {
      const { entry } = one;
      if (!isAfter(head, point, one)) return;
      if (entry.t === 'verified') results = entry.results;
      if (entry.t !== 'step' && !(entry.t === 'failure' && entry.final)) return;
      if (entry.id.includes('>')) return;
      steps += 1;
      ms += entry.ms;
    },
  ]);
  const verified = results === undefined ? null : await unpackValue(results, blobLoader(storage, head));
  return { steps, ms: Math.round(ms), verified };
}

function sameVersion(a: Version, b: Version): boolean {
  return a.mode === b.mode && sameBytes(a.after, b.after);
}

function modeOf(entry: TreeEntry | null): number | null {
  return entry?.kind === 'file' ? entry.mode : null;
}
