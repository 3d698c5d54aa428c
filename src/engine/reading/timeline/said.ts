/** Which entries of a journal are its conversation: collected as it is read. Pure. */
import { attemptKey } from '../../task/context-counts.ts';
import type { Entry } from '../../task/entries.ts';
import { type Columns, columns } from './columns.ts';

const SAID = { journal: 'u16', seq: 'u32' } as const;

export interface Said {
  /** In the order in which they count; what was rolled back among them. */
  readonly entries: Columns<typeof SAID>;
  take(entry: Entry, place: { readonly journal: number; readonly seq: number }): void;
}

export function createSaid(): Said {
  const entries = columns(SAID);
  type EntryAt = { readonly journal: number; readonly seq: number };
  /** What attempts in progress have said: it counts once they have succeeded. */
  const pending = new Map<string, EntryAt[]>();
  return {
    entries,
    take(entry, place) {
      switch (entry.t) {
        case 'message':
        case 'tool':
        case 'decision': {
          if (!entry.in) {
            entries.add(place);
            return;
          }
          const key = attemptKey(entry.in.step, entry.in.attempt);
          pending.set(key, [...(pending.get(key) ?? []), place]);
          return;
        }
        case 'step':
        case 'failure': {
          const key = pending.size > 0 ? attemptKey(entry.id, entry.attempt) : '';
          if (entry.t === 'step') for (const one of pending.get(key) ?? []) entries.add(one);
          pending.delete(key);
          if (entry.tool && (entry.t === 'step' || entry.final)) entries.add(place);
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
