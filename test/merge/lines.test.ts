import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesOf, lineReader } from '../../src/merge/lines.ts';

const file = fc
  .array(fc.uint8Array({ maxLength: 5 }), { maxLength: 30 })
  .map((parts) => Buffer.concat(parts.flatMap((part) => [part, Buffer.from('\n')])).subarray(0, -1));

test('lines are the file, cut behind every newline and nowhere else', () => {
  fc.assert(
    fc.property(file, (bytes) => {
      const lines = lineReader()(bytes);
      const each = [...lines.ids.keys()].map((line) => bytesOf(lines, { from: line, to: line + 1 }));
      expect(Buffer.concat(each).equals(bytes)).toBe(true);
      for (const [index, line] of each.entries()) {
        const newline = line.indexOf(10);
        expect(newline).toBe(newline === -1 && index === each.length - 1 ? -1 : line.length - 1);
      }
    }),
  );
});

test('two lines have the same number when they have the same bytes, in any of the files', () => {
  fc.assert(
    fc.property(file, file, (first, second) => {
      const read = lineReader();
      const texts = new Map<number, string>();
      for (const lines of [read(first), read(second)]) {
        for (const [line, id] of lines.ids.entries()) {
          const text = Buffer.from(bytesOf(lines, { from: line, to: line + 1 })).toString('latin1');
          expect(texts.get(id) ?? text).toBe(text);
          texts.set(id, text);
        }
      }
      expect(new Set(texts.values()).size).toBe(texts.size);
    }),
  );
});

test('there may be many of them', () => {
  const bytes = Buffer.from(Array.from({ length: 50_000 }, (_, line) => `${line % 20_000}\n`).join(''));
  const { ids } = lineReader()(bytes);
  expect(ids.length).toBe(50_000);
  expect(ids.every((id, line) => id === line % 20_000)).toBe(true);
});
