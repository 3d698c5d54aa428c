import * as fc from 'fast-check';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { byCodePoint } from '../../src/storage/page.ts';
import { byteArray, numberArray, textArray } from '../../src/storage/postgres/arrays.ts';
import { prefixEnd } from '../../src/storage/postgres/records.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
let client: Client;

beforeAll(async () => {
  database = await freshDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\0', ''));

test('arrays arrive as they were', async () => {
  const texts = fc.array(fc.option(text));
  const numbers = fc.array(fc.option(fc.maxSafeInteger()));
  const bytes = fc.array(fc.uint8Array());
  await fc.assert(
    fc.asyncProperty(texts, numbers, bytes, async (texts, numbers, bytes) => {
      const { rows } = await client.query({
        name: 'echo',
        text: 'SELECT $1::text[] AS texts, $2::bigint[]::text[] AS numbers, $3::bytea[] AS bytes',
        values: [textArray(texts), numberArray(numbers), byteArray(bytes)],
      });
      expect(rows).toEqual([
        {
          texts,
          numbers: numbers.map((number) => (number === null ? null : String(number))),
          bytes: bytes.map((each) => Buffer.from(each)),
        },
      ]);
    }),
  );
});

test('a prefix and its end enclose what begins with it, and nothing else', () => {
  fc.assert(
    fc.property(text, text, (prefix, other) => {
      const end = prefixEnd(prefix);
      for (const key of [other, prefix + other]) {
        const enclosed = byCodePoint(prefix, key) <= 0 && (end === null || byCodePoint(key, end) < 0);
        expect(enclosed).toBe(key.startsWith(prefix));
      }
    }),
  );
});

test('the end of a prefix skips what no text can hold', () => {
  expect(prefixEnd('')).toBeNull();
  expect(prefixEnd('a')).toBe('b');
  expect(prefixEnd('a\ud7ff')).toBe('a\ue000');
  expect(prefixEnd('a\u{10ffff}')).toBe('b');
  expect(prefixEnd('\u{10ffff}')).toBeNull();
});
