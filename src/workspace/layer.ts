/**
 * Changes of a tree as bytes: what a snapshot is stored as. Names, modes and sizes are columns of a JSON text, hashes
 * follow it as they are, and all of it is compressed: about 55 bytes a file, most of them its hashes.
 */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import * as z from 'zod';
import { WorkspaceError } from '../errors.ts';
import type { Change } from './diff.ts';
import { assertSafePath, LISTED_NAME, nameProblem, unsafe } from './names.ts';
import { type Entry, joinPath, OMIT_REASONS, parentOf } from './tree.ts';

export type LayerChange = Pick<Change, 'path' | 'after'>;

const SHA256 = 32;
const MOST_BYTES = 256 * 1024 * 1024;

/** What an entry is, as a number: the mode of a file, the same from a base up for other kinds. */
const CODES = {
  removed: 0,
  file: 0o1000,
  git: 0o2000,
  dir: 0o3000,
  symlink: 0o4000,
  omitted: 0o5000,
} as const;

const columnsSchema = z.strictObject({
  version: z.literal(1),
  /** Paths of directories, and of how many entries of each the columns tell in turn. */
  directories: z.array(z.string()),
  counts: z.array(z.int().min(0)),
  names: z.array(z.string()),
  codes: z.array(z.int().min(0)),
  /** One per file. */
  sizes: z.array(z.int().min(0)),
  /** One per link. */
  targets: z.array(z.string()),
  /** How long the ids of git objects are here. */
  git_bytes: z.union([z.literal(20), z.literal(32)]),
});
type Columns = z.infer<typeof columnsSchema>;

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
  return zstdCompressSync(Buffer.concat([length, text, Buffer.from(hashes.join(''), 'hex')]));
}

function codeOf(entry: Entry | null): number {
  if (!entry) return CODES.removed;
  if (entry.kind === 'file') return (entry.git === undefined ? CODES.file : CODES.git) + entry.mode;
  if (entry.kind === 'dir') return CODES.dir + entry.mode;
  return entry.kind === 'symlink' ? CODES.symlink : CODES.omitted + OMIT_REASONS.indexOf(entry.why);
}

/** Refuses whatever `encodeLayer` does not write, and every name that may not be restored. */
export function decodeLayer(bytes: Uint8Array): LayerChange[] {
  const whole = unpack(bytes);
  const textEnd = 4 + whole.readUInt32LE(0);
  const columns = parseColumns(whole.toString('utf8', 4, textEnd));
  const reader = hexReader(whole, textEnd);
  const sizes = columns.sizes.values();
  const targets = columns.targets.values();
  const take = <T>(column: Iterator<T>): T => {
    const { done, value } = column.next();
    if (done) throw notWhole('a column is too short');
    return value;
  };
  const entryOf = (code: number): Entry | null => {
    const rest = code & 0o777;
    switch (code - rest) {
      case CODES.removed:
        return null;
      case CODES.file:
        return { kind: 'file', mode: rest, size: take(sizes), hash: reader(SHA256) };
      case CODES.git:
        return {
          kind: 'file',
          mode: rest,
          size: take(sizes),
          hash: reader(SHA256),
          git: reader(columns.git_bytes),
        };
      case CODES.dir:
        return { kind: 'dir', mode: rest };
      case CODES.symlink:
        return { kind: 'symlink', target: safeTarget(take(targets)) };
      default: {
        const why = code - rest === CODES.omitted ? OMIT_REASONS[rest] : undefined;
        if (!why) throw notWhole(`no entry has the code ${code}`);
        return { kind: 'omitted', why };
      }
    }
  };
  return readEntries(columns, entryOf);
}

function readEntries(columns: Columns, entryOf: (code: number) => Entry | null): LayerChange[] {
  const changes: LayerChange[] = [];
  let at = 0;
  for (const [index, directory] of columns.directories.entries()) {
    if (directory !== '') assertSafePath(directory);
    for (const end = at + (columns.counts[index] ?? 0); at < end; at++) {
      const name = columns.names[at];
      const code = columns.codes[at];
      if (name === undefined || code === undefined) throw notWhole('a column is too short');
      const after = entryOf(code);
      const listed = LISTED_NAME.test(name) && (after === null || after.kind === 'omitted');
      const problem = listed ? null : nameProblem(name);
      if (problem) throw unsafe(joinPath(directory, name), `the name ${JSON.stringify(name)} ${problem}`);
      changes.push({ path: joinPath(directory, name), after });
    }
  }
  return changes;
}

function unpack(bytes: Uint8Array): Buffer {
  try {
    const whole = zstdDecompressSync(bytes, { maxOutputLength: MOST_BYTES });
    if (whole.length >= 4) return whole;
  } catch (cause) {
    throw notWhole('it cannot be unpacked', cause);
  }
  throw notWhole('it is too short');
}

function parseColumns(text: string): Columns {
  try {
    return columnsSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw notWhole('its text is not what this project writes', cause);
  }
}

function hexReader(bytes: Buffer, start: number): (length: number) => string {
  let at = start;
  return (length) => {
    if (at + length > bytes.length) throw notWhole('hashes are missing');
    at += length;
    return bytes.toString('hex', at - length, at);
  };
}

function safeTarget(target: string): string {
  if (target !== '' && !target.includes('\0')) return target;
  throw unsafe('', 'a link leads to no path');
}

function notWhole(why: string, cause?: unknown): WorkspaceError {
  return new WorkspaceError('SNAPSHOT_UNSAFE', `The snapshot cannot be read: ${why}.`, {
    data: { why },
    cause,
    hint: 'It was written by a newer version, or by somebody else. Nothing was changed.',
  });
}
