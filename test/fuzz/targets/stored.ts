/** What a store reads: encoded values, lines of logs, readable files, and the same when sealed. */
import { hash } from 'node:crypto';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { unpackValue } from '../../../src/checkpoint/values/pack.ts';
import { START } from '../../../src/storage/chain.ts';
import { createDataKey } from '../../../src/storage/encrypted/data-key.ts';
import { lock, readLocked, unlock } from '../../../src/storage/encrypted/locked-key.ts';
import {
  decodeFrame,
  encodeFrame,
  entriesOf,
  type FrameMeta,
  recordsOf,
} from '../../../src/storage/json/lines/frame.ts';
import { encodeHeader, identityOf, NO_SUM } from '../../../src/storage/json/lines/log.ts';
import { checkStore } from '../../../src/storage/json/root.ts';
import { decodeIndex, decodeView, encodeIndex, encodeView } from '../../../src/storage/json/view.ts';
import { decode, encode } from '../../../src/storage/serialize.ts';
import { type Target, textSeeds } from '../target.ts';

const AT = '2026-11-15T00:00:00.000Z';

const VALUES: readonly unknown[] = [
  { is: 42, of: ['a', null, true, -1.5e10], deep: { er: { and: 'deeper' } } },
  [new Date(AT), 12n, Number.NaN, -0, undefined, /a+b/gi, new URL('http://localhost/')],
  { map: new Map([['k', new Set([1, 'two'])]]), bytes: Uint8Array.of(1, 2, 3), floats: Float64Array.of(0.5) },
  { error: Object.assign(new TypeError('no', { cause: new Error('why') }), { code: 'E' }), $ve: 'mine' },
];

export const serialize: Target = {
  name: 'serialize',
  seeds: textSeeds(...VALUES.map(encode), '{"__proto__":{"a":1},"constructor":{"prototype":{}}}'),
  weight: 3,
  read(bytes) {
    const value = decode(bytes.toString('utf8'));
    // What was read can be written and read again: nothing comes out of a store that would not go in.
    return decode(encode(value));
  },
};

const META: FrameMeta = { at: AT, f: 1, s: 2, h: 'a'.repeat(64) };
const RECORDS: NonNullable<FrameMeta['r']> = [
  ['tasks', 'task-1/state', 1],
  ['tasks', 'task-1/undone/000000001', 0],
  ['tasks', 'task-1/head', 1, 7, AT],
];

/** A line is `meta⇥text⇥…` here; its number, length and sum are put around it. */
export const frame: Target = {
  name: 'log line',
  seeds: [
    encodeFrame(3, NO_SUM, { ...META, e: 1, r: RECORDS }, ['{"a":1}', '{"b":2}', '{"t":"retry"}']).line,
    encodeFrame(4, NO_SUM, { ...META, e: 2, hs: [START.hash, START.hash], g: [[1, 1]] }, ['1', '2']).line,
    encodeHeader({ id: 'l1', task: 'task-1', number: 0, position: START, fence: 0, gaps: [[1, 2]], at: AT })
      .line,
  ],
  weight: 3,
  sealed: (bytes) => sealedLine(bytes, NO_SUM),
  read(bytes) {
    const found = decodeFrame(bytes, 0, Math.max(0, bytes.length - 1), NO_SUM);
    return found && { identity: identityOf(found), records: recordsOf(found), entries: entriesOf(found) };
  },
};

/** The line with the length and the sum that it has to have after another. */
export function sealedLine(bytes: Buffer, previousSum: string): Buffer {
  const text = bytes.toString('utf8');
  const [, number = '1', body = ''] = /^(\d{1,9}) \d* ?([\s\S]*?)(?: [0-9a-f]{64})?\n?$/.exec(text) ?? [];
  const line = `${number} ${Buffer.byteLength(body)} ${body} `;
  return Buffer.from(`${line}${hash('sha256', `${previousSum}\n${line}`)}\n`);
}

