/** Looks for a secret below a directory in every form in which something that writes it down could have left it there. */
import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib';

export interface Searched {
  readonly files: number;
  readonly bytes: number;
  /** Compressed streams that were found and unpacked. */
  readonly streams: number;
  /** Where it is, and in which form. */
  readonly found: readonly string[];
}

/** By what each form is called. */
export type Needles = ReadonlyMap<string, Buffer>;

/**
 * `secret` is of letters and digits: what escapes texts leaves them as they are. Either half of it counts as well, since a
 * text may be cut off anywhere.
 */
export function needlesFor(what: string, secret: string): Needles {
  const half = secret.length >> 1;
  return new Map([
    ...formsOf(`${what}, first half`, secret.slice(0, half)),
    ...formsOf(`${what}, rest`, secret.slice(half)),
  ]);
}

function formsOf(what: string, text: string): Needles {
  const bytes = Buffer.from(text);
  const forms = new Map([
    ['UTF-8', bytes],
    ['UTF-16LE', Buffer.from(text, 'utf16le')],
    ['UTF-16BE', Buffer.from(text, 'utf16le').swap16()],
    ['hex', Buffer.from(bytes.toString('hex'))],
    ['HEX', Buffer.from(bytes.toString('hex').toUpperCase())],
  ]);
  for (const shift of [0, 1, 2])
    for (const kind of ['base64', 'base64url'] as const)
      forms.set(`${kind} after ${shift}`, Buffer.from(base64Within(bytes, shift, kind)));
  return new Map([...forms].map(([form, needle]) => [`${what}, ${form}`, needle]));
}

/** What stays the same of its base 64 whatever stands before and after it, `shift` bytes into a group of three. */
function base64Within(bytes: Buffer, shift: number, kind: 'base64' | 'base64url'): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString(kind)
    .replace(/=+$/, '');
  const whole = Math.floor(((bytes.length + shift) * 8) / 6);
  return text.slice(Math.ceil((shift * 8) / 6), whole);
}

export function searchBelow(
  dir: string,
  needles: Needles,
  isLeftOut: (path: string) => boolean = () => false,
): Searched {
  const searched = { files: 0, bytes: 0, streams: 0, found: [] as string[] };
  const names: Dirent[] = readdirSync(dir, { recursive: true, withFileTypes: true });
  for (const entry of names) {
    const file = join(entry.parentPath, entry.name);
    const path = relative(dir, file);
    if (isLeftOut(path)) continue;
    const content = entry.isFile() ? read(file) : Buffer.alloc(0);
    searched.files++;
    searched.bytes += content.length;
    const { found, streams } = searchBytes(content, needles);
    searched.streams += streams;
    // Its name can be one, too.
    for (const form of [...found, ...searchBytes(Buffer.from(path), needles).found])
      searched.found.push(`${path}: ${form}`);
  }
  return searched;
}

/** One that is gone by now is no place to find anything. */
function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

/** Also within what is compressed or in base 64 there, and in what is compressed within that. */
export function searchBytes(
  content: Buffer,
  needles: Needles,
  depth = 0,
): { found: string[]; streams: number } {
  const found = [...needles].filter(([, bytes]) => content.includes(bytes)).map(([form]) => form);
  let streams = 0;
  if (depth > 2) return { found, streams };
  const inside = [
    ...streamsIn(content).map((bytes) => ['compressed', bytes] as const),
    ...base64In(content).map((bytes) => ['base64', bytes] as const),
  ];
  for (const [how, bytes] of inside) {
    const within = searchBytes(bytes, needles, depth + 1);
    streams += within.streams + (how === 'compressed' ? 1 : 0);
    found.push(...within.found.map((form) => `${how} > ${form}`));
  }
  return { found, streams };
}

const MOST = { maxOutputLength: 64 * 1024 * 1024 };
const FORMATS = [
  { magic: Buffer.from([0x1f, 0x8b, 0x08]), unpack: gunzipped },
  {
    magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
    unpack: (bytes: Buffer) => zstdDecompressSync(bytes, MOST),
  },
  { magic: Buffer.from([0x78, 0x01]), unpack: (bytes: Buffer) => inflateSync(bytes, MOST) },
  { magic: Buffer.from([0x78, 0x9c]), unpack: (bytes: Buffer) => inflateSync(bytes, MOST) },
  { magic: Buffer.from([0x78, 0xda]), unpack: (bytes: Buffer) => inflateSync(bytes, MOST) },
];

/** Past a header without extras, where it is not read: what follows the stream is no error then. */
function gunzipped(bytes: Buffer): Buffer {
  return bytes[3] === 0 ? inflateRawSync(bytes.subarray(10), MOST) : gunzipSync(bytes, MOST);
}

/** Wherever one begins, whatever follows it. */
function streamsIn(content: Buffer): Buffer[] {
  const streams: Buffer[] = [];
  for (const { magic, unpack } of FORMATS)
    for (let at = content.indexOf(magic); at >= 0; at = content.indexOf(magic, at + 1)) {
      const bytes = unpacked(content.subarray(at), unpack);
      if (bytes && bytes.length > 0) streams.push(bytes);
    }
  const whole = content.length > 8 ? unpacked(content, (bytes) => inflateRawSync(bytes, MOST)) : null;
  return whole && whole.length > 8 ? [...streams, whole] : streams;
}

function unpacked(bytes: Buffer, unpack: (bytes: Buffer) => Buffer): Buffer | null {
  try {
    return unpack(bytes);
  } catch {
    return null;
  }
}

/** Shorter ones are found by the needles that are in base 64 themselves. */
function base64In(content: Buffer): Buffer[] {
  const runs = content.toString('latin1').match(/[A-Za-z0-9+/_-]{64,}/g) ?? [];
  return runs.map((run) => Buffer.from(run, 'base64')).filter((bytes) => mayBegin(bytes));
}

function mayBegin(bytes: Buffer): boolean {
  return FORMATS.some(({ magic }) => bytes.subarray(0, magic.length).equals(magic));
}
