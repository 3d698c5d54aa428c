/** What a page about one task needs beside its rows: its runs, what a redo would bring back, its forks. */
import { VibeError } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import type { TaskStatus } from '../../task/status.ts';
import { loadSnapshot } from '../../workspace/snapshot/snapshots.ts';
import { diffTrees } from '../../workspace/tree/diff.ts';
import { filesIn } from '../files/changes.ts';
import type { RunRecord } from '../history/run-records.ts';
import { type Head, isDead } from '../task/records/head.ts';
import { loadRolledBack, type RolledBack } from '../task/records/rolled-back.ts';
import { readableState } from '../task/tasks.ts';
import type { TimelineIndex } from './timeline/index.ts';
import { timelineOf } from './timeline/kept.ts';
import { isThere } from './timeline/points.ts';
import { ROW_KINDS, type RowKind } from './timeline/row-of.ts';
import { forksFrom } from './timeline/timeline.ts';

export interface AboutTask {
  /** The last entry of its journal. */
  readonly position: number;
  /** What the newest rollback took away, whether or not it can still be redone. */
  readonly undone: Undone | null;
  readonly children: readonly ForkOf[];
  readonly runs: readonly RunRecord[];
  /** The numbers of its checkpoints, ascending. */
  readonly numbers: readonly number[];
  /** It changed files, and that was not undone since. */
  readonly changed_files: boolean;
  readonly index: TimelineIndex;
}

interface Undone {
  readonly checkpoint: string | null;
  readonly steps: number;
  readonly files: number;
}

interface ForkOf {
  readonly task: string;
  readonly name: string;
  readonly status: TaskStatus;
  readonly checkpoint: string;
}

export async function readAbout(storage: Storage, task: string): Promise<AboutTask> {
  const { index, cleaned } = await timelineOf(storage, task);
  const { checkpoints } = index.events;
  const numbers: number[] = [];
  const own = index.journals.length - 1;
  for (let at = 0; at < checkpoints.length; at++)
    if (checkpoints.get('journal', at) === own && isThere(index, checkpoints, cleaned, at))
      numbers.push(checkpoints.get('number', at));
  return {
    position: index.position.seq,
    undone: await undoneLast(storage, index),
    children: await childrenOf(storage, task),
    runs: index.runs,
    numbers: numbers.sort((a, b) => a - b),
    changed_files: hasChangedFiles(index),
    index,
  };
}

async function undoneLast(storage: Storage, index: TimelineIndex): Promise<Undone | null> {
  const last = index.head.undone.at(-1);
  const undone = last ? await loadRolledBack(storage, last.key) : null;
  if (!last || !undone) return null;
  return {
    checkpoint: undone.checkpoint,
    steps: stepsIn(index, undone.dead, last.from, last.to),
    files: await filesChanged(storage, undone),
  };
}

const WORK: ReadonlySet<RowKind> = new Set(['step', 'tool', 'shell', 'edit']);

/** Those that counted before the rollback. */
function stepsIn({ rows, journals }: TimelineIndex, before: Head['dead'], from: number, to: number): number {
  const own = journals.length - 1;
  let count = 0;
  for (let row = rows.length - 1; row >= 0 && rows.get('journal', row) === own; row--) {
    const seq = rows.get('seq', row);
    const within = seq >= from && seq <= to && !isDead(before, seq);
    if (within && WORK.has(ROW_KINDS[rows.get('kind', row)]!)) count++;
  }
  return count;
}

async function filesChanged(storage: Storage, { files }: RolledBack): Promise<number> {
  if (files === null || files.before === files.after) return 0;
  try {
    const [before, after] = [
      await loadSnapshot(storage, files.before),
      await loadSnapshot(storage, files.after),
    ];
    return filesIn([...diffTrees(before.tree, after.tree)]).length;
  } catch (error) {
    if (error instanceof VibeError) return 0; // A redo says what is missing.
    throw error;
  }
}

async function childrenOf(storage: Storage, task: string): Promise<ForkOf[]> {
  const found: ForkOf[] = [];
  for (const { child, checkpoint } of await forksFrom(storage, task)) {
    const state = await readableState(storage, child);
    if (state) found.push({ task: child, name: state.task_name, status: state.status, checkpoint });
  }
  return found;
}

function hasChangedFiles({ rows, journals, head }: TimelineIndex): boolean {
  if (head.files_undone) return false;
  const own = journals.length - 1;
  for (let row = rows.length - 1; row >= 0 && rows.get('journal', row) === own; row--)
    if (rows.get('dead', row) === 0 && rows.get('files', row) !== 1) return true;
  return false;
}
