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
  const counts = new Map<number, Map<string, number>>();
  const countsOf = (length: number): Map<string, number> => {
    let found = counts.get(length);
    if (!found) {
      found = new Map();
      for (const id of all) found.set(id.slice(-length), (found.get(id.slice(-length)) ?? 0) + 1);
      counts.set(length, found);
    }
    return found;
  };
  return (id) => {
    if (!TASK_ID_PATTERN.test(id)) return id;
    for (let length = SHOWN; length < id.length; length++)
      if ((countsOf(length).get(id.slice(-length)) ?? 0) <= 1) return id.slice(-length);
    return id;
  };
}
