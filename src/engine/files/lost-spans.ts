/**
 * What a task did to files in the lost end of its journal. Derived from what is left of it, or else from the checkpoints
 * there: between one made before an operation and the next one, the task was running.
 */
import type { CheckpointRecord } from '../../checkpoint/record/record.ts';
import { CorruptError, WorkspaceError } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import { loadSnapshot } from '../../workspace/snapshot/snapshots.ts';
import { snapshotOf, timeOf, triggerOf } from '../history/marks.ts';
import type { Entry } from '../task/entries.ts';
import type { LostFiles, LostSpan } from '../task/lost-files.ts';
import { openAtEnd, type TailEntry } from './open-at-end.ts';
import { spansOf } from './own-changes.ts';
import type { SpanReader } from './spans.ts';

/**
 * Undefined where nothing is known. `end` is the last entry that is left, `left` the newest checkpoint up to it, and `beyond`
 * what is left of what came after it, oldest first: entries, and checkpoints before the first of them.
 */
export async function lostFiles(
  storage: Storage,
  task: string,
  end: number,
  left: CheckpointRecord | undefined,
  beyond: { readonly entries: readonly TailEntry[]; readonly checkpoints: readonly CheckpointRecord[] },
): Promise<LostFiles | undefined> {
  if (beyond.entries.length + beyond.checkpoints.length === 0) return undefined;
  try {
    const now = openPoints(await spansOf(storage, task), end);
    const open = now[0]?.begins ? (now[0].paths ?? null) : null;
    const behind = pointsBehind(beyond.entries, { end, open });
    const told = behind[0]?.seq ?? Number.MAX_SAFE_INTEGER;
    const lost = [...beyond.checkpoints.flatMap(pointsAt).filter(({ seq }) => seq < told), ...behind];
    // A journal that tells of no files yet: the checkpoint has them.
    const begin = now.length === 0 && left ? pointsAt(left) : now;
    const points = [...begin, ...lost];
    for (const snapshot of new Set(points.map((point) => point.snapshot)))
      await loadSnapshot(storage, snapshot);
    // What was done before the first of them is not known, unless it is the first of all.
    if (points.length < 2 || (begin.length === 0 && !points[0]!.first)) return undefined;
    const last = await openAtEnd(storage, task, beyond.entries);
    return {
      from: points[0]!.snapshot,
      to: points.at(-1)!.snapshot,
      spans: between(points),
      ...(last ? { open: [...last] } : {}),
    };
  } catch (error) {
    // More is damaged than the journal.
    if (error instanceof CorruptError || error instanceof WorkspaceError) return undefined;
    throw error;
  }
}

/** The files at an entry of the journal. */
interface LostPoint {
  readonly seq: number;
  readonly snapshot: string;
  readonly at: number;
  /** An operation begins with it, and can change these files alone, where that is known. */
  readonly begins: boolean;
  readonly paths?: readonly string[];
  /** An operation ends with it, or may. */
  readonly ends: boolean;
  /** It tells of files that something other than an operation has changed. */
  readonly apart: boolean;
  /** The last entry before it that tells of files, where all in between are known. */
  readonly after?: number;
  /** The task had done nothing yet. */
  readonly first?: boolean;
}

function openPoints(reader: SpanReader, seq: number): LostPoint[] {
  const now = reader.openEnd();
  if (!now) return [];
  const { snapshot, begun, since, paths } = now;
  const known = paths ? { paths } : {};
  return [{ seq, snapshot, at: since, begins: begun, ends: !begun, apart: false, ...known }];
}

/** The files at a checkpoint. */
function pointsAt(record: CheckpointRecord): LostPoint[] {
  const { journal, snapshot, created_at, trigger, step_name, sequence_number } = record;
  if (snapshot === undefined) return [];
  const [, path] = FILE_STEP.exec(trigger === 'before_file_change' ? (step_name ?? '') : '') ?? [];
  const begins = trigger.startsWith('before_');
  const apart = APART.has(trigger);
  const paths = path === undefined ? {} : { paths: [path] };
  const at = Date.parse(created_at);
  const first = sequence_number === 1 ? { first: true } : {};
  return [{ seq: journal.seq, snapshot, at, begins, ends: !begins, apart, ...paths, ...first }];
}

