/** Two points of a task that are compared: its start, a checkpoint, or now. */
import type { CheckpointRecord } from '../../checkpoint/record/record.ts';
import { unpackValue } from '../../checkpoint/values/pack.ts';
import type { Storage } from '../../storage/contract.ts';
import { firstSnapshot } from '../files/own-changes.ts';
import { requireCheckpoint } from '../history/checkpoints.ts';
import { NOTHING } from '../task/context-counts.ts';
import type { Cut } from '../task/cut.ts';
import { readMemory } from '../task/journal.ts';
import { blobLoader } from '../task/packing.ts';
import { type Head, loadHead } from '../task/records/head.ts';
import { requireTask } from '../task/tasks.ts';

/** How far a task was. */
export interface DiffPoint extends Cut {
  /** `start`, `now`, or the id of a checkpoint. */
  readonly id: string;
  /** Its files; null where none were captured. */
  readonly snapshot: string | null;
  /** What it says stays so. */
  readonly fixed: boolean;
  readonly steps: number;
  readonly messages: number;
  readonly tool_outputs: number;
  readonly decisions: number;
  readonly progress: number;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** `task` is needed for `start` and `now`; `filesNow` captures its files as they are. */
export async function diffPoint(
  storage: Storage,
  id: string,
  task: string,
  filesNow: (task: string) => Promise<string | null>,
): Promise<DiffPoint> {
  if (id === 'start') return startOf(storage, task);
  if (id === 'now') return nowOf(storage, task, filesNow);
  return checkpointOf(storage, await requireCheckpoint(storage, id));
}

async function startOf(storage: Storage, task: string): Promise<DiffPoint> {
  const { head } = await requireTask(storage, task);
  const snapshot = await firstSnapshot(storage, task);
  const first = { task: head.lineage[0]?.task ?? task, seq: 0 };
  return {
    id: 'start',
    ...first,
    snapshot,
    fixed: true,
    steps: 0,
    ...counted(NOTHING),
    progress: 0,
    variables: {},
  };
}

async function nowOf(
  storage: Storage,
  task: string,
  filesNow: (task: string) => Promise<string | null>,
): Promise<DiffPoint> {
  const end = await storage.position(task);
  const { head } = await requireTask(storage, task);
  const memory = await readMemory(storage, head, end);
  const variables = await unpacked(storage, head, Object.fromEntries(memory.variables));
  const rest = { steps: memory.stepIndex, ...counted(memory.context), progress: memory.progress.percent };
  return { id: 'now', task, seq: end.seq, snapshot: await filesNow(task), fixed: false, ...rest, variables };
}

async function checkpointOf(storage: Storage, record: CheckpointRecord): Promise<DiffPoint> {
  const { id, task_id: task, journal, snapshot = null, step_index, step_status, context, state } = record;
  const head = (await loadHead(storage, task)) ?? { task_id: task, lineage: [] };
  const variables = await unpacked(storage, head, record.step_variables as Record<string, unknown>);
  // A step that is about to run is none that it took.
  const steps = step_status === 'pending' ? step_index : step_index + 1;
  const rest = { steps, ...counted(context), progress: state.progress };
  return { id, task, seq: journal.seq, snapshot, fixed: true, ...rest, variables };
}

function counted({ messages, tool_outputs, decisions }: typeof NOTHING) {
  return { messages, tool_outputs, decisions };
}

async function unpacked(
  storage: Storage,
  head: Pick<Head, 'task_id' | 'lineage'>,
  stored: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const load = blobLoader(storage, head);
  const found: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(stored)) found[name] = await unpackValue(value, load);
  return found;
}
