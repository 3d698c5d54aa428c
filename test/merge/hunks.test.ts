import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blame, makersIn } from '../../src/merge/blame.ts';
import { countLines, isBinary, type TextHunk, textHunks } from '../../src/merge/hunks.ts';
import { patchOf } from '../../src/merge/patch.ts';

const text = fc.array(fc.constantFrom('a', 'b', 'c', '}', ''), { maxLength: 25 }).map((lines) => lines);
const bytes = (lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(''));
const author = fc.constantFrom('task', 'you', null);

/** The new text, made of the old one and the hunks alone; fails where they overlap or do not fit. */
function applied(before: readonly string[], hunks: readonly TextHunk[]): string[] {
  const made: string[] = [];
  let at = 0;
  for (const { before: old, after, lines } of hunks) {
    const from = old.count === 0 ? old.start : old.start - 1;
    expect(from).toBeGreaterThanOrEqual(at);
    made.push(...before.slice(at, from));
    expect(made.length).toBe(after.count === 0 ? after.start : after.start - 1);
    const was = lines.filter(({ kind }) => kind !== 'add').map((line) => line.text);
    expect(was).toEqual(before.slice(from, from + old.count));
    made.push(...lines.filter(({ kind }) => kind !== 'remove').map((line) => line.text));
    at = from + old.count;
  }
  return [...made, ...before.slice(at)];
}

test('hunks make the new text of the old one, whatever the context and whoever the authors', () => {
  fc.assert(
    fc.property(
      text,
      fc.array(fc.tuple(text, author), { maxLength: 4 }),
      fc.nat(5),
      (first, later, context) => {
        const versions = [
          { bytes: bytes(first), by: null },
          ...later.map(([lines, by]) => ({ bytes: bytes(lines), by })),
        ] as const;
        const last = later.at(-1)?.[0] ?? first;
        const hunks = textHunks(bytes(first), bytes(last), { context, ...blame(versions as never) });
        expect(applied(first, hunks)).toEqual(last);
        const count = (kind: string) =>
          hunks.flatMap(({ lines }) => lines).filter((line) => line.kind === kind).length;
        expect(countLines(bytes(first), bytes(last))).toEqual({
          added: count('add'),
          removed: count('remove'),
        });
        const known = new Set<string | null>(later.map(([, by]) => by));
        for (const { by } of hunks) expect(by === null || known.has(by)).toBe(true);
      },
    ),
  );
});

test('the makers of a hunk are those who removed and added its lines', () => {
  const edit = fc.record({ at: fc.nat(30), removes: fc.nat(3), adds: fc.nat(3) });
  fc.assert(
    fc.property(
      fc.nat(20),
      fc.array(fc.array(edit, { maxLength: 3 }), { maxLength: 6 }),
      fc.nat(3),
      (length, makers, context) => {
        // No line is there twice, so that each is of one maker.
        const first = Array.from({ length }, (_, at) => `first ${at}`);
        const removedBy = new Map<string, number>();
        const addedBy = new Map<string, number>();
        let lines = first;
        const versions = [{ bytes: bytes(first), by: 'nobody' }];
        for (const [maker, edits] of makers.entries()) {
          for (const [nth, { at, removes, adds }] of edits.entries()) {
            const from = Math.min(at, lines.length);
            const added = Array.from({ length: adds }, (_, n) => `${maker} ${nth} ${n}`);
            for (const line of lines.slice(from, from + removes)) removedBy.set(line, maker);
            for (const line of added) addedBy.set(line, maker);
            lines = lines.toSpliced(from, removes, ...added);
          }
          versions.push({ bytes: bytes(lines), by: `${maker}` });
        }
        const made = blame(versions as [(typeof versions)[0]]);
        const author = (maker: string | undefined) => maker && (Number(maker) % 2 === 0 ? 'task' : 'you');
        const authors = { removed: made.removed.map(author), added: made.added.map(author) };
        for (const hunk of textHunks(bytes(first), bytes(lines), { context, ...authors })) {
          const own = hunk.lines.flatMap(({ kind, text: line }) =>
            kind === 'same' ? [] : [`${(kind === 'add' ? addedBy : removedBy).get(line)}`],
          );
          expect(makersIn(hunk, made)).toEqual(new Set(own));
          expect(new Set(own.map(author))).toEqual(new Set([hunk.by]));
        }
      },
    ),
  );
});

test('each hunk is by the one who changed it, also where two stand side by side', () => {
  const first = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
  const task = ['1', 'two', '3', '4', '5', '6', '7', '8', '9', 'ten'];
  const you = ['1', 'two', 'and a half', '3', '4', '6', '7', '8', '9', 'ten'];
  const who = blame([
    { bytes: bytes(first), by: null },
    { bytes: bytes(task), by: 'task' },
    { bytes: bytes(you), by: 'you' },
  ]);
  const hunks = textHunks(bytes(first), bytes(you), { context: 1, ...who });
  expect(hunks.map(({ by }) => by)).toEqual(['task', 'you', 'you', 'task'].filter((_, at) => at !== 2));
  expect(patchOf(hunks)).toEqual([
    '@@ -1,2 +1,2 @@',
    ' 1',
    '-2',
    '+two',
    '@@ -3,4 +3,4 @@',
    '+and a half',
    ' 3',
    ' 4',
    '-5',
    ' 6',
    '@@ -9,1 +9,2 @@',
    ' 9',
    '+ten',
  ]);
});

test('what one wrote and another removed again is no change, and is nobody’s', () => {
  const versions = [
    { bytes: bytes(['a']), by: null },
    { bytes: bytes(['a', 'b']), by: 'task' },
    { bytes: bytes(['a']), by: 'you' },
  ] as const;
  expect(blame(versions)).toEqual({ removed: [undefined], added: [undefined] });
});

test('line endings are shown where they differ', () => {
  const hunks = textHunks(Buffer.from('a\r\nb\r\n'), Buffer.from('a\nb\r\n'));
  expect(hunks[0]!.lines.map((line) => line.text)).toEqual(['a\r', 'a', 'b\r']);
  const same = textHunks(Buffer.from('a\r\nb\r\n'), Buffer.from('a\r\nc\r\n'));
  expect(same[0]!.lines.map((line) => line.text)).toEqual(['a', 'b', 'c']);
  expect([isBinary(Buffer.from('a\0')), isBinary(Buffer.from('é'))]).toEqual([true, false]);
});
