/** Hunks in the form that people know from diff. Pure. */
import type { Stretch, TextHunk } from './hunks.ts';
import { KEY_BEGINS, lackBeginning } from './inside-keys.ts';

/** Lines start with a space, `+`, `-` or `@@`. */
export function patchOf(hunks: readonly TextHunk[]): string[] {
  return hunks.flatMap(({ before, after, lines }) => [
    `@@ -${placed(before)} +${placed(after)} @@${lackBeginning(lines) ? ` ${KEY_BEGINS}` : ''}`,
    ...lines.map(({ kind, text }) => MARKS[kind] + text),
  ]);
}

const MARKS = { same: ' ', add: '+', remove: '-' } as const;

function placed({ start, count }: Stretch): string {
  return `${start},${count}`;
}
