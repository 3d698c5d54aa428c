import { describe, expect, test } from 'vitest';
import { resolveConflicts } from '../../src/merge/result.ts';
import { type MergeOptions, mergeText } from '../../src/merge/text.ts';

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
const merged = (base: string, ours: string, theirs: string, options?: MergeOptions) =>
  text(mergeText(base, ours, theirs, options).bytes);

describe('changes that do not touch', () => {
  test('are both taken', () => {
    const merge = mergeText('a\nb\nc\n', 'A\nb\nc\n', 'a\nb\nC\n');
    expect(merge).toMatchObject({ outcome: 'clean', conflicts: [] });
    expect(text(merge.bytes)).toBe('A\nb\nC\n');
  });

  test('may be insertions and deletions', () => {
    expect(merged('a\nb\nc\nd\n', 'a\nb\nd\n', 'new\na\nb\nc\nd\n')).toBe('new\na\nb\nd\n');
  });

  test('that are the same on both sides are taken once', () => {
    expect(merged('a\nb\nc\nd\ne\n', 'a\nX\nc\nd\nE\n', 'a\nX\nc\nd\ne\n')).toBe('a\nX\nc\nd\nE\n');
  });

  test('that arrive at the same text by other ways are taken once', () => {
    const base = '1\n2\n3\n4\n5\n6\n';
    const ours = '1\nx\n3\ny\n5\n6\n';
    expect(merged(base, ours, `${ours}z\n`)).toBe(`${ours}z\n`);
  });
});

describe('changes that touch', () => {
  const base = 'one\ntwo\nthree\n';
  const ours = 'one\nTWO\nthree\n';
  const theirs = 'one\n2\nthree\n';

  test('are a conflict, with the three hunks and where they stand', () => {
    const merge = mergeText(base, ours, theirs);
    expect(merge.outcome).toBe('conflict');
    expect(merge.conflicts).toHaveLength(1);
    const { base: before, ours: mine, theirs: yours, lines } = merge.conflicts[0]!;
    expect([before, mine, yours].map(text)).toEqual(['two\n', 'TWO\n', '2\n']);
    const second = { from: 1, to: 2 };
    expect(lines).toEqual({ base: second, ours: second, theirs: second });
  });

  test('are written with the base between the markers', () => {
    expect(merged(base, ours, theirs)).toBe(
      'one\n<<<<<<< ours\nTWO\n||||||| base\ntwo\n=======\n2\n>>>>>>> theirs\nthree\n',
    );
  });

  test('are written as asked for', () => {
    const labels = { ours: "OURS (the agent's change)", theirs: '' };
    expect(merged(base, ours, theirs, { style: 'merge', labels, markerSize: 9 })).toBe(
      "one\n<<<<<<<<< OURS (the agent's change)\nTWO\n=========\n2\n>>>>>>>>>\nthree\n",
    );
  });

  test('touch also where they only meet', () => {
    expect(mergeText('a\nb\nc\nd\n', 'a\nB\nc\nd\n', 'a\nb\nC\nd\n').outcome).toBe('conflict');
    expect(mergeText('a\nb\n', 'a\nx\nb\n', 'a\ny\nb\n').outcome).toBe('conflict');
  });

  test('are a conflict where one side deletes', () => {
    const merge = mergeText(base, 'one\nthree\n', theirs);
    expect(text(merge.conflicts[0]!.ours)).toBe('');
    expect(text(merge.bytes)).toBe(
      'one\n<<<<<<< ours\n||||||| base\ntwo\n=======\n2\n>>>>>>> theirs\nthree\n',
    );
  });

  test('are a conflict where both sides write a new file', () => {
    expect(merged('', 'a\n', 'b\n')).toBe('<<<<<<< ours\na\n||||||| base\n=======\nb\n>>>>>>> theirs\n');
  });
});

