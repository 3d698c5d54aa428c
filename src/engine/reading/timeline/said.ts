/** Which entries of a journal are its conversation: collected as it is read. Pure. */
import { attemptKey } from '../../task/context-counts.ts';
import type { Entry } from '../../task/entries.ts';
import { type Columns, columns } from './columns.ts';

/** And where the entries are that have the input and the result of a call; 0 where its last one may have them itself. */
const SAID = {
  journal: 'u16',
  seq: 'u32',
  input_journal: 'u16',
  input: 'u32',
  result_journal: 'u16',
  result: 'u32',
} as const;

export interface Said {
  /** In the order in which they count; what was rolled back among them. */
  readonly entries: Columns<typeof SAID>;
  take(entry: Entry, place: EntryAt): void;
}

export interface EntryAt {
  readonly journal: number;
  readonly seq: number;
}

const NOWHERE: EntryAt = { journal: 0, seq: 0 };

export function createSaid(): Said {
  const entries = columns(SAID);
  /** What attempts in progress have said: it counts once they have succeeded. */
  const pending = new Map<string, EntryAt[]>();
  /** Of calls in progress. */
  const inputs = new Map<string, EntryAt>();
  const results = new Map<string, EntryAt>();
  const add = (place: EntryAt, input = NOWHERE, result = NOWHERE): void => {
    entries.add({
      ...place,
      input_journal: input.journal,
      input: input.seq,
      result_journal: result.journal,
      result: result.seq,
    });
  };
  return {
    entries,
    take(entry, place) {
      switch (entry.t) {
        case 'message':
        case 'tool':
        case 'decision': {
          if (!entry.in) {
            add(place);
            return;
          }
          const key = attemptKey(entry.in.step, entry.in.attempt);
          pending.set(key, [...(pending.get(key) ?? []), place]);
          return;
        }
        case 'begin':
          if (entry.tool) inputs.set(entry.id, place);
          return;
        case 'result':
          results.set(entry.id, place);
          return;
        case 'skip':
          inputs.delete(entry.id);
          results.delete(entry.id);
          return;
        case 'step':
        case 'failure': {
          const key = pending.size > 0 ? attemptKey(entry.id, entry.attempt) : '';
          if (entry.t === 'step') for (const one of pending.get(key) ?? []) add(one);
          pending.delete(key);
          if (!entry.tool || (entry.t === 'failure' && !entry.final)) return;
          add(place, inputs.get(entry.id), results.get(entry.id));
          if (entry.t === 'failure') return; // Its result may still come.
          inputs.delete(entry.id);
          results.delete(entry.id);
          return;
        }
        case 'recovery':
        case 'rollback':
        case 'retry':
        case 'fork':
          pending.clear(); // What was in progress starts again, and says it again.
      }
    },
  };
}
