/** The runs of a task, as its journal tells them: when each began, after what, and how it ended. Pure. */
import type { TaskStatus } from '../../task/status.ts';
import type { Runner } from '../api/runner.ts';
import type { Entry, EntryOf } from '../task/entries.ts';
import type { Head } from '../task/records/head.ts';

export interface RunRecord {
  readonly at: string;
  /** The process that ran it; null in stores of older versions. */
  readonly by: Runner | null;
  /** Why there is this run: the first one, or how the one before had ended. */
  readonly after: 'start' | RunEnd;
  /** Null while nothing is known of its end. */
  readonly ended: RunEnd | null;
}

/** `killed`: its process ended without a word. `idle`: between two turns of an agent. */
type RunEnd = 'completed' | 'failed' | 'cancelled' | 'paused' | 'waiting' | 'idle' | 'killed';

interface RunRecords {
  /** `seq` of the entry. */
  take(entry: Entry, seq: number): RunEvent | null;
  readonly all: readonly RunRecord[];
  /** As the journal has it: in progress also if the process has died. */
  readonly status: TaskStatus;
  /** The status does not belong to a run: a rollback or a fork has put the task there. */
  readonly moved: boolean;
}

/** What an entry says of runs: one began, after this end of the one before, or one ended. */
export type RunEvent =
  | { readonly kind: 'began'; readonly after: RunRecord['after']; readonly new_code: boolean }
  | { readonly kind: 'ended'; readonly how: RunEnd };

export function createRunRecords({ origin }: Pick<Head, 'origin'>): RunRecords {
  const ofAgent = origin?.kind === 'agent';
  const all: RunRecord[] = [];
  /** What the task was in before each rollback. */
  const before = new Map<number, TaskStatus>();
  let status: TaskStatus = 'queued';
  let moved = false;
  /** Something was recorded since the last recovery: a run that could not start records nothing else. */
  let didSomething = false;

  const end = (how: RunEnd): RunEvent | null => {
    const last = all.at(-1);
    if (!last || last.ended !== null) return null;
    all[all.length - 1] = { ...last, ended: how };
    return { kind: 'ended', how };
  };
  const begin = (at: string, after: RunRecord['after'], by: Runner | null): RunEvent => {
    const known = all.findLast((run) => run.by !== null)?.by;
    const new_code = known != null && by !== null && known.fingerprint !== by.fingerprint;
    all.push({ at, by, after, ended: null });
    return { kind: 'began', after, new_code };
  };

  const recovered = ({ at, unknown, mended, by, after }: EntryOf<'recovery'>): RunEvent | null => {
    if (mended) return null; // The store was repaired: nothing ran.
    const last = all.at(-1);
    if (last && last.ended === null) {
      if (!didSomething && unknown.length === 0) return null;
      const between = after === undefined ? ofAgent && unknown.length === 0 : after === 'pause';
      end(status === 'waiting' ? 'waiting' : between ? 'idle' : 'killed');
    }
    return begin(at, all.at(-1)?.ended ?? 'start', by ?? null);
  };

  const changed = (entry: EntryOf<'status'>): RunEvent | null => {
    status = entry.to as TaskStatus;
    if (moved) {
      moved = status !== 'paused';
      return null;
    }
    if (status === 'in_progress' && (all.at(-1)?.ended !== null || all.length === 0))
      return begin(entry.at, all.at(-1)?.ended ?? 'start', entry.by ?? null);
    return isEnd(status) ? end(status) : null;
  };

  return {
    take(entry, seq) {
      switch (entry.t) {
        case 'recovery': {
          moved = false;
          const event = recovered(entry);
          didSomething = false;
          return event;
        }
        case 'status':
          return changed(entry);
        case 'retry':
        case 'take':
        case 'checkpoint':
          return null;
        case 'rollback':
          before.set(seq, status);
          moved = entry.files === undefined;
          return null;
        case 'fork':
          moved = true;
          return null;
        case 'redo':
          moved = false;
          status = before.get(entry.rollback) ?? status;
          return null;
        default:
          moved = false;
          didSomething = true;
          return null;
      }
    },
    all,
    get status() {
      return status;
    },
    get moved() {
      return moved;
    },
  };
}

function isEnd(status: TaskStatus): status is TaskStatus & RunEnd {
  return ['completed', 'failed', 'cancelled', 'paused'].includes(status);
}