/** As `task.files` calls its steps. */
const FILE_STEP = /^files\.\w+ (.+)$/s;
const APART: ReadonlySet<string> = new Set(['rollback', 'fork', 'start']);

export function concernsFiles(entry: Entry): boolean {
  return filesAt(entry) !== undefined;
}

/**
 * The files at the entries after the damage, oldest first, all of which were read. `end` is the last entry before it, and
 * `open` the files that the operation in progress there can change, if there is one and they are known.
 */
function pointsBehind(
  entries: readonly TailEntry[],
  { end, open }: { readonly end: number; readonly open: readonly string[] | null },
): LostPoint[] {
  const points: LostPoint[] = [];
  const begun = new Set<string>();
  const add = (point: Omit<LostPoint, 'after'>): void => {
    const after = points.at(-1)?.seq;
    points.push(after === undefined ? point : { ...point, after });
  };
  for (const { seq, entry } of entries) {
    const at = Date.parse(timeOf(entry));
    const first = entry.mark?.n === 1 ? { first: true } : {};
    const common = { begins: false, ends: false, apart: false, ...first };
    if (points.length === 0 && seq === end + 2 && !tookPart(entry, open)) {
      // One entry is lost, and nothing changed between it and this one: so it ended what was in progress.
      add({ ...common, seq: end + 1, snapshot: filesAt(entry)!, at, ends: true });
    }
    if (entry.t === 'begin') {
      begun.add(entry.id);
      const paths = entry.paths ? { paths: entry.paths } : {};
      add({ ...common, seq, snapshot: filesAt(entry)!, at, begins: true, ...paths });
    } else if ((entry.t === 'step' || entry.t === 'failure') && entry.files) {
      // Its begin is lost: what it found is known all the same.
      if (!begun.delete(entry.id))
        add({ ...common, seq: seq - 1, snapshot: entry.files.from, at: Date.parse(entry.at), begins: true });
      const { to, own, by } = entry.files;
      const last = by === 'shell' ? (own ?? entry.files).to : to;
      add({ ...common, seq, snapshot: last, at, ends: true });
      if (last !== to) add({ ...common, seq, snapshot: to, at, apart: true });
    } else {
      const apart = !entry.mark || APART.has(triggerOf(entry, entry.mark));
      add({ ...common, seq, snapshot: filesAt(entry)!, at, apart });
    }
  }
  return points;
}

/** Whether files of the operation in progress may have changed after its end, which is lost, and before the entry. */
function tookPart(entry: Entry, open: readonly string[] | null): boolean {
  const { mark } = entry;
  if (open === null || mark === undefined || ('files' in entry && entry.files)) return true;
  if (mark.changes === undefined) return false;
  const { modified, created, deleted } = mark.changes as Partial<CheckpointRecord['file_changes']>;
  if (!modified || !created || !deleted) return true; // Too many to be in the entry itself.
  const changed = [...modified.map(({ path }) => path), ...created, ...deleted];
  return changed.some((path) => open.includes(path));
}

function filesAt(entry: Entry): string | undefined {
  return snapshotOf(entry) ?? (entry.t === 'rollback' ? entry.snapshot : entry.mark?.snapshot);
}

/** Changes whose author is unknown are in doubt. */
function between(points: readonly LostPoint[]): LostSpan[] {
  const spans: LostSpan[] = [];
  let open = 0;
  let several = false;
  for (const [index, point] of points.entries()) {
    const before = points[index - 1];
    if (before && before.snapshot !== point.snapshot) {
      const known = point.after === before.seq || point.seq <= before.seq + 1;
      const follows = known && !point.apart && !several;
      const span = { from: before.snapshot, to: point.snapshot, since: before.at, until: point.at };
      if (!follows) spans.push({ ...span, doubtful: true });
      else if (open > 0) spans.push({ ...span, ...(before.paths ? { paths: [...before.paths] } : {}) });
    }
    if (point.begins) open++;
    else if (point.ends && open > 0) open--;
    several ||= open > 1;
  }
  return spans;
}