export const view: Target = {
  name: 'view',
  seeds: VALUES.map((value, n) => encodeView({ revision: n + 1, updated_at: AT, text: encode(value) })),
  sealed(bytes) {
    const text = bytes.toString('utf8');
    const slot = text.length - '"}\n}\n'.length - 64;
    const before = text.slice(0, slot);
    return Buffer.from(`${before}${hash('sha256', `${before}${'0'.repeat(64)}"}\n}\n`)}"}\n}\n`);
  },
  read(bytes) {
    const found = decodeView(bytes);
    return found && decode(found.text);
  },
};

export const index: Target = {
  name: 'index of views',
  seeds: [
    encodeIndex({ log: 'l1', start: 1, end: 2, previous: NO_SUM, records: { 'task-1/head': 3 } }),
    encodeIndex({ log: 'l2', start: 0, end: 0, previous: '', records: {} }),
  ],
  sealed(bytes) {
    const [text] = bytes.toString('utf8').split('\n');
    return Buffer.from(`${text}\n${hash('sha256', text!)}\n`);
  },
  read: decodeIndex,
};

export const storeFile: Target = {
  name: 'store.json',
  seeds: textSeeds(
    JSON.stringify({
      format: 'vibe-engine-json',
      version: 1,
      id: 's1',
      created_at: AT,
      case_sensitive: true,
    }),
  ),
  read: (bytes) => checkStore('store.json', bytes),
};

const KEY = createDataKey('00c0ffee', Buffer.alloc(32, 7));
const PLACE = { store: 'a'.repeat(32), task: 'task-1', kind: 'record', id: 'tasks/task-1/head' } as const;

export const sealedText: Target = {
  name: 'sealed text',
  seeds: textSeeds(KEY.sealText(PLACE, { seq: 3, previous: '' }, '{"is":42}')),
  read: (bytes) => KEY.openText(PLACE, bytes.toString('utf8')),
};

const CONTENT = Buffer.from('the content of a file\n');
const BLOB_PLACE = { ...PLACE, kind: 'blob', id: 'file' } as const;

export const sealedBlob: Target = {
  name: 'sealed blob',
  seeds: [
    Buffer.from(KEY.sealBlob(BLOB_PLACE, { id: `file/${hash('sha256', CONTENT)}`, bytes: CONTENT }).bytes),
  ],
  read: (bytes) => KEY.openBlob(BLOB_PLACE, hash('sha256', CONTENT), bytes),
};

const PROVIDER = { source: 'the test', key: async () => Buffer.alloc(32, 5) };
const LOCKED = await lock({ store: PLACE.store, secret: Buffer.alloc(32, 9) }, PROVIDER, new Date(AT));

export const lockedKey: Target = {
  name: 'locked key',
  seeds: textSeeds(encode(LOCKED)),
  read: (bytes) => unlock(readLocked(decode(bytes.toString('utf8'))), PROVIDER),
};

/** A blob, and before its first newline the reference that stands for it. */
const blobSeed = (encoding: string, content: Buffer, bytes: number): Buffer =>
  Buffer.concat([Buffer.from(`${JSON.stringify({ encoding, bytes })}\n`), content]);

const TEXT = Buffer.from(encode({ large: 'x'.repeat(500) }));

export const packed: Target = {
  name: 'blob of a value',
  seeds: [
    blobSeed('json', TEXT, TEXT.length),
    blobSeed('json+gzip', gzipSync(TEXT), TEXT.length),
    blobSeed('json+zstd', zstdCompressSync(TEXT), TEXT.length),
    blobSeed('json+zstd', zstdCompressSync(Buffer.alloc(10_000_000)), TEXT.length),
  ],
  weight: 0.5,
  read(bytes) {
    const end = Math.max(0, bytes.indexOf(10));
    const said = decode(bytes.toString('utf8', 0, end)) as object | null;
    const content = bytes.subarray(end + 1);
    const $blob = `blob://steps/${hash('sha256', content)}`;
    return unpackValue({ $blob, ...said }, async () => content);
  },
};

export const STORED: readonly Target[] = [
  ...[serialize, frame, view, index, storeFile],
  ...[sealedText, sealedBlob, lockedKey, packed],
];
