/**
 * What a task did to files in the lost end of its journal. Derived from the checkpoints there: between one made before an
 * operation and the next one, the task was running.
 */
import type { CheckpointRecord } from '../../checkpoint/record/record.ts';
import { VibeError } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import { loadSnapshot } from '../../workspace/snapshot/snapshots.ts';
import type { LostFiles, LostSpan } from '../task/lost-files.ts';
import { spansOf } from './own-changes.ts';
import type { SpanReader } from './spans.ts';

/**
 * Undefined where nothing is known. `end` is the last entry that is left, `left` the newest checkpoint up to it, and `beyond`
 * are those after it, oldest first.
 */
export async function lostFiles(
  storage: Storage,
  task: string,
  end: number,
  left: CheckpointRecord | undefined,
  beyond: readonly CheckpointRecord[],
): Promise<LostFiles | undefined> {
  if (beyond.length === 0) return undefined;
  try {
    const now = standing(await spansOf(storage, task), end);
    // A journal that tells of no files yet: the checkpoint has them.
    const begin = now.length === 0 && left ? linkOf(left) : now;
    const links = [...begin, ...beyond.flatMap(linkOf)];
    for (const snapshot of new Set(links.map((link) => link.snapshot))) await loadSnapshot(storage, snapshot);
    if (links.length < 2) return undefined;
    return { from: links[0]!.snapshot, to: links.at(-1)!.snapshot, spans: between(links) };
  } catch (error) {
    if (error instanceof VibeError) return undefined; // More is damaged than the journal.
    throw error;
  }
}

/** The files at an entry of the journal. */
interface Link {
  readonly seq: number;
  readonly snapshot: string;
  readonly at: number;
  /** An operation begins with it, and can change these files alone, where that is known. */
  readonly begins: boolean;
  readonly paths?: readonly string[];
  /** It tells of files that something other than an operation has changed. */
  readonly apart: boolean;
}

function standing(reader: SpanReader, seq: number): Link[] {
  const now = reader.standing();
  if (!now) return [];
  const { snapshot, begun, since, paths } = now;
  return [{ seq, snapshot, at: since, begins: begun, apart: false, ...(paths ? { paths } : {}) }];
}

function linkOf({ journal, snapshot, created_at, trigger, step_name }: CheckpointRecord): Link[] {
  if (snapshot === undefined) return [];
  const [, path] = FILE_STEP.exec(trigger === 'before_file_change' ? (step_name ?? '') : '') ?? [];
  const begins = trigger.startsWith('before_');
  const apart = APART.has(trigger);
  const paths = path === undefined ? {} : { paths: [path] };
  return [{ seq: journal.seq, snapshot, at: Date.parse(created_at), begins, apart, ...paths }];
}

/** As `task.files` calls its steps. */
const FILE_STEP = /^files\.\w+ (.+)$/s;
const APART: ReadonlySet<string> = new Set(['rollback', 'fork', 'start']);

/** Changes whose author is unknown are in doubt. */
function between(links: readonly Link[]): LostSpan[] {
  const spans: LostSpan[] = [];
  let open = 0;
  let several = false;
  for (const [index, link] of links.entries()) {
    const before = links[index - 1];
    if (before && before.snapshot !== link.snapshot) {
      const follows = link.seq === before.seq + 1 && !link.apart && !several;
      const span = { from: before.snapshot, to: link.snapshot, since: before.at, until: link.at };
      if (!follows) spans.push({ ...span, doubtful: true });
      else if (open > 0) spans.push({ ...span, ...(before.paths ? { paths: [...before.paths] } : {}) });
    }
    if (link.begins) open++;
    else if (open > 0) open--;
    several ||= open > 1;
  }
  return spans;
}
