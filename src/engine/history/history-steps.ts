/** The steps of an execution, assembled from their entries. */
import type { Entry, EntryOf } from '../task/entries.ts';
import type { StoredError } from '../task/stored-error.ts';
import { cut, valueOnOneLine } from './one-line.ts';

export interface StepRecord {
  /** `{agent}/{name}#{occurrence}` */
  readonly id: string;
  readonly name: string;
  /** The sub-agent it belongs to; null for the task itself. */
  readonly agent: string | null;
  /** Its number among the steps, as checkpoints have it in `step_index`. */
  readonly index: number;
  /** `pending`: tried, and neither done nor given up; its outcome is unknown when it is dangerous. */
  readonly status: 'success' | 'failed' | 'skipped' | 'pending';
  /** When it was first tried. */
  readonly started_at: string;
  /** What its attempts took together, without the pauses between them. */
  readonly duration_ms: number;
  readonly attempts: readonly AttemptRecord[];
  /** Its result, in a line. The full result is in the journal. */
  readonly result: string | null;
}

interface AttemptRecord {
  readonly attempt: number;
  readonly started_at: string;
  readonly duration_ms: number;
  /** Null when the attempt succeeded. */
  readonly error: Omit<StoredError, 'stack'> | null;
}

interface StepRecords {
  add(entry: Entry): void;
  all(): StepRecord[];
}

export function createStepRecords(): StepRecords {
  const records = new Map<string, StepRecord>();

  const tried = (
    entry: EntryOf<'step'> | EntryOf<'failure'>,
    end: Pick<StepRecord, 'status' | 'result'>,
  ): void => {
    const before = records.get(entry.id);
    const attempt: AttemptRecord = {
      attempt: entry.attempt,
      started_at: entry.at,
      duration_ms: entry.ms,
      error: entry.t === 'step' ? null : shortError(entry.error),
    };
    // A call that was given up when its process died is the same attempt when its result comes after all.
    const earlier = before?.attempts.filter((one) => one.attempt !== entry.attempt) ?? [];
    const attempts = [...earlier, attempt];
    records.set(entry.id, {
      ...identity(entry),
      started_at: before?.started_at ?? entry.at,
      duration_ms: attempts.reduce((sum, one) => sum + one.duration_ms, 0),
      attempts,
      ...end,
    });
  };

  return {
    add(entry) {
      switch (entry.t) {
        case 'begin':
          if (!records.has(entry.id)) records.set(entry.id, untried(entry, 'pending'));
          break;
        case 'step':
          tried(entry, {
            status: hasFailed(entry) ? 'failed' : 'success',
            result: valueOnOneLine(entry.result),
          });
          break;
        case 'failure':
          tried(entry, { status: entry.final ? 'failed' : 'pending', result: null });
          break;
        case 'skip':
          records.set(entry.id, untried(entry, 'skipped'));
          break;
      }
    },
    all: () => [...records.values()],
  };
}

/** An agent is given a tool's error as a result, and continues; the call has failed all the same. */
function hasFailed({ tool }: EntryOf<'step'>): boolean {
  return tool?.status === 'error' || tool?.status === 'unknown';
}

function untried(entry: EntryOf<'begin' | 'skip'>, status: StepRecord['status']): StepRecord {
  return {
    ...identity(entry),
    status,
    started_at: entry.at,
    duration_ms: 0,
    attempts: [],
    result: null,
  };
}

function identity({
  id,
  name,
  agent,
  index,
}: EntryOf<'begin' | 'step' | 'failure' | 'skip'>): Pick<StepRecord, 'id' | 'name' | 'agent' | 'index'> {
  return { id, name, agent: agent === '' ? null : agent, index };
}

const LONGEST_ERROR = 500;

function shortError({ name, message, code }: StoredError): NonNullable<AttemptRecord['error']> {
  return { name, message: cut(message, LONGEST_ERROR), ...(code === undefined ? {} : { code }) };
}
