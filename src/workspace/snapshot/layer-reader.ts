/** Reads the bytes of a layer. Entries are created only on demand: most scans find nothing changed. */
import { zstdDecompressSync } from 'node:zlib';
import { WorkspaceError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { assertSafePath, LISTED_NAME, nameProblem, unsafe } from '../tree/names.ts';
import { joinPath, OMIT_REASONS, type TreeEntry } from '../tree/tree.ts';
import { CODES, type Columns, kindOfCode, MOST_CODE, restOfCode } from './layer.ts';

/** What becomes of names in one directory, in ascending order; null for one that is gone. */
export interface DirectoryChange {
  readonly directory: string;
  readonly names: readonly string[];
  /** What kind each is, see `CODES`. */
  readonly codes: readonly number[];
  readonly entries: readonly (TreeEntry | null)[];
}

const SHA256 = 32;
const MOST_BYTES = 256 * 1024 * 1024;

/** Refuses anything that `encodeLayer` does not write, and every name that may not be restored. */
export function decodeLayer(bytes: Uint8Array): DirectoryChange[] {
  const whole = unpack(bytes);
  const textEnd = 4 + whole.readUInt32LE(0);
  const columns = parseColumns(whole.toString('utf8', 4, textEnd));
  const place = { name: 0, file: 0, link: 0, hash: textEnd };
  return columns.directories.map((directory, index) => {
    if (directory !== '') assertSafePath(directory);
    const start = { ...place };
    const end = place.name + columns.counts[index]!;
    const names = columns.names.slice(place.name, end);
    const codes = columns.codes.slice(place.name, end);
    if (names.length !== columns.counts[index] || codes.length !== names.length) throw tooShort();
    for (const [n, code] of codes.entries()) {
      assertName(directory, names[n]!, names[n - 1], code);
      advance(place, code, columns.git_bytes);
    }
    if (place.hash > whole.length || place.file > columns.sizes.length) throw tooShort();
    if (place.link > columns.targets.length) throw tooShort();
    return new StoredChange(directory, names, codes, () => readEntries(columns, whole, codes, start));
  });
}

class StoredChange implements DirectoryChange {
  readonly directory: string;
  readonly names: readonly string[];
  readonly codes: readonly number[];
  readonly #read: () => (TreeEntry | null)[];
  #entries: (TreeEntry | null)[] | undefined;

  constructor(
    directory: string,
    names: readonly string[],
    codes: readonly number[],
    read: () => (TreeEntry | null)[],
  ) {
    this.directory = directory;
    this.names = names;
    this.codes = codes;
    this.#read = read;
  }

  get entries(): readonly (TreeEntry | null)[] {
    this.#entries ??= this.#read();
    return this.#entries;
  }
}

interface Offsets {
  name: number;
  file: number;
  link: number;
  hash: number;
}

function advance(place: Offsets, code: number, gitBytes: number): void {
  const kind = kindOfCode(code);
  if (!isCode(code, kind)) throw notWhole(phrase`no entry has the code ${code}`);
  place.name++;
  if (kind === CODES.file || kind === CODES.git) {
    place.file++;
    place.hash += kind === CODES.git ? SHA256 + gitBytes : SHA256;
  } else if (kind === CODES.symlink) place.link++;
}

function isCode(code: number, kind: number): boolean {
  if (code > MOST_CODE) return false;
  if (kind === CODES.file || kind === CODES.git || kind === CODES.dir) return true;
  if (kind === CODES.omitted) return OMIT_REASONS[restOfCode(code)] !== undefined;
  return code === CODES.removed || code === CODES.symlink;
}

function readEntries(
  columns: Columns,
  bytes: Buffer,
  codes: readonly number[],
  start: Offsets,
): (TreeEntry | null)[] {
  const place = { ...start };
  return codes.map((code) => {
    const { file, link, hash } = place;
    advance(place, code, columns.git_bytes);
    const rest = restOfCode(code);
    switch (kindOfCode(code)) {
      case CODES.removed:
        return null;
      case CODES.dir:
        return { kind: 'dir', mode: rest };
      case CODES.symlink:
        return { kind: 'symlink', target: columns.targets[link]! };
      case CODES.omitted:
        return { kind: 'omitted', why: OMIT_REASONS[rest]! };
      default: {
        const end = hash + SHA256;
        const known = {
          kind: 'file',
          mode: rest,
          size: columns.sizes[file]!,
          hash: bytes.toString('hex', hash, end),
        } as const;
        return end === place.hash ? known : { ...known, git: bytes.toString('hex', end, place.hash) };
      }
    }
  });
}

function assertName(directory: string, name: string, before: string | undefined, code: number): void {
  if (before !== undefined && before >= name) throw notWhole(phrase`its names are not in order`);
  const problem = nameProblem(name);
  if (!problem || (LISTED_NAME.test(name) && (code === CODES.removed || kindOfCode(code) === CODES.omitted)))
    return;
  throw unsafe(joinPath(directory, name), phrase`the name ${JSON.stringify(name)} ${problem}`);
}

function unpack(bytes: Uint8Array): Buffer {
  try {
    const whole = zstdDecompressSync(bytes, { maxOutputLength: MOST_BYTES });
    if (whole.length >= 4) return whole;
  } catch (cause) {
    throw notWhole(phrase`it cannot be unpacked`, cause);
  }
  throw tooShort();
}

/** Hand-written: a schema would cost more than the rest of the reading. */
function parseColumns(text: string): Columns {
  let columns: Partial<Columns> | null;
  try {
    columns = JSON.parse(text) as Partial<Columns> | null;
  } catch (cause) {
    throw notWhole(phrase`its text is not JSON`, cause);
  }
  const { version, directories, counts, names, codes, sizes, targets, git_bytes } = columns ?? {};
  const isWhole =
    version === 1 &&
    (git_bytes === 20 || git_bytes === 32) &&
    isText(directories) &&
    isText(names) &&
    isText(targets) &&
    isCount(counts) &&
    isCount(codes) &&
    isCount(sizes) &&
    directories.length === counts.length;
  if (!isWhole) throw notWhole(phrase`it was not written by this version`);
  if (targets.some((target) => target === '' || target.includes('\0')))
    throw unsafe('', phrase`a link leads to no path`);
  return { version, directories, counts, names, codes, sizes, targets, git_bytes };
}

function isText(column: unknown): column is string[] {
  return Array.isArray(column) && column.every((value) => typeof value === 'string');
}

function isCount(column: unknown): column is number[] {
  return Array.isArray(column) && column.every((value) => Number.isSafeInteger(value) && value >= 0);
}

function tooShort(): WorkspaceError {
  return notWhole(phrase`a part of it is missing`);
}

function notWhole(why: string, cause?: unknown): WorkspaceError {
  return new WorkspaceError('SNAPSHOT_UNSAFE', phrase`The snapshot cannot be read: ${why}.`, {
    data: { why },
    cause,
    hint: phrase`It was written by a newer version, or by another program. Nothing was changed.`,
  });
}
