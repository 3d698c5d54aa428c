/** What each operation has behind it when it runs: read entry by entry, for `why.ts`. Pure. */
import type { Entry, EntryOf } from '../task/entries.ts';
import { onOneLine } from './one-line.ts';
import type { RunEvent } from './run-records.ts';
import type { Before } from './why.ts';

interface Pasts {
  /** Takes the next entry; `run`: what it says of runs. Returns what was before the operation that it begins. */
  take(entry: Entry, run: RunEvent | null): Before;
  /** An operation that has run is rolled back. */
  undo(id: string): void;
  /** That was taken back. */
  redo(id: string): void;
  /** Runs so far. */
  readonly runs: number;
}

/** `elsewhere`: operations that ran in the task that this one was forked from, after the fork. */
export function createPasts(elsewhere: ReadonlySet<string> = new Set()): Pasts {
  /** Begun, and not ended: in which run. */
  const open = new Map<string, number>();
  const failed = new Map<string, { readonly attempt: number; readonly error: string | null }>();
  const undone = new Set<string>();
  const late = new Set<string>();
  /** Who has run something before the last crash; they may have begun more than was recorded. */
  const lanes = new Set<string>();
  let doubtful = new Set<string>();
  let newCode = false;
  let runs = 0;

  const before = (id: string, agent: string, announced: boolean): Before => {
    const cut = open.get(id);
    const last = failed.get(id);
    const wasDoubtful = doubtful.delete(agent);
    const changed = newCode;
    newCode = false;
    lanes.add(agent);
    if (cut !== undefined) return { kind: 'cut_off', run: cut };
    if (last) return { kind: 'retry', attempt: last.attempt + 1, error: last.error };
    if (undone.delete(id)) return { kind: 'rolled_back' };
    if (elsewhere.has(id)) return { kind: 'forked' };
    if (changed) return { kind: 'code_changed' };
    // What is dangerous is announced before it runs.
    return { kind: wasDoubtful && !announced ? 'not_recorded' : 'first' };
  };

  const ended = (entry: EntryOf<'step' | 'failure' | 'skip'>): Before => {
    const begun = open.get(entry.id) === runs;
    const found: Before = begun ? FIRST : before(entry.id, entry.agent, false);
    open.delete(entry.id);
    if (entry.t === 'failure') failed.set(entry.id, { attempt: entry.attempt, error: inShort(entry) });
    else failed.delete(entry.id);
    return found;
  };

  return {
    take(entry, run) {
      if (run?.kind === 'began') {
        runs++;
        newCode = run.new_code;
        doubtful = new Set(run.after === 'killed' ? lanes : []);
      }
      switch (entry.t) {
        case 'begin': {
          const found = before(entry.id, entry.agent, true);
          open.set(entry.id, runs);
          return found;
        }
        case 'step':
        case 'failure':
        case 'skip':
          return ended(entry);
        case 'wait':
          return {
            kind: late.delete(entry.id) ? 'asked_again' : undone.delete(entry.id) ? 'rolled_back' : 'first',
          };
        case 'answer':
          if (entry.outcome === 'timed_out') late.add(entry.id);
          return FIRST;
        case 'agent':
          return undone.delete(entry.id) ? { kind: 'rolled_back' } : FIRST;
        default:
          return FIRST;
      }
    },
    undo(id) {
      undone.add(id);
      open.delete(id);
      failed.delete(id);
    },
    redo: (id) => void undone.delete(id),
    get runs() {
      return runs;
    },
  };
}

const FIRST: Before = { kind: 'first' };

const LONGEST = 200;

function inShort({ error: { name, message } }: EntryOf<'failure'>): string {
  return onOneLine(name === 'Error' ? message : `${name}: ${message}`, LONGEST);
}
