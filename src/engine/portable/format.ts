/**
 * A task as one file: lines of JSON, compressed. A header, then blobs, journal entries and records, then an end that
 * tells how many lines there were and what they hash to. Stored values are texts of `serialize.ts` within the lines, so
 * that they are held to the same limits as in a store.
 */
import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import * as z from 'zod';
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';

const id = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const seq = z.int().min(0);

const header = z.strictObject({
  format: z.literal('vibe-engine-task'),
  version: z.literal(1),
  task: id,
  /** It, and before it those it was forked from: how many entries each journal ever had. */
  tasks: z
    .array(z.strictObject({ task: id, end: seq }))
    .min(1)
    .max(1000),
  /** Where the project was. */
  project_dir: z.string(),
  exported_at: z.iso.datetime(),
});
export type PortableHeader = z.infer<typeof header>;

const lines = z.discriminatedUnion('t', [
  /** Of a task; of the whole store where that is null. */
  z.strictObject({
    t: z.literal('blob'),
    task: id.nullable(),
    id: z.string().regex(/^[a-z][a-z0-9_]{0,31}\/[0-9a-f]{64}$/),
    base64: z.base64(),
  }),
  z.strictObject({ t: z.literal('entry'), task: id, seq, data: z.string() }),
  z.strictObject({ t: z.literal('record'), category: z.string(), key: z.string(), data: z.string() }),
  z.strictObject({ t: z.literal('end'), lines: seq, sha256 }),
]);
type PortableLine = z.infer<typeof lines>;
export type PortableContent = Exclude<PortableLine, { t: 'end' }>;

/** The bytes of the file. */
export async function* packLines(
  first: PortableHeader,
  content: AsyncIterable<PortableContent>,
): AsyncGenerator<Uint8Array> {
  const gzip = createGzip();
  // An error in either ends the other.
  pipeline(Readable.from(textOf(first, content)), gzip, () => {});
  yield* gzip as AsyncIterable<Uint8Array>;
}

async function* textOf(
  first: PortableHeader,
  content: AsyncIterable<PortableContent>,
): AsyncGenerator<string> {
  const sum = createHash('sha256');
  let count = 1;
  const line = (value: unknown): string => {
    const text = `${JSON.stringify(value)}\n`;
    sum.update(text);
    return text;
  };
  yield line(first);
  for await (const one of content) {
    count++;
    yield line(one);
  }
  yield `${JSON.stringify({ t: 'end', lines: count, sha256: sum.digest('hex') })}\n`;
}

/** What a file may unpack to: more is refused before it is held. */
export interface PortableLimits {
  readonly max_bytes: number;
  readonly max_line: number;
  /** Of entries and records together, which are held until all of them are checked; blobs are not. */
  readonly max_held: number;
  /** Of all journals together, with those that were cut: each takes space in the store, and a file can claim any number. */
  readonly max_entries: number;
}

const MB = 1024 * 1024;
export const PORTABLE_LIMITS: PortableLimits = {
  max_bytes: 16 * 1024 * MB,
  max_line: 256 * MB,
  max_held: 1024 * MB,
  max_entries: 2_000_000,
};

export type PortablePart = { readonly header: PortableHeader } | { readonly line: PortableContent };

/** Reads the file, checking each line; CORRUPT if it is damaged, after yielding all lines before. */
export async function* unpackLines(
  parts: AsyncIterable<Uint8Array>,
  limits: PortableLimits = PORTABLE_LIMITS,
): AsyncGenerator<PortablePart> {
  const sum = createHash('sha256');
  let count = 0;
  let ended = false;
  for await (const text of split(parts, limits)) {
    if (ended) throw broken(phrase`it has data after its end`);
    const value = parsed(text);
    if (count === 0) {
      yield { header: checked(header, value, 'header') };
    } else {
      const line = checked(lines, value, phrase`line ${count + 1}`);
      if (line.t === 'end') {
        if (line.lines !== count || line.sha256 !== sum.copy().digest('hex'))
          throw broken(phrase`its hash does not match`);
        ended = true;
        continue;
      }
      yield { line };
    }
    sum.update(text).update('\n');
    count++;
  }
  if (!ended) throw broken(phrase`its end is missing`);
}

async function* split(parts: AsyncIterable<Uint8Array>, limits: PortableLimits): AsyncGenerator<string> {
  const gunzip = createGunzip();
  pipeline(Readable.from(parts), gunzip, () => {});
  let waiting: Buffer[] = [];
  let held = 0;
  let total = 0;
  const hold = (bytes: number): void => {
    held += bytes;
    if (held > limits.max_line) throw broken(phrase`a line of it has more than ${limits.max_line} bytes`);
  };
  try {
    for await (const part of gunzip as AsyncIterable<Buffer>) {
      total += part.length;
      if (total > limits.max_bytes) throw broken(phrase`it unpacks to more than ${limits.max_bytes} bytes`);
      let from = 0;
      for (let at = part.indexOf(NEWLINE); at >= 0; at = part.indexOf(NEWLINE, from)) {
        hold(at - from);
        yield Buffer.concat([...waiting, part.subarray(from, at)]).toString('utf8');
        waiting = [];
        held = 0;
        from = at + 1;
      }
      if (from < part.length) waiting.push(part.subarray(from));
      hold(part.length - from);
    }
  } catch (error) {
    if (error instanceof CorruptError) throw error;
    throw broken(phrase`it cannot be unpacked`, error);
  }
  if (waiting.length > 0) throw broken(phrase`its end is missing`);
}

const NEWLINE = 10;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw broken(phrase`a line of it is not JSON`, cause);
  }
}

function checked<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const { data, error } = schema.safeParse(value);
  if (!error) return data;
  const [issue] = error.issues;
  throw broken(`${what}: ${issue!.path.join('.')} ${issue!.message}`);
}

export function broken(why: string, cause?: unknown): CorruptError {
  return new CorruptError(phrase`This is not an exported task, or not a complete one: ${why}.`, {
    data: { why },
    hint: phrase`Export it again, with a version of vibe-engine that is not newer than this one. Nothing was changed.`,
    ...(cause === undefined ? {} : { cause }),
  });
}
