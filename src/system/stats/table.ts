/** The times of many files, in memory that threads share, and which directories are not as it says. */
import * as io from '../io.ts';

export interface StatTable {
  /** A line a directory, in UTF-8: its path and the names in it, with NUL between them. */
  readonly listing: Uint8Array;
  /** Of all names in this order the mtime, then of all the ctime, then inode, size, and type with mode. */
  readonly columns: Float64Array;
  /** Where the parts begin that threads take one by one: in the listing, and in the columns. */
  readonly parts: Int32Array;
}

/** Numbers a name. */
const COLUMNS = 5;
/** In the place of the mode: it is not looked at. */
export const NOT_COMPARED = -1;
const NAMES_A_PART = 500;

/** `fill` writes the listing and the columns. */
export function statTable(
  bytes: number,
  names: number,
  fill: (listing: Uint8Array, columns: Float64Array) => void,
): StatTable {
  const listing = Buffer.from(new SharedArrayBuffer(bytes));
  const columns = new Float64Array(new SharedArrayBuffer(names * COLUMNS * Float64Array.BYTES_PER_ELEMENT));
  fill(listing, columns);
  const parts: number[] = [];
  let row = 0;
  let first = -NAMES_A_PART;
  for (let start = 0; start < bytes; ) {
    if (row - first >= NAMES_A_PART) {
      parts.push(start, row);
      first = row;
    }
    const end = endOfLine(listing, start);
    for (let at = listing.indexOf(0, start); at >= 0 && at < end; at = listing.indexOf(0, at + 1)) row++;
    start = end + 1;
  }
  const shared = new Int32Array(new SharedArrayBuffer(parts.length * Int32Array.BYTES_PER_ELEMENT));
  shared.set(parts);
  return { listing, columns, parts: shared };
}

export function countParts({ parts }: StatTable): number {
  return parts.length / 2;
}

/** The directories of a part in which a name is not what it was. */
export function differingIn(root: string, { listing, columns, parts }: StatTable, part: number): string[] {
  const rows = columns.length / COLUMNS;
  const bytes = Buffer.from(listing.buffer, listing.byteOffset, listing.byteLength);
  const text = bytes.toString('utf8', parts[2 * part], (parts[2 * part + 2] ?? bytes.length + 1) - 1);
  let row = parts[2 * part + 1]!;
  const isAsItSays = (path: string, row: number): boolean => {
    if (columns[4 * rows + row] === NOT_COMPARED) return true;
    const stat = statOf(path);
    return (
      stat !== null &&
      stat.mtimeMs === columns[row] &&
      stat.ctimeMs === columns[rows + row] &&
      stat.ino === columns[2 * rows + row] &&
      stat.size === columns[3 * rows + row] &&
      stat.mode === columns[4 * rows + row]
    );
  };
  const differing: string[] = [];
  for (const line of text.split('\n')) {
    const [path, ...names] = line.split('\0') as [string, ...string[]];
    const prefix = path === '' ? `${root}/` : `${root}/${path}/`;
    const first = row;
    if (!names.every((name, index) => isAsItSays(prefix + name, first + index))) differing.push(path);
    row += names.length;
  }
  return differing;
}

function endOfLine(listing: Buffer, start: number): number {
  const end = listing.indexOf(0x0a, start);
  return end < 0 ? listing.length : end;
}

/** Null also if it cannot be read: a full scan finds out why. */
function statOf(path: string): ReturnType<typeof io.lstat> {
  return io.unlessRefused(() => io.lstat(path), null);
}
