/** What the last scan saw, kept for the next process. It only saves time: a torn or old one is ignored. */
import { hash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import * as z from 'zod';
import { ensureDir, placeFileUnsynced, readIfExists } from '../../system/files.ts';
import { type StatTable, statTable } from '../../system/stats/table.ts';
import type { Tree } from '../tree/tree.ts';
import { type Seen, STAMP } from './draft.ts';

const headSchema = z.strictObject({
  version: z.literal(2),
  /** The snapshot whose entries the times belong to. */
  snapshot: z.string(),
  /** What was captured by which rules: settings, index, ignore files outside the tree. */
  rules: z.string(),
  index: z.string(),
  /** The root's own times, empty if they were too new to be useful. */
  root: z.string(),
  /** How many names there are in all directories. */
  names: z.int().min(0),
});
type CacheHead = z.infer<typeof headSchema>;

export interface StatCache {
  readonly head: CacheHead;
  /** By ascending paths. */
  readonly table: StatTable;
  /** The times by directory, once the tree of the snapshot is known; null when it does not fit. */
  stampsFor(tree: Tree): Map<string, Float64Array> | null;
}

export function cacheFile(stateDir: string): string {
  return join(stateDir, 'stat-cache');
}

export function readStatCache(path: string): StatCache | null {
  try {
    const file = readIfExists(path);
    return file && decodeStatCache(file);
  } catch {
    return null; // It only saves time: everything is looked at again.
  }
}

/** Null when it is torn, or holds less or more than it says. */
export function decodeStatCache(bytes: Uint8Array): StatCache | null {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (file.length < SUM) return null;
    const body = file.subarray(SUM);
    if (hash('sha256', body, 'buffer').compare(file, 0, SUM) !== 0) return null;
    const end = body.indexOf(0x0a);
    const head = headSchema.parse(JSON.parse(body.toString('utf8', 0, end)));
    const rest = zstdDecompressSync(body.subarray(end + 1), { maxOutputLength: MOST_BYTES });
    const size = head.names * STAMP * Float64Array.BYTES_PER_ELEMENT;
    if (size > rest.length) return null;
    const table = statTable(rest.length - size, head.names, (listing, columns) => {
      Buffer.from(columns.buffer).set(rest.subarray(0, size));
      listing.set(rest.subarray(size));
    });
    return { head, table, stampsFor: (tree) => divide(toRows(table.columns), tree) };
  } catch {
    return null; // It is not ours.
  }
}

/** Not synced: a power cut may tear it, which its checksum reveals. */
export function writeStatCache(path: string, head: Omit<CacheHead, 'names'>, table: StatTable): void {
  const { listing, columns } = table;
  const names = columns.length / STAMP;
  const body = Buffer.concat([
    Buffer.from(`${JSON.stringify({ ...head, names })}\n`),
    zstdCompressSync(Buffer.concat([Buffer.from(columns.buffer), listing])),
  ]);
  ensureDir(dirname(path));
  placeFileUnsynced(path, Buffer.concat([hash('sha256', body, 'buffer'), body]));
}

/** What a scan saw, field by field, which compresses to half and can be compared on two threads. */
export function tableOf({ tree, stamps }: Seen): StatTable {
  const paths = [...tree.keys()].sort();
  const names = paths.reduce((sum, directory) => sum + tree.get(directory)!.names.length, 0);
  const lines = Buffer.from(paths.map((path) => [path, ...tree.get(path)!.names].join('\0')).join('\n'));
  return statTable(lines.length, names, (listing, columns) => {
    listing.set(lines);
    let row = 0;
    for (const directory of paths) {
      const numbers = stamps.get(directory)!;
      for (let from = 0; from < numbers.length; row++)
        for (let field = 0; field < STAMP; field++) columns[field * names + row] = numbers[from++]!;
    }
  });
}

const SUM = 32;
/** Of some millions of files. */
const MOST_BYTES = 1024 * 1024 * 1024;

function divide(numbers: Float64Array, tree: Tree): Map<string, Float64Array> | null {
  const stamps = new Map<string, Float64Array>();
  let at = 0;
  for (const directory of [...tree.keys()].sort()) {
    const end = at + tree.get(directory)!.names.length * STAMP;
    stamps.set(directory, numbers.subarray(at, end));
    at = end;
  }
  return at === numbers.length ? stamps : null;
}

function toRows(columns: Float64Array): Float64Array {
  const rows = columns.length / STAMP;
  const numbers = new Float64Array(columns.length);
  for (let row = 0, to = 0; row < rows; row++) {
    for (let field = 0; field < STAMP; field++) numbers[to++] = columns[field * rows + row]!;
  }
  return numbers;
}
