import { expect, test } from 'vitest';
import { conflictKey } from '../../src/merge/key.ts';
import { mergeText } from '../../src/merge/text.ts';

const key = (...hunks: [string, string, string]) => {
  const [base, ours, theirs] = hunks.map((hunk) => Buffer.from(hunk));
  return conflictKey(base!, ours!, theirs!);
};

test('the same three hunks have one key, wherever and whenever they meet', () => {
  const first = mergeText('x\na\ny\n', 'x\nb\ny\n', 'x\nc\ny\n').conflicts[0]!;
  const later = mergeText('1\n2\na\n', '1\n2\nb\n', '1\n2\nc\n').conflicts[0]!;
  expect(conflictKey(first.base, first.ours, first.theirs)).toBe(
    conflictKey(later.base, later.ours, later.theirs),
  );
});

test('it does not matter which side is called ours', () => {
  expect(key('a\n', 'b\n', 'c\n')).toBe(key('a\n', 'c\n', 'b\n'));
});

test('any other byte, or the same bytes divided otherwise, is another key', () => {
  const keys = [
    key('a\n', 'b\n', 'c\n'),
    key('b\n', 'a\n', 'c\n'),
    key('a\n', 'b\r\n', 'c\n'),
    key('a\n', 'b', 'c\n'),
    key('', 'a\nb\n', 'c\n'),
    key('a\nb\n', '', 'c\n'),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  for (const one of keys) expect(one).toMatch(/^[0-9a-f]{64}$/);
});