describe('a merge about which the two ways of matching lines disagree', () => {
  const lines = (letters: string) => [...letters].map((letter) => `${letter}\n`).join('');

  test('is a conflict when the shortest edit finds one', () => {
    expect(mergeText(lines('bcc'), lines('b'), lines('cb')).outcome).toBe('conflict');
  });

  test('is a conflict when the rarest lines find one', () => {
    expect(mergeText(lines('cbb'), lines('bc'), lines('b')).outcome).toBe('conflict');
  });
});

describe('styles', () => {
  const base = 'top\nold\nend\n';
  const ours = 'top\nsame\nmine\nlast\nend\n';
  const theirs = 'top\nsame\nyours\nlast\nend\n';

  test('zdiff3 leaves out what both sides share at the edges', () => {
    expect(merged(base, ours, theirs)).toBe(
      'top\nsame\n<<<<<<< ours\nmine\n||||||| base\nold\n=======\nyours\n>>>>>>> theirs\nlast\nend\n',
    );
  });

  test('diff3 shows the whole region', () => {
    expect(merged(base, ours, theirs, { style: 'diff3' })).toBe(
      'top\n<<<<<<< ours\nsame\nmine\nlast\n||||||| base\nold\n=======\nsame\nyours\nlast\n>>>>>>> theirs\nend\n',
    );
  });

  test('merge cuts a region into what really differs, unless only a few lines lie between', () => {
    const shared = ['p', 'q', 'r', 's'];
    const side = (name: string, between: readonly string[]) =>
      `${[`${name}1`, ...between, `${name}2`].join('\n')}\n`;
    const count = (between: readonly string[]) =>
      mergeText('old\n', side('a', between), side('b', between), { style: 'merge' }).conflicts.length;
    expect(count(shared)).toBe(2);
    expect(count(shared.slice(1))).toBe(1);
  });
});

describe('bytes', () => {
  test('that are not UTF-8 come out as they went in', () => {
    const line = (...bytes: number[]) => [...bytes, 10];
    const base = Uint8Array.from([...line(0xff, 0xfe), ...line(0x61), ...line(0xc3, 0x28)]);
    const ours = Uint8Array.from([...line(0xff, 0xfd), ...line(0x61), ...line(0xc3, 0x28)]);
    const theirs = Uint8Array.from([...line(0xff, 0xfe), ...line(0x61), ...line(0xe2, 0x82)]);
    const merge = mergeText(base, ours, theirs);
    expect([...merge.bytes]).toEqual([...line(0xff, 0xfd), ...line(0x61), ...line(0xe2, 0x82)]);
  });

  test('of a byte order mark and of text given as a string are kept', () => {
    expect(
      Buffer.from(mergeText('\ufeffä\nb\nc\n', '\ufeffä\nb\nC\n', '\ufeffö\nb\nc\n').bytes).toString(),
    ).toBe('\ufeffö\nb\nC\n');
  });

  test('of half a surrogate pair are refused, for they would not come back', () => {
    expect(() => mergeText('a\n', 'b\ud800\n', 'c\n')).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringContaining('surrogate') }),
    );
  });
});

describe('line endings', () => {
  test('of CRLF files are kept, also on the markers', () => {
    expect(merged('a\r\nb\r\nc\r\n', 'a\r\nB\r\nc\r\n', 'a\r\n2\r\nc\r\n', { style: 'merge' })).toBe(
      'a\r\n<<<<<<< ours\r\nB\r\n=======\r\n2\r\n>>>>>>> theirs\r\nc\r\n',
    );
  });

  test('that one side changed are a change of every line', () => {
    expect(merged('a\nb\n', 'a\r\nb\r\n', 'a\nb\n')).toBe('a\r\nb\r\n');
    expect(mergeText('a\nb\nc\n', 'a\r\nb\r\nc\r\n', 'a\nb\nC\n').outcome).toBe('conflict');
  });

  test('that are missing at the end stay missing, or are added as one side did', () => {
    expect(merged('a\nb\nc', 'A\nb\nc', 'a\nb\nc\n')).toBe('A\nb\nc\n');
    expect(merged('a\nb\nc\n', 'A\nb\nc\n', 'a\nb\nc')).toBe('A\nb\nc');
  });

  test('are put before a marker, not into the conflict', () => {
    const merge = mergeText('a\nb', 'a\nB', 'a\n2');
    expect(text(merge.bytes)).toBe('a\n<<<<<<< ours\nB\n||||||| base\nb\n=======\n2\n>>>>>>> theirs\n');
    expect(text(merge.conflicts[0]!.ours)).toBe('B');
    expect(text(resolveConflicts(merge, () => 'theirs').bytes)).toBe('a\n2');
  });
});

