/** The journals of tracked executions: each append moves the state along with it, in one commit. */
import { InvalidInputError, StaleWriteError } from '../../errors.ts';
import { loadState, stateRecord } from '../../persistence/state-records.ts';
import { phrase } from '../../phrase.ts';
import type { NewBlob, Position, Storage } from '../../storage/contract.ts';
import type { Clock } from '../../system/clock.ts';
import type { InProgressData, StateData } from '../../task/data.ts';
import type { TaskState } from '../../task/state.ts';
import { updateData } from '../../task/transition.ts';
import type { Entry } from '../task/entries.ts';
import { readMemory } from '../task/journal.ts';
import { type Memory, remember } from '../task/memory.ts';
import { occurrencesIn } from '../task/occurrences.ts';
import { loadHead } from '../task/records/head.ts';
import type { StoredError } from '../task/stored-error.ts';
import { creation, newTask, TRACKED } from '../task/tasks.ts';
import { type Moved, moveAlong, pausedData, queuedAgain, wayTo } from '../task/transitions.ts';

export interface Tracked {
  readonly memory: Memory;
  /** How often each name was used. */
  readonly occurrences: Map<string, number>;
}

interface Append {
  /** The status of the execution afterwards. */
  readonly to: 'in_progress' | 'paused' | 'completed' | 'failed';
  readonly entries: readonly Entry[];
  readonly blobs?: readonly NewBlob[];
  readonly error?: StoredError;
  readonly output?: unknown;
  readonly reason?: string;
}

interface Known extends Tracked {
  readonly position: Position;
  readonly state: TaskState;
}

export function createJournals(storage: Storage, clock: Clock) {
  const known = new Map<string, Known>();
  const turns = new Map<string, Promise<void>>();

  const load = async (id: string): Promise<Known> => {
    const head = await loadHead(storage, id);
    if (!head) {
      const task = newTask(id, TRACKED, null, { working_dir: process.cwd(), task_name: id }, clock.now());
      await storage.commit(creation(task));
      return load(id);
    }
    if (head.definition.fingerprint !== TRACKED.fingerprint) throw notTracked(id);
    // The position is read first: any later write makes the append stale.
    const position = await storage.position(id);
    const memory = await readMemory(storage, head, position);
    const state = (await loadState(storage, id))!;
    return { memory, state, position, occurrences: occurrencesIn(memory) };
  };

  const appendOnce = async (id: string, plan: (tracked: Tracked) => Append): Promise<void> => {
    const before = known.get(id) ?? (await load(id));
    known.delete(id);
    const append = plan(before);
    if (append.entries.length === 0 && append.to === before.state.status) {
      known.set(id, before);
      return;
    }
    const { state, entries: moves } = moved(before, append, clock.now());
    const ahead = moves.filter(({ to }) => to === 'queued' || to === 'in_progress');
    const entries = [...began(before.state, clock.now()), ...ahead, ...append.entries];
    entries.push(...moves.slice(ahead.length));
    if (append.blobs?.length) await storage.putBlobs(id, append.blobs);
    const receipt = await storage.commit({
      task: id,
      records: [stateRecord(state)],
      append: { after: before.position, entries },
    });
    for (const entry of entries) {
      remember(before.memory, entry);
      countName(before.occurrences, entry);
    }
    known.set(id, { ...before, state, position: receipt.position! });
  };

  /** Others may track the same execution: the second writer reads what the first one wrote, and tries again. */
  const append = async (id: string, plan: (tracked: Tracked) => Append): Promise<void> => {
    for (;;) {
      try {
        return await appendOnce(id, plan);
      } catch (error) {
        if (!(error instanceof StaleWriteError)) throw error;
      }
    }
  };

  return {
    append(id: string, plan: (tracked: Tracked) => Append): Promise<void> {
      const turn = (turns.get(id) ?? Promise.resolve()).then(() => append(id, plan));
      // Its caller has the error.
      turns.set(
        id,
        turn.catch(() => {}),
      );
      return turn;
    },
  };
}

function countName(occurrences: Map<string, number>, entry: Entry): void {
  if (entry.t !== 'step' && entry.t !== 'failure') return;
  const mark = entry.id.lastIndexOf('#');
  occurrences.set(entry.id.slice(0, mark), Number(entry.id.slice(mark + 1)));
}

/** Continuing after it had failed or paused is a recovery; after a failure, what failed is tried again. */
function began({ status }: TaskState, now: Date): Entry[] {
  const at = now.toISOString();
  const recovery: Entry = { t: 'recovery', at, checkpoint: null, notes: [], unknown: [] };
  if (status === 'failed') return [recovery, { t: 'retry', at }];
  return status === 'paused' ? [recovery] : [];
}

function moved({ state: start, memory }: Known, append: Append, now: Date): Moved {
  const way = [...wayTo(start.status, 'in_progress'), ...(append.to === 'in_progress' ? [] : [append.to])];
  const reason = append.error?.message ?? append.reason ?? null;
  const data = stateData(start, memory, append, now.toISOString());
  const { state, entries } = moveAlong(start, way, {
    data: (to) => data[to as keyof typeof data],
    reason: (to) => (to === append.to ? reason : null),
    now,
  });
  return {
    state: state.status === 'in_progress' ? updateData(state, data.in_progress, now) : state,
    entries,
  };
}

function stateData(start: TaskState, memory: Memory, append: Append, at: string) {
  const step = append.entries.at(-1);
  const in_progress: InProgressData = {
    current_agent: null,
    current_step: step && 'name' in step ? step.name : (memory.lastStep?.name ?? null),
    iteration_count: memory.iteration,
    started_at: start.status === 'in_progress' ? start.data.started_at : at,
    last_activity_at: at,
    accumulated_context: null,
  };
  const { error, reason = error?.message ?? '', output = null } = append;
  return {
    queued: queuedAgain(start, null),
    in_progress,
    paused: pausedData(in_progress, reason, at),
    completed: { completed_at: at, final_output: output, files_modified: [], verification_results: null },
    failed: {
      failed_at: at,
      error_type: error?.code ?? error?.name ?? 'Error',
      error_message: reason,
      stack_trace: error?.stack ?? null,
      recoverable: true,
      retry_count: memory.recoveries,
    },
  } satisfies Partial<StateData>;
}

function notTracked(id: string): InvalidInputError {
  return new InvalidInputError(
    'USAGE',
    phrase`Task ${id} is run by an engine, which records its history itself.`,
    {
      data: { task: id },
      hint: phrase`Track an execution under an id of its own; the history of this task can be read as it is.`,
    },
  );
}
