/** Nothing of what a task does can be read in what is stored. `npm run test:leaks` does the same with 1,000 steps. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { unlessFull } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';
import { lookForLeaks } from './leaks/campaign.ts';
import { needlesFor, searchBelow } from './leaks/search.ts';

const tempDir = tempDirs();

test.each(['json', 'sqlite', 'postgres'] as const)(
  '%s: a task’s secrets are nowhere in the store, whatever becomes of the task',
  async (store) => {
    const { counts, violations } = await lookForLeaks({
      ...{
        store,
        steps: unlessFull(8, 24),
        dir: tempDir(),
        only_at_end: unlessFull(store !== 'json', store === 'postgres'),
        brief: unlessFull(store !== 'json', false),
      },
    });
    expect(violations).toEqual([]);
    expect(counts).toMatchObject({ kills: unlessFull(store === 'json' ? 5 : 1, 5) });
    expect(counts.bytes).toBeGreaterThan(100_000);
  },
);

test('they are found where nothing is sealed', async () => {
  const { violations } = await lookForLeaks({
    ...{ store: 'sqlite', steps: 8, dir: tempDir(), encrypted: false, only_at_end: true, brief: true },
  });
  for (const what of ['the secret', 'the name'])
    expect(violations.some((one) => one.what.includes(what))).toBe(true);
});

const SECRET = randomBytes(16).toString('hex');
const TEXT = Buffer.from(JSON.stringify({ said: `"${SECRET}"` }));
const AROUND = (bytes: Uint8Array): Buffer => Buffer.concat([randomBytes(100), bytes, randomBytes(100)]);

test.each<[string, Uint8Array]>([
  ['as it is', TEXT],
  ['cut off', TEXT.subarray(0, TEXT.length - 8)],
  ['in UTF-16', Buffer.from(TEXT.toString(), 'utf16le')],
  ['in hexadecimal digits', Buffer.from(TEXT.toString('hex'))],
  ['in base 64', Buffer.from(TEXT.toString('base64'))],
  ['in base 64, one byte on', Buffer.from(AROUND(TEXT).toString('base64'))],
  ['in base 64, two bytes on', Buffer.from(Buffer.concat([Buffer.from('ab'), TEXT]).toString('base64'))],
  ['deflated', deflateSync(TEXT)],
  ['gzipped', gzipSync(TEXT)],
  ['packed with zstd', zstdCompressSync(TEXT)],
  [
    'packed with zstd in base 64',
    Buffer.from(zstdCompressSync(TEXT.toString().repeat(3)).toString('base64')),
  ],
])('a secret %s is found, whatever stands around it', (_, bytes) => {
  const dir = tempDir();
  writeFileSync(join(dir, 'alone'), bytes);
  writeFileSync(join(dir, 'amid'), AROUND(bytes));
  const { found } = searchBelow(dir, needlesFor('it', SECRET));
  expect(new Set(found.map((one) => one.split(':')[0]))).toEqual(new Set(['alone', 'amid']));
});
