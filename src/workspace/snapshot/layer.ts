/**
 * Changes of a tree as bytes: what a snapshot is stored as. Names, modes and sizes are columns of a JSON text, hashes
 * follow it as they are, and all of it is compressed: about 55 bytes a file, most of them its hashes.
 */
import { zstdCompressSync } from 'node:zlib';
import type { TreeChange } from '../tree/diff.ts';
import { OMIT_REASONS, parentOf, type TreeEntry } from '../tree/tree.ts';

export type LayerChange = Pick<TreeChange, 'path' | 'after'>;

/** What an entry is, as a number: its permissions from a base up for its kind, and above them the three other bits. */
export const CODES = {
  removed: 0,
  file: 0o1000,
  git: 0o2000,
  dir: 0o3000,
  symlink: 0o4000,
  omitted: 0o5000,
} as const;

const SPECIAL = 0o10000;
export const MOST_CODE = 0o77777;

export function kindOfCode(code: number): number {
  return code & 0o7000;
}

/** Of a file or a directory; of what was left out, the reason. */
export function restOfCode(code: number): number {
  return (code & 0o777) | ((code >> 3) & 0o7000);
}

function withMode(kind: number, mode: number): number {
  return kind + (mode & 0o777) + (mode >> 9) * SPECIAL;
}

export interface Columns {
  readonly version: 1;
  /** Paths of directories, and of how many entries of each the columns tell in turn. */
  readonly directories: string[];
  readonly counts: number[];
  readonly names: string[];
  readonly codes: number[];
  /** One per file. */
  readonly sizes: number[];
  /** One per link. */
  readonly targets: string[];
  /** How long the ids of git objects are here. */
  git_bytes: 20 | 32;
}

/** Deterministic: the same changes give the same bytes. */
export function encodeLayer(changes: readonly LayerChange[]): Uint8Array {
  const byDirectory = Map.groupBy(changes, ({ path }) => parentOf(path));
  const directories = [...byDirectory.keys()].sort();
  const columns: Columns = {
    version: 1,
    directories,
    counts: [],
    names: [],
    codes: [],
    sizes: [],
    targets: [],
    git_bytes: 20,
  };
  const hashes: string[] = [];
  for (const directory of directories) {
    const inside = byDirectory.get(directory)!.sort((a, b) => (a.path < b.path ? -1 : 1));
    columns.counts.push(inside.length);
    for (const { path, after } of inside) {
      columns.names.push(directory === '' ? path : path.slice(directory.length + 1));
      columns.codes.push(codeOf(after));
      if (after?.kind === 'symlink') columns.targets.push(after.target);
      if (after?.kind !== 'file') continue;
      columns.sizes.push(after.size);
      hashes.push(after.hash);
      if (after.git === undefined) continue;
      hashes.push(after.git);
      columns.git_bytes = after.git.length === 64 ? 32 : 20;
    }
  }
  const text = Buffer.from(JSON.stringify(columns));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const whole = Buffer.concat([length, text, Buffer.from(hashes.join(''), 'hex')]);
  return whole.length <= FEW_BYTES ? uncompressed(whole) : zstdCompressSync(whole);
}

/** So few are hardly smaller when compressed, and take many times as long. */
const FEW_BYTES = 255;

/** A frame of Zstandard with one block that is as it was: its magic number, its size in one byte, the last block and its size. */
function uncompressed(bytes: Buffer): Buffer {
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, bytes.length, 0, 0, 0]);
  head.writeUIntLE((bytes.length << 3) | 1, 6, 3);
  return Buffer.concat([head, bytes]);
}

function codeOf(entry: TreeEntry | null): number {
  if (!entry) return CODES.removed;
  if (entry.kind === 'file') return withMode(entry.git === undefined ? CODES.file : CODES.git, entry.mode);
  if (entry.kind === 'dir') return withMode(CODES.dir, entry.mode);
  return entry.kind === 'symlink' ? CODES.symlink : CODES.omitted + OMIT_REASONS.indexOf(entry.why);
}
