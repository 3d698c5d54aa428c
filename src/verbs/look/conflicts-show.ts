/** `conflicts show`: a file that a task and others changed at the same places, hunk by hunk. */
import type { Conflict } from '../../engine/questions/conflict.ts';
import { insideKeys, KEY_BEGINS } from '../../merge/inside-keys.ts';
import { type Call, verb } from '../kit/verb.ts';

/** Of a longer file, only the lines around the conflicts are shown. */
const MOST_BYTES = 1024 * 1024;
const AROUND = 3;

const SPAN = { start: 'number', count: 'number' } as const;

export const conflictsShow = verb({
  name: 'conflicts show',
  group: 'look',
  arguments: {
    task: { about: 'argument.task', of: 'task' },
    id: { about: 'questions.answer.argument.id' },
  },
  examples: ['conflicts show x7k2qf q1f0a3c9e'],
  data: {
    task: 'string',
    question: 'string',
    path: 'string',
    labels: { ours: 'string', base: 'string', theirs: 'string' },
    conflicts: 'number',
    /** Why it can be resolved as a whole only. */
    unmergeable: 'string|null',
    cut: 'boolean',
    hunks: [
      {
        index: 'number|null',
        kind: 'string',
        text: 'string|null',
        base: 'string|null',
        ours: 'string|null',
        theirs: 'string|null',
        at: [SPAN],
        suggestions: [{ by: 'string', text: 'string', inside_key: ['string'] }],
        /** Members whose text begins inside a private key. */
        inside_key: ['string'],
      },
    ],
  },
  async run(call) {
    const ids = await call.ids();
    const task = await ids.task(call.args.task);
    const question = call.args.id;
    const conflict = await (await call.reader()).conflict(task, question);
    const { path, merge, versions } = conflict;
    const cut = Object.values(versions).some((bytes) => bytes.length > MOST_BYTES);
    // As a whole only: there are no places to show.
    const hunks = merge.reason === undefined ? hunksOf(conflict, cut) : [];
    const labels = {
      ours: call.say('conflicts.ours'),
      base: call.say('conflicts.base'),
      theirs: call.say('conflicts.theirs'),
    };
    const unmergeable = merge.reason ?? null;
    const conflicts = merge.conflicts.length;
    const resolve = call.invoke(`conflicts resolve ${ids.short(task)} ${question} ${flagsFor(conflicts)}`);
    return {
      data: { task, question, path, labels, conflicts, unmergeable, cut, hunks },
      lines: [
        call.paint.bold(call.say('conflicts.title', { path, count: conflicts })),
        ...hunks.flatMap((hunk) => linesOf(hunk, labels, call)),
        call.say('conflicts.command', { command: resolve }),
      ],
    };
  },
});

function flagsFor(conflicts: number): string {
  const shown = Array.from({ length: Math.min(conflicts, 3) }, (_, index) => `--hunk ${index + 1}=ours`);
  return [...shown, ...(conflicts > shown.length ? ['…'] : [])].join(' ');
}

function hunksOf({ merge, suggestions }: Conflict, cut: boolean) {
  const inside = beginInside(merge.pieces);
  let index = 0;
  return merge.pieces.map((piece, at) => {
    const inside_key = inside[at]!;
    if (piece.kind === 'settled') {
      const text = textOf(piece.bytes);
      return { ...NO_HUNK, kind: 'same', text: cut ? middleCut(text) : text, inside_key };
    }
    const own = suggestions.filter((one) => one.conflict === index);
    const { base, ours, theirs, lines } = piece;
    return {
      index: ++index,
      kind: 'conflict',
      text: null,
      base: textOf(base),
      ours: textOf(ours),
      theirs: textOf(theirs),
      at: [lines.base, lines.ours, lines.theirs].map(({ from, to }) => ({
        start: from + 1,
        count: to - from,
      })),
      // One is made of the lines of both sides.
      suggestions: own.map(({ by, bytes }) => ({
        by,
        text: textOf(bytes),
        inside_key: inside_key.length > 0 ? ['text'] : [],
      })),
      inside_key,
    };
  });
}

const SIDES = ['base', 'ours', 'theirs'] as const;

/** Of each piece, the members that begin inside a private key: seen in each version of the file as a whole. */
function beginInside(pieces: Conflict['merge']['pieces']): string[][] {
  const found: string[][] = pieces.map(() => []);
  for (const side of SIDES) {
    const texts = pieces.map((piece) => textOf(piece.kind === 'settled' ? piece.bytes : piece[side]));
    const isInside = insideKeys(texts.join(''));
    let from = 0;
    for (const [at, text] of texts.entries()) {
      const name = pieces[at]!.kind === 'settled' ? 'text' : side;
      if (isInside(from) && !found[at]!.includes(name)) found[at]!.push(name);
      from += text.length;
    }
  }
  return found;
}

const NO_HUNK = { index: null, base: null, ours: null, theirs: null, at: [], suggestions: [] };

type Hunk = ReturnType<typeof hunksOf>[number];

function middleCut(text: string): string {
  const lines = text.split('\n');
  if (lines.length <= 2 * AROUND + 1) return text;
  const last = lines.slice(-AROUND - 1).join('\n');
  const isInside = insideKeys(text)(text.length - last.length);
  return [...lines.slice(0, AROUND), isInside ? `… ${KEY_BEGINS}` : '…', last].join('\n');
}

/** What is the same on both sides is shown next to the conflicts only. */
function linesOf(
  hunk: Hunk,
  labels: Readonly<Record<'ours' | 'base' | 'theirs', string>>,
  { paint, say }: Pick<Call, 'paint' | 'say'>,
): string[] {
  const { index, text, suggestions, inside_key } = hunk;
  const begun = (isInside: boolean): string[] => (isInside ? [`… ${KEY_BEGINS}`] : []);
  if (index === null) {
    const shown = [...begun(inside_key.length > 0), ...linesIn(middleCut(text ?? ''))];
    return shown.map((line) => paint.dim(`  ${line}`));
  }
  const part = (label: string, content: string | null, isInside: boolean): string[] => [
    `  ${paint.bold(label)}`,
    ...[...begun(isInside), ...linesIn(content ?? '')].map((line) => `  │ ${line}`),
  ];
  return [
    paint.warn(say('conflicts.hunk', { number: index })),
    ...(['ours', 'base', 'theirs'] as const).flatMap((side) =>
      part(labels[side], hunk[side], inside_key.includes(side)),
    ),
    ...suggestions.flatMap((one) => part(say('conflicts.suggested'), one.text, one.inside_key.length > 0)),
  ];
}

function linesIn(text: string): string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
