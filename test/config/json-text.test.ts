import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from '../../src/config/json-text.ts';

test.each([
  ['', 1, 1, 'the end of the file'],
  ['{', 1, 2, 'the end of the file'],
  ['{\n  "a": 1,\n}', 3, 1, '"}"'],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3, String.raw`"\"b\": 2"`],
  ['{"a":}', 1, 6, '"}"'],
  ['{"a" 1}', 1, 6, '"1}"'],
  ['{a: 1}', 1, 2, '"a: 1}"'],
  ['{"a": [1, 2}', 1, 12, '"}"'],
  ['[1,]', 1, 4, '"]"'],
  ['// why\n{}', 1, 1, '"// why"'],
  ['{} {}', 1, 4, '"{}"'],
  ['{"a": "b\n"}', 1, 9, String.raw`"\n\"}"`],
  ['{"a": .5}', 1, 7, '".5}"'],
  ['{"a": 01}', 1, 8, '"1}"'],
  ['{"a": true1}', 1, 11, '"1}"'],
])('%j is not JSON from line %i, column %i', (text, line, column, found) => {
  expect(parseJson(text)).toEqual({ ok: false, line, column, found });
});

test('a byte order mark is skipped', () => {
  expect(parseJson('\uFEFF{"a":1}')).toEqual({ ok: true, value: { a: 1 } });
});

test('a stray mark is found on the line where it stands, whatever is around it', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), fc.nat(), (value, n) => {
      const lines = JSON.stringify(value, null, 1).split('\n');
      const at = n % lines.length;
      lines[at] = `@${lines[at]}`;
      expect(parseJson(lines.join('\n'))).toMatchObject({ ok: false, line: at + 1, column: 1 });
    }),
  );
});
