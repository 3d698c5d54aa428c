/**
 * Records an execution that something else runs: each step and error is a journal entry of a task of its own, on the disk
 * when the call resolves. What was tracked before a crash survives it, and tracking continues.
 */
import type { ContextMode } from '../../checkpoint/context/context.ts';
import type { DamagedCheckpoint } from '../../checkpoint/manager.ts';
import type { Checkpoint } from '../../checkpoint/record/record.ts';
import { packValue } from '../../checkpoint/values/pack.ts';
import { type PersistenceManager, storageOf } from '../../persistence/manager.ts';
import { phrase } from '../../phrase.ts';
import type { NewBlob, Storage } from '../../storage/contract.ts';
import { type Clock, systemClock } from '../../system/clock.ts';
import { checkName } from '../api/checks.ts';
import type { TaskHistory } from '../history/history.ts';
import { TaskCheckpoints } from '../recovery/stored-checkpoints.ts';
import type { Entry } from '../task/entries.ts';
import { storedError } from '../task/stored-error.ts';
import { readTrackedHistory } from './history.ts';
import { createJournals, type Tracked } from './journals.ts';

export interface TrackedStep {
  readonly name: string;
  /** The sub-agent that did it; default: the execution itself. */
  readonly agent?: string;
  readonly result?: unknown;
  readonly duration_ms?: number;
  /** Default: now minus its duration. */
  readonly started_at?: Date;
}

interface TrackedError extends Partial<Omit<TrackedStep, 'result'>> {
  /** Another attempt follows: the execution has not failed. */
  readonly will_retry?: boolean;
}

interface TrackedEnd {
  readonly status: 'success' | 'paused' | 'failed';
  readonly output?: unknown;
  readonly reason?: string;
}

export interface TrackerOptions {
  readonly clock?: Clock;
}

/** The history with its checkpoints whole; those that cannot be read are named apart. */
export interface ExecutionHistory extends Omit<TaskHistory, 'checkpoints' | 'last_checkpoint'> {
  /** Oldest first. */
  readonly checkpoints: readonly Checkpoint[];
  readonly last_checkpoint: Checkpoint | null;
  readonly damaged_checkpoints: readonly DamagedCheckpoint[];
}

/** Larger results are kept as blobs. */
const LIMITS = { blob_over_kb: 10, compress_over_kb: 100, compression: 'gzip' } as const;

export class ExecutionTracker {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #journals: ReturnType<typeof createJournals>;

  /** Default: the store that the settings name, opened at first use. */
  constructor(store?: Storage | PersistenceManager, { clock = systemClock }: TrackerOptions = {}) {
    this.#storage = storageOf(store);
    this.#clock = clock;
    this.#journals = createJournals(this.#storage, clock);
  }

  /**
   * A step that succeeded; returns its id. The first one starts the execution. One that failed before, by this name, has now
   * succeeded; after the execution had failed or paused, it is a recovery.
   */
  async trackStep(execution_id: string, step: TrackedStep): Promise<string> {
    checkName(phrase`A step`, step.name);
    const { stored, blob } = packValue(step.result ?? null, 'step_results', LIMITS);
    let id = '';
    await this.#journals.append(execution_id, (tracked) => {
      const attempt = this.#attempt(tracked, step);
      id = attempt.id;
      return { to: 'in_progress', entries: [{ t: 'step', ...attempt, result: stored }], blobs: blobs(blob) };
    });
    return id;
  }

  /** An error: of the step it names, or of the execution as a whole. Unless another attempt follows, it has failed. */
  async trackError(execution_id: string, error: unknown, about: TrackedError = {}): Promise<void> {
    const { name, will_retry = false } = about;
    const stored = storedError(error);
    await this.#journals.append(execution_id, (tracked) => {
      const entries: Entry[] =
        name === undefined
          ? []
          : [
              {
                t: 'failure',
                ...this.#attempt(tracked, { ...about, name }),
                error: stored,
                final: !will_retry,
              },
            ];
      return { to: will_retry ? 'in_progress' : 'failed', entries, error: stored };
    });
  }

  /** The execution is done, or idle. */
  async trackEnd(execution_id: string, { status, output = null, reason }: TrackedEnd): Promise<void> {
    const { stored, blob } = packValue(output, 'final_outputs', LIMITS);
    const to = ({ success: 'completed', paused: 'paused', failed: 'failed' } as const)[status];
    await this.#journals.append(execution_id, () => ({
      to,
      entries: [],
      output: stored,
      blobs: blobs(blob),
      ...(reason === undefined ? {} : { reason }),
    }));
  }

  /**
   * The history of this or any other execution in the store; null when there is none of this id. Each checkpoint has its
   * whole context: `context: 'none'` leaves that out where the conversation is long.
   */
  async getExecutionHistory(
    execution_id: string,
    { context = 'whole' }: { readonly context?: ContextMode } = {},
  ): Promise<ExecutionHistory | null> {
    const history = await readTrackedHistory(this.#storage, execution_id);
    if (!history) return null;
    const manager = new TaskCheckpoints(this.#storage);
    const checkpoints: Checkpoint[] = [];
    const damaged: DamagedCheckpoint[] = [];
    for (const id of history.checkpoints) {
      const found = await manager.tryCheckpoint(id, { context });
      if ('damaged' in found) damaged.push(found.damaged);
      else if (found.checkpoint) checkpoints.push(found.checkpoint);
    }
    return {
      ...history,
      checkpoints,
      last_checkpoint: checkpoints.at(-1) ?? null,
      damaged_checkpoints: damaged,
    };
  }

  /** The next attempt of the step: of the one by this name that has not succeeded yet, else of a new one. */
  #attempt({ memory, occurrences }: Tracked, step: Omit<TrackedStep, 'result'>) {
    const { name, agent = '', duration_ms: ms = 0 } = step;
    const scope = `${agent}/${name}`;
    const last = `${scope}#${occurrences.get(scope) ?? 0}`;
    const id = memory.tried.has(last) ? last : `${scope}#${(occurrences.get(scope) ?? 0) + 1}`;
    const at = (step.started_at ?? new Date(this.#clock.now().getTime() - ms)).toISOString();
    const attempt = (memory.attempts.get(id) ?? 0) + 1;
    return { id, name, agent, index: memory.tried.get(id) ?? nextIndex(memory), at, ms, attempt };
  }
}

function nextIndex({ stepIndex, tried }: Tracked['memory']): number {
  return Math.max(stepIndex, ...[...tried.values()].map((index) => index + 1));
}

function blobs(blob: NewBlob | undefined): NewBlob[] {
  return blob ? [blob] : [];
}
