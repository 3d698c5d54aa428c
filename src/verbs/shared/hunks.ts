/** Hunks as lines, and the names of those who made them. */
import type { TextHunk } from '../../merge/hunks.ts';
import { KEY_BEGINS, lackBeginning } from '../../merge/inside-keys.ts';
import { tidy } from '../format/width.ts';
import type { Call } from '../kit/verb.ts';

type Teller = Pick<Call, 'say' | 'paint'>;

const MARKS = { same: ' ', add: '+', remove: '-' } as const;

/** In the form that people know from diff, with the author behind the place. */
export function hunkLines(
  hunks: readonly TextHunk[],
  { say, paint }: Teller,
  short: (task: string) => string,
): string[] {
  const plain = (text: string): string => text;
  const painters = { same: plain, add: paint.good, remove: paint.bad };
  return hunks.flatMap(({ before, after, by, lines }) => {
    const inside = lackBeginning(lines) ? ` ${KEY_BEGINS}` : '';
    const place = `@@ -${before.start},${before.count} +${after.start},${after.count} @@${inside}`;
    return [
      paint.dim(by === null ? place : `${place} ${tidy(author(by, say, short))}`),
      ...lines.map(({ kind, text }) => painters[kind](tidy(`${MARKS[kind]}${text}`))),
    ];
  });
}

/** As people call it. */
export function author(by: string, say: Call['say'], short: (task: string) => string): string {
  if (by.startsWith('agent:')) return say('author.agent', { name: by.slice('agent:'.length) });
  if (by.startsWith('task:')) return say('author.other_task', { task: short(by.slice('task:'.length)) });
  return by === 'task' || by === 'shell' || by === 'you' || by === 'unknown' ? say(`author.${by}`) : by;
}

/** "+12 −3", and neither where nothing was counted. */
export function counts(added: number | null, removed: number | null, { paint }: Pick<Call, 'paint'>): string {
  const parts = [...(added ? [paint.good(`+${added}`)] : []), ...(removed ? [paint.bad(`−${removed}`)] : [])];
  return parts.join(' ');
}
