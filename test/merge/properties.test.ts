import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffLines } from '../../src/merge/diff.ts';
import { bytesOf, lineReader } from '../../src/merge/lines.ts';
import { matchRarest } from '../../src/merge/rarest.ts';
import { resolveConflicts } from '../../src/merge/result.ts';
import { matchShortest } from '../../src/merge/shortest.ts';
import { mergeText } from '../../src/merge/text.ts';

/** Few kinds of lines, so that they repeat; with every kind of ending. */
const line = fc.constantFrom('a\n', 'b\n', '}\n', '\n', 'x\r\n', '\xff\n', 'd\re\n');
const file = fc
  .tuple(fc.array(line, { maxLength: 40 }), fc.constantFrom('', 'end', '\r'))
  .map(([lines, end]) => Buffer.from(lines.join('') + end, 'latin1'));
const ids = fc.array(fc.nat(6), { maxLength: 60 }).map((list) => Int32Array.from(list));

const expectBytes = (actual: Uint8Array, expected: Uint8Array) =>
  expect(Buffer.from(actual).toString('latin1')).toBe(Buffer.from(expected).toString('latin1'));

describe('matching', () => {
  test.each([
    ['rarest', matchRarest],
    ['shortest', matchShortest],
  ])('by the %s pairs equal lines, in order', (_, match) => {
    fc.assert(
      fc.property(ids, ids, (a, b) => {
        const pairs = [...match(a, b)]
          .map((partner, own) => [own, partner])
          .filter(([, partner]) => partner !== -1);
        for (const [own, partner] of pairs) expect(a[own!]).toBe(b[partner!]);
        const partners = pairs.map(([, partner]) => partner!);
        expect(partners).toEqual([...new Set(partners)].sort((x, y) => x - y));
      }),
    );
  });

  test('by the shortest leaves no shorter edit', () => {
    fc.assert(
      fc.property(ids, ids, (a, b) => {
        const paired = matchShortest(a, b).filter((partner) => partner !== -1).length;
        expect(paired).toBe(longestCommon(a, b));
      }),
    );
  });
});

test('hunks make the new file of the old one, with something unchanged between any two', () => {
  fc.assert(
    fc.property(ids, ids, fc.constantFrom(matchRarest, matchShortest), (before, after, match) => {
      const built: number[] = [];
      let done = 0;
      for (const hunk of diffLines(before, after, match)) {
        if (done > 0) expect(hunk.before.from).toBeGreaterThan(done);
        built.push(
          ...before.subarray(done, hunk.before.from),
          ...after.subarray(hunk.after.from, hunk.after.to),
        );
        done = hunk.before.to;
      }
      expect([...built, ...before.subarray(done)]).toEqual([...after]);
    }),
  );
});

describe('mergeText', () => {
  test('takes the only change, and the same change once', () => {
    fc.assert(
      fc.property(file, file, (base, changed) => {
        for (const [ours, theirs] of [
          [base, changed],
          [changed, base],
          [changed, changed],
        ] as const) {
          const merge = mergeText(base, ours, theirs);
          expect(merge.outcome).toBe('clean');
          expectBytes(merge.bytes, changed);
        }
      }),
    );
  });

  test('answers the same when the sides are swapped', () => {
    fc.assert(
      fc.property(file, file, file, (base, ours, theirs) => {
        const merge = mergeText(base, ours, theirs);
        const swapped = mergeText(base, theirs, ours);
        expect(swapped.outcome).toBe(merge.outcome);
        expect(swapped.conflicts.map((conflict) => [conflict.theirs, conflict.ours])).toEqual(
          merge.conflicts.map((conflict) => [conflict.ours, conflict.theirs]),
        );
        if (merge.outcome === 'clean') expectBytes(swapped.bytes, merge.bytes);
        expectBytes(
          resolveConflicts(swapped, () => 'theirs').bytes,
          resolveConflicts(merge, () => 'ours').bytes,
        );
      }),
    );
  });

  test('says exactly where each conflict stands, in order', () => {
    fc.assert(
      fc.property(file, file, file, fc.constantFrom('zdiff3', 'diff3'), (base, ours, theirs, style) => {
        const files = { base, ours, theirs };
        const read = lineReader();
        const { conflicts } = mergeText(base, ours, theirs, { style });
        for (const side of ['base', 'ours', 'theirs'] as const) {
          const lines = read(files[side]);
          let done = 0;
          for (const conflict of conflicts) {
            expect(conflict.lines[side].from).toBeGreaterThanOrEqual(done);
            done = conflict.lines[side].to;
            expectBytes(conflict[side], bytesOf(lines, conflict.lines[side]));
          }
        }
      }),
    );
  });

  test('comes out as one version when everything is in conflict and resolved for it', () => {
    const foreign = fc
      .array(fc.constantFrom('new\n', 'other\r\n'), { minLength: 1, maxLength: 10 })
      .map((lines) => Buffer.from(lines.join('')));
    fc.assert(
      fc.property(file, file, foreign, (base, ours, theirs) => {
        fc.pre(Buffer.compare(base, ours) !== 0);
        const merge = mergeText(base, ours, theirs);
        expect(merge.conflicts).toHaveLength(1);
        expectBytes(resolveConflicts(merge, () => 'ours').bytes, ours);
        expectBytes(resolveConflicts(merge, () => 'theirs').bytes, theirs);
        expectBytes(resolveConflicts(merge, () => 'base').bytes, base);
      }),
    );
  });

  test('finds what was put together from changes that do not touch', () => {
    const content = fc
      .uint8Array({ min: 1, max: 255, maxLength: 6 })
      .map((bytes) => bytes.filter((byte) => byte !== 10));
    const change = fc.record({ by: fc.constantFrom('ours', 'theirs'), kind: fc.nat(2), content });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
        const files = {
          base: [] as string[],
          ours: [] as string[],
          theirs: [] as string[],
          merged: [] as string[],
        };
        const put = (line: string, ...names: (keyof typeof files)[]) => {
          for (const name of names) files[name].push(line);
        };
        changes.forEach(({ by, kind, content: bytes }, index) => {
          const other = by === 'ours' ? 'theirs' : 'ours';
          const written = `${index} ${Buffer.from(bytes).toString('latin1')}\n`;
          put(`keep ${index}\n`, 'base', 'ours', 'theirs', 'merged');
          if (kind !== 0) put(`old ${index}\n`, 'base', other);
          if (kind !== 1) put(written, by, 'merged');
        });
        put('end\n', 'base', 'ours', 'theirs', 'merged');
        const [base, ours, theirs, merged] = Object.values(files).map((lines) =>
          Buffer.from(lines.join(''), 'latin1'),
        );
        const merge = mergeText(base!, ours!, theirs!);
        expect(merge.outcome).toBe('clean');
        expectBytes(merge.bytes, merged!);
      }),
    );
  });
});

function longestCommon(a: Int32Array, b: Int32Array): number {
  let above = new Array<number>(b.length + 1).fill(0);
  for (const own of a) {
    const row = [0];
    for (const [at, other] of b.entries()) {
      row.push(own === other ? above[at]! + 1 : Math.max(above[at + 1]!, row[at]!));
    }
    above = row;
  }
  return above[b.length]!;
}
