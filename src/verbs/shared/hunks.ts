/** Hunks as lines, and the names of those who made them. */
import type { MadeBy } from '../../engine/reading/made-hunks.ts';
import type { TextHunk } from '../../merge/hunks.ts';
import { KEY_BEGINS, lackBeginning } from '../../merge/inside-keys.ts';
import { tidy } from '../format/width.ts';
import type { Call } from '../kit/verb.ts';

type Teller = Pick<Call, 'say' | 'paint'>;

const MARKS = { same: ' ', add: '+', remove: '-' } as const;

/** Of more steps the last are named. */
const MOST_STEPS = 3;

/**
 * In the form that people know from diff, with the author behind the place, and its steps as `entry` takes them: those of other
 * tasks than `task` with the task.
 */
export function hunkLines(
  hunks: readonly (TextHunk & { readonly steps?: readonly MadeBy[] })[],
  { say, paint }: Teller,
  short: (task: string) => string,
  task?: string,
): string[] {
  const plain = (text: string): string => text;
  const painters = { same: plain, add: paint.good, remove: paint.bad };
  return hunks.flatMap(({ before, after, by, lines, steps = [] }) => {
    const inside = lackBeginning(lines) ? ` ${KEY_BEGINS}` : '';
    const place = `@@ -${before.start},${before.count} +${after.start},${after.count} @@${inside}`;
    const numberOf = (step: MadeBy): string =>
      step.task === task ? `${step.seq}` : `${short(step.task)} ${step.seq}`;
    const who = by === null ? [] : [tidy(madeBy(author(by, say, short), steps, numberOf, say))];
    return [
      paint.dim([place, ...who].join(' ')),
      ...lines.map(({ kind, text }) => painters[kind](tidy(`${MARKS[kind]}${text}`))),
    ];
  });
}

function madeBy(
  who: string,
  steps: readonly MadeBy[],
  numberOf: (step: MadeBy) => string,
  say: Call['say'],
): string {
  if (steps.length === 0) return who;
  const names = steps.slice(-MOST_STEPS).map((step) => `${withoutPath(step.name)} (${numberOf(step)})`);
  const all = [...(steps.length > MOST_STEPS ? ['…'] : []), ...names].join(', ');
  return say('author.of_steps', { author: who, steps: steps.length, names: all });
}

/** The file is named above. */
function withoutPath(name: string): string {
  return name.replace(/^tool:/, '').replace(/^(files\.\w+) [\s\S]*$/, '$1');
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
