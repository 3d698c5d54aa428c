import * as fc from 'fast-check';
import { Client, Pool } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { byCodePoint } from '../../src/storage/page.ts';
import { byteArray, numberArray, textArray } from '../../src/storage/postgres/arrays.ts';
import { isPassing } from '../../src/storage/postgres/faults.ts';
import { openLine } from '../../src/storage/postgres/line.ts';
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

const LIMIT_MS = 120_000;

/** Lines over the only connection of a pool. */
function lines() {
  const pool = new Pool({ connectionString: database.url, max: 1 });
  pool.on('error', () => {});
  onTestFinished(() => pool.end());
  return (answer_ms = LIMIT_MS) =>
    openLine(pool, { idle: new Set(), answer_ms, prepare: (statement) => statement });
}

test('values and answers of a line arrive as they were', async () => {
  const line = lines()();
  const statement = {
    name: 'echo',
    text: 'SELECT $1::text, $2::bigint::text, $3::boolean::text, $4::text[]::text',
  };
  const arbitrary = [fc.option(text), fc.maxSafeInteger(), fc.boolean()] as const;
  await fc.assert(
    fc.asyncProperty(...arbitrary, async (text, number, flag) => {
      const values = [text, number, flag, textArray(['a', null])];
      const answer = { rows: [[text, String(number), String(flag), '{a,NULL}']], count: 1 };
      expect(await line.send(statement, values)).toEqual(answer);
    }),
  );
});

test('a line counts rows that are written, and goes on after an error', async () => {
  const line = lines()();
  const insert = { name: 'insert', text: 'INSERT INTO numbers SELECT generate_series(1, $1)' };
  await expect(line.send(insert, [3])).rejects.toMatchObject({ code: '42P01' });
  await line.send({ text: 'CREATE TABLE numbers (n int PRIMARY KEY)' }, []);
  expect(await line.send(insert, [3])).toEqual({ rows: [], count: 3 });
  await expect(line.send(insert, [4])).rejects.toMatchObject({ code: '23505' });
  const rows = await line.send({ text: 'SELECT n::text FROM numbers ORDER BY n' }, []);
  expect(rows).toEqual({ rows: [['1'], ['2'], ['3']], count: 3 });
});

test('a line that gets no answer in time fails, and leaves its connection', async () => {
  const open = lines();
  const slow = open(100).send({ text: 'SELECT pg_sleep(600)::text' }, []);
  const error = await slow.then(null, (error: unknown) => error);
  expect(isPassing(error)).toBe(true);
  expect((await open().send({ text: `SELECT 'here'` }, [])).rows).toEqual([['here']]);
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
