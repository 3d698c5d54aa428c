/** Snapshots and what else is kept of files; texts that are merged; patterns of reserved paths. */
import { hash } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { mergeText } from '../../../src/merge/text.ts';
import { decode } from '../../../src/storage/serialize.ts';
import { decodeStatCache } from '../../../src/workspace/capture/stat-cache.ts';
import { overlap } from '../../../src/workspace/reservations/overlap.ts';
import { openIntent } from '../../../src/workspace/restore/carry-out.ts';
import { encodeLayer } from '../../../src/workspace/snapshot/layer.ts';
import { decodeLayer } from '../../../src/workspace/snapshot/layer-reader.ts';
import { loadSnapshot } from '../../../src/workspace/snapshot/snapshots.ts';
import { type Target, textSeeds } from '../target.ts';

const file = { kind: 'file', mode: 0o644, size: 3, hash: 'a'.repeat(64) } as const;
const LAYER = encodeLayer([
  { path: 'a.txt', after: file },
  { path: 'dir', after: { kind: 'dir', mode: 0o755 } },
  { path: 'dir/b.txt', after: { ...file, git: 'b'.repeat(40) } },
  { path: 'dir/link', after: { kind: 'symlink', target: '../a.txt' } },
  { path: 'gone', after: null },
  { path: 'secret', after: { kind: 'omitted', why: 'secret' } },
]);
const base64 = Buffer.from(LAYER).toString('base64');

/** Changed inside the compression, since hardly any change survives it. */
const inside = (bytes: Uint8Array): Buffer => zstdDecompressSync(bytes);

const layer: Target = {
  name: 'snapshot layer',
  seeds: [inside(LAYER)],
  sealed: (bytes) => zstdCompressSync(withTextLength(bytes)),
  weight: 2,
  read: (bytes) => decodeLayer(bytes).map(({ entries }) => entries),
};

/** The text grew or shrank: its length stands before it, hashes stay behind it. */
function withTextLength(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf('}') + 1;
  const whole = Buffer.from(bytes);
  if (end > 4) whole.writeUInt32LE(end - 4);
  return whole;
}

const ID = `snapshot/${'d'.repeat(64)}`;

/** A document, and the one blob that its layers may name. */
const snapshot: Target = {
  name: 'snapshot',
  seeds: textSeeds(
    JSON.stringify({
      version: 1,
      layers: [
        { content: { base64 }, entries: 6 },
        { content: { blob: `tree/${'e'.repeat(64)}` }, entries: 6 },
      ],
      holds: [`h${'0'.repeat(26)}`],
    }),
  ),
  read: async (bytes) => {
    const getBlob = async (_task: string | null, id: string) => (id === ID ? bytes : LAYER);
    return (await loadSnapshot({ getBlob }, ID)).tree.get('')?.names;
  },
};

const HEAD = { version: 2, snapshot: ID, rules: 'r', index: 'i', root: '', names: 2 };
const stats = Buffer.concat([
  Buffer.from(Float64Array.of(...Array(10).keys()).buffer),
  Buffer.from('\0a\0b'),
]);

const statCache: Target = {
  name: 'stat cache',
  seeds: [
    cacheOf(HEAD, stats),
    cacheOf({ ...HEAD, names: 100_000_000 }, stats),
    cacheOf(HEAD, Buffer.alloc(10_000_000)),
  ],
  sealed: (bytes) => Buffer.concat([hash('sha256', bytes.subarray(32), 'buffer'), bytes.subarray(32)]),
  weight: 0.5,
  read: (bytes) => decodeStatCache(bytes)?.stampsFor(new Map([['', { names: ['a', 'b'], entries: [] }]])),
};

function cacheOf(head: object, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), zstdCompressSync(content)]);
  return Buffer.concat([hash('sha256', body, 'buffer'), body]);
}

const restore: Target = {
  name: 'restore',
  seeds: textSeeds(
    JSON.stringify({ version: 1, root: '/work', expected: base64, target: base64, needs: [ID] }),
  ),
  read: (bytes) => openIntent('place/r1', decode(bytes.toString('utf8'))),
};

const patterns: Target = {
  name: 'reserved paths',
  seeds: textSeeds('src/**/*.{ts,js}\nsrc/{a,b}/[xy]?.ts', 'docs\ndocs/a/b/c.md', '**\n{a,{b,c}}*'),
  read(bytes) {
    const [one = '', ...rest] = bytes.toString('utf8').split('\n');
    return overlap(one, rest.join('\n'));
  },
};

/** Three versions, apart by a line of dashes. */
const merge: Target = {
  name: 'merge',
  seeds: textSeeds(
    'a\nb\nc\n---\na\nB\nc\n---\na\nb\nc\nd\n',
    'one\r\ntwo\r\n---\none\r\n2\r\n---\n1\r\ntwo\r\n',
    `${'}\n'.repeat(300)}---\n${'}\n'.repeat(280)}x\n---\ny\n${'}\n'.repeat(320)}`,
  ),
  weight: 2,
  read(bytes) {
    const [base, ours, theirs] = parts(bytes);
    return mergeText(base, ours, theirs);
  },
};

function parts(bytes: Buffer): [Buffer, Buffer, Buffer] {
  const line = '---\n';
  const [a, b, c] = bytes.toString('latin1').split(line);
  return [a, b, c].map((text) => Buffer.from(text ?? '', 'latin1')) as [Buffer, Buffer, Buffer];
}

export const FILES: readonly Target[] = [layer, snapshot, statCache, restore, patterns, merge];
