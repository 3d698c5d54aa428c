/**
 * The files that everybody edits: each has slots that collect marks. An edit adds one mark that no other edit has, and
 * nobody removes any, so a lost edit shows, and so does one that was made twice. What is not exactly such a file is torn.
 */
import type { Random } from '../crash/random.ts';

export const PAGES: readonly string[] = Array.from(
  { length: 50 },
  (_, number) => `page-${String(number).padStart(2, '0')}.txt`,
);
const SLOTS = 6;
/** Most edits go to these, so that they meet. */
const BUSY = 3;

/** The marks of each slot, in order. */
export type Slots = readonly (readonly string[])[];

export interface Spot {
  readonly path: string;
  readonly slot: number;
}

export const EMPTY: Slots = Array.from({ length: SLOTS }, () => []);

export function drawSpot(rng: Random): Spot {
  const path = rng.oneIn(3) ? rng.pick(PAGES) : PAGES[rng.below(BUSY)]!;
  return { path, slot: rng.below(SLOTS) };
}

/** Between two slots stands a line that never changes, so that edits of both can be merged. */
export function textOf(path: string, slots: Slots): string {
  const lines = slots.map(
    (marks, slot) => `slot ${[slot, ...marks].join(' ')}\nbelow slot ${slot}${FILLING}\n`,
  );
  return `first line of ${path}\n${lines.join('')}last line of ${path}\n`;
}

/** Long enough that a file is not written in one piece by chance. */
const FILLING = ' .'.repeat(400);

export class Torn extends Error {}

export function slotsIn(path: string, text: string): Slots {
  const slots = [...text.matchAll(/^slot \d((?: \S+)*)$/gm)].map(([, marks]) =>
    marks!.split(' ').filter((mark) => mark !== ''),
  );
  if (textOf(path, slots) === text && slots.length === SLOTS) return slots;
  throw new Torn(
    `${path} is torn (${text.length} characters): ${JSON.stringify(text.replaceAll(' .', '').slice(0, 300))}`,
  );
}

export function withMark({ path, slot }: Spot, mark: string, text: string): string {
  const slots = slotsIn(path, text).map((marks, index) => (index === slot ? [...marks, mark] : marks));
  return textOf(path, slots);
}

/** All marks of both. */
export function united(path: string, ours: string, theirs: string): string {
  const mine = slotsIn(path, ours);
  const slots = slotsIn(path, theirs).map((marks, slot) => [...new Set([...marks, ...mine[slot]!])]);
  return textOf(path, slots);
}