describe('what is no text', () => {
  test('is taken when only one side changed it', () => {
    expect(merged('a\0', 'a\0', 'b\0')).toBe('b\0');
    expect(merged('a\0', 'b\0', 'b\0')).toBe('b\0');
  });

  test('is unmergeable when both did: ours, and one conflict over the whole', () => {
    const merge = mergeText('a\0', 'b\0', 'c\0');
    expect(merge).toMatchObject({ outcome: 'unmergeable', reason: 'binary' });
    expect(text(merge.bytes)).toBe('b\0');
    const resolved = resolveConflicts(merge, () => 'theirs');
    expect(resolved.outcome).toBe('clean');
    expect(text(resolved.bytes)).toBe('c\0');
    expect(resolveConflicts(merge, () => undefined)).toEqual(merge);
  });

  test('is told from text by its first 8,000 bytes, as git does', () => {
    const late = (end: string) => `top\n${'x'.repeat(8_000)}\n\0\n${end}\n`;
    expect(mergeText(late('a'), `new ${late('a')}`, late('b')).outcome).toBe('clean');
  });

  test('includes what is larger than the limit', () => {
    const options = { maxBytes: 10 };
    expect(mergeText('a\n', 'b\n', 'c\n', options).outcome).toBe('conflict');
    expect(mergeText('a\n', 'b\n', 'c 34567890\n', options)).toMatchObject({ reason: 'too large' });
  });
});

describe('resolutions', () => {
  const merge = mergeText('a\nb\nc\nd\ne\n', '1\nb\nc\nd\n5\n', 'I\nb\nC\nd\nV\n');

  test('replace conflicts one by one', () => {
    expect(merge.conflicts).toHaveLength(2);
    const half = resolveConflicts(merge, (_, index) => (index === 0 ? Buffer.from('one\n') : undefined));
    expect(half.outcome).toBe('conflict');
    expect(text(half.bytes)).toBe(
      'one\nb\nC\nd\n<<<<<<< ours\n5\n||||||| base\ne\n=======\nV\n>>>>>>> theirs\n',
    );
    const whole = resolveConflicts(half, () => 'base');
    expect(whole).toMatchObject({ outcome: 'clean', conflicts: [] });
    expect(text(whole.bytes)).toBe('one\nb\nC\nd\ne\n');
  });

  test('leave the merge they are given as it was', () => {
    const before = text(merge.bytes);
    resolveConflicts(merge, () => 'ours');
    expect(text(merge.bytes)).toBe(before);
  });
});

describe('files that say little', () => {
  test('are merged in bounded time: thousands of braces and blanks', () => {
    const lines = (seed: number) =>
      Array.from({ length: 6_000 }, (_, line) => (((line * seed) ^ (line >> 3)) % 7 < 3 ? '}' : '')).join(
        '\n',
      );
    const merge = mergeText(lines(3), lines(5), lines(11));
    const ours = resolveConflicts(merge, () => 'ours');
    expect(ours.outcome).toBe('clean');
    expect(mergeText(lines(3), `first\n${lines(3)}`, `${lines(3)}\nlast`)).toMatchObject({
      outcome: 'clean',
    });
  });
});
