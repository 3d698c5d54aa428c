/** Ids as shown: the shortest unique end. */
import { TASK_ID_PATTERN } from '../../task/keys.ts';

/** Ids are shown with this many characters, or more if two are equal. */
const SHOWN = 6;

/** The text with full ids replaced by short ones. Names of files stay as they are. */
export function withShortIds(text: string): string {
  return text.replace(WHOLE, (_, id: string) => id.slice(-SHOWN));
}
/** Text in quotes was typed by the user: it stays as it is. */
const WHOLE = /(?<![\w/\\."「“-])(?:ckpt-)?(t[0-7][0-9a-hjkmnp-tv-z]{25})(?![\w/\\]|\.\w|-(?!\d))/g;

/** Our own ids begin with the time, which tasks of one day have in common, so their ends differ. */
export function shortener(all: readonly string[]): (id: string) => string {
  const ids = createShortIds();
  for (const id of all) ids.add(id);
  return ids.short;
}

interface ShortIds {
  add(id: string): void;
  remove(id: string): void;
  short(id: string): string;
}

/** Of ids that come and go: one more costs no look at the others. */
export function createShortIds(): ShortIds {
  const ids = new Set<string>();
  /** How many end alike, by the length of the end; longer ones once two were equal. */
  const counts = new Map<number, Map<string, number>>();
  const count = (ends: Map<string, number>, end: string, by: number): void => {
    ends.set(end, (ends.get(end) ?? 0) + by);
    if (ends.get(end) === 0) ends.delete(end);
  };
  const countsOf = (length: number): Map<string, number> => {
    let found = counts.get(length);
    if (!found) {
      found = new Map();
      for (const id of ids) count(found, id.slice(-length), 1);
      counts.set(length, found);
    }
    return found;
  };
  return {
    add(id) {
      if (ids.has(id)) return;
      ids.add(id);
      for (const [length, ends] of counts) count(ends, id.slice(-length), 1);
    },
    remove(id) {
      if (ids.delete(id)) for (const [length, ends] of counts) count(ends, id.slice(-length), -1);
    },
    short(id) {
      if (!TASK_ID_PATTERN.test(id)) return id;
      for (let length = SHOWN; length < id.length; length++)
        if ((countsOf(length).get(id.slice(-length)) ?? 0) <= 1) return id.slice(-length);
      return id;
    },
  };
}
