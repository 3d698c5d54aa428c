import { deepStrictEqual } from 'node:assert';
import { hash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BlobReference, blobIdsIn, blobIdsWithin } from '../../src/checkpoint/values/blob-ref.ts';
import { type Packed, packValue, unpackValue } from '../../src/checkpoint/values/pack.ts';
import { CorruptError } from '../../src/errors.ts';
import { encode } from '../../src/storage/serialize.ts';

const LIMITS = { blob_over_kb: 10, compress_over_kb: 100, compression: 'gzip' } as const;
const words = (bytes: number) => 'a line of output\n'.repeat(Math.ceil(bytes / 17)).slice(0, bytes);

/** What a store would do with the blobs: keep them by their hash. */
function keeper() {
  const blobs = new Map<string, Uint8Array>();
  return {
    blobs,
    keep: ({ stored, blob }: Packed): unknown => {
      if (blob) blobs.set(`${blob.kind}/${hash('sha256', blob.bytes)}`, blob.bytes);
      return stored;
    },
    load: async (id: string) => blobs.get(id) ?? null,
  };
}

describe('packValue', () => {
  it('leaves a small value where it is, the very same', () => {
    const value = { text: words(9_000) };
    expect(packValue(value, 'agent_outputs', LIMITS)).toEqual({ stored: value });
    expect(packValue(value, 'agent_outputs', LIMITS).stored).toBe(value);
  });

  it('counts encoded bytes: exactly the limit stays, one more leaves', () => {
    const fits = 'é'.repeat(5 * 1024 - 1);
    expect(Buffer.byteLength(encode(fits))).toBe(10 * 1024);
    expect(packValue(fits, 'blobs', LIMITS).blob).toBeUndefined();
    expect(packValue(`${fits}.`, 'blobs', LIMITS).blob).toBeDefined();
  });

  it('refers to what is over the limit as blob://{kind}/{sha256}', () => {
    const value = { stdout: words(20_000), code: 0 };
    const { stored, blob } = packValue(value, 'tool_results', LIMITS);
    expect(Buffer.from(blob!.bytes).toString()).toBe(encode(value));
    expect(stored).toEqual({
      $blob: `blob://tool_results/${hash('sha256', blob!.bytes)}`,
      bytes: Buffer.byteLength(encode(value)),
      encoding: 'json',
    });
    expect(JSON.parse(encode(stored))).toEqual(stored);
  });

  it.each(['gzip', 'zstd'] as const)(
    'compresses with %s what is over that limit, always to the same bytes',
    async (compression) => {
      const limits = { ...LIMITS, compression };
      const value = words(150_000);
      const [first, second] = [packValue(value, 'blobs', limits), packValue(value, 'blobs', limits)];
      expect((first.stored as BlobReference).encoding).toBe(`json+${compression}`);
      expect(first.blob!.bytes.length).toBeLessThan(15_000);
      expect(first).toEqual(second);
      const { keep, load } = keeper();
      expect(await unpackValue(keep(first), load)).toBe(value);
    },
  );

  it('names no operating system in what it compresses', () => {
    expect(packValue(words(150_000), 'blobs', LIMITS).blob!.bytes[9]).toBe(255);
  });

  it('does not compress what compressing makes larger', async () => {
    const value = randomBytes(15).toString('base64');
    const packed = packValue(value, 'blobs', { ...LIMITS, blob_over_kb: 0.001, compress_over_kb: 0 });
    expect((packed.stored as BlobReference).encoding).toBe('json');
    const { keep, load } = keeper();
    expect(await unpackValue(keep(packed), load)).toBe(value);
  });

  it('refuses a kind that could not be a directory, and a value that cannot be stored', () => {
    expect(() => packValue(words(20_000), '../up', LIMITS)).toThrow(
      expect.objectContaining({ code: 'INVALID_ID' }),
    );
    expect(() => packValue({ f: () => {} }, 'blobs', LIMITS)).toThrow(
      expect.objectContaining({
        code: 'NOT_SERIALISABLE',
        data: expect.objectContaining({ path: expect.stringContaining('f') }),
      }),
    );
  });

  it('brings every value back, also one that looks like a reference', async () => {
    const lookalike = fc.oneof(
      fc.record(
        { $blob: fc.oneof(fc.constant(null), fc.string()), value: fc.jsonValue() },
        { noNullPrototype: true },
      ),
      fc.constant({ $blob: `blob://blobs/${'0'.repeat(64)}`, bytes: 3, encoding: 'json' }),
      fc.constant({ $blob: null, value: { $blob: null, value: 1 } }),
    );
    const value = fc.oneof(
      fc.jsonValue(),
      lookalike,
      fc.string({ minLength: 200, maxLength: 4_000 }),
      fc.date({ noInvalidDate: true }),
    );
    await fc.assert(
      fc.asyncProperty(
        value,
        fc.constantFrom('gzip' as const, 'zstd' as const),
        async (original, compression) => {
          const { keep, load } = keeper();
          const packed = packValue(original, 'blobs', {
            blob_over_kb: 0.2,
            compress_over_kb: 0.5,
            compression,
          });
          const stored = keep(packed);
          expect(Buffer.byteLength(encode(stored))).toBeLessThan(0.2 * 1024 + 60);
          deepStrictEqual(await unpackValue(stored, load), original);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('unpackValue', () => {
  const { stored, blob } = packValue(words(150_000), 'blobs', LIMITS);
  const reference = stored as BlobReference;
  const corrupt = expect.objectContaining({ code: 'CORRUPT' });

  it('says that a blob is missing', async () => {
    await expect(unpackValue(stored, async () => null)).rejects.toThrow(/missing/);
    await expect(unpackValue(stored, async () => null)).rejects.toBeInstanceOf(CorruptError);
  });

  it('takes no other bytes than those it refers to', async () => {
    const flipped = Uint8Array.from(blob!.bytes);
    flipped[20]! ^= 1;
    await expect(unpackValue(stored, async () => flipped)).rejects.toEqual(corrupt);
    await expect(unpackValue(stored, async () => blob!.bytes.subarray(1))).rejects.toEqual(corrupt);
    const plain = packValue(words(20_000), 'blobs', LIMITS);
    const other = packValue(words(20_000).replace('line', 'lime'), 'blobs', LIMITS);
    await expect(unpackValue(plain.stored, async () => other.blob!.bytes)).rejects.toThrow(
      /hash does not match/,
    );
  });

  it('decompresses no more than the reference says, and never beyond the cap', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const lying = { ...reference, $blob: `blob://blobs/${hash('sha256', bomb)}`, bytes: 1_000 };
    await expect(unpackValue(lying, async () => bomb)).rejects.toThrow(/does not decompress to 1000 bytes/);
    const load = async () => blob!.bytes;
    await expect(unpackValue(reference, load, 100_000)).rejects.toThrow(/at most 100000/);
    await expect(unpackValue({ ...reference, bytes: reference.bytes + 1 }, load)).rejects.toEqual(corrupt);
  });

  it.each([
    { $blob: 'blob://../../etc/passwd', bytes: 1, encoding: 'json' },
    { $blob: reference.$blob, bytes: -1, encoding: 'json' },
    { $blob: reference.$blob, bytes: 1, encoding: 'pickle' },
    { $blob: null },
    { $blob: 7 },
  ])('refuses the reference %j', async (wrong) => {
    await expect(unpackValue(wrong, async () => blob!.bytes)).rejects.toEqual(corrupt);
  });
});

describe('the blobs a value refers to', () => {
  const { keep, load } = keeper();
  const inner = keep(packValue(words(11_000), 'tool_results', LIMITS)) as BlobReference;
  const outer = keep(packValue({ inner, filling: words(12_000) }, 'blobs', LIMITS)) as BlobReference;
  const idOf = (reference: BlobReference) => reference.$blob.slice('blob://'.length);

  it('are found wherever they are, each once', () => {
    const stored = {
      a: [inner, { b: new Map([['k', inner]]) }],
      c: new Set([outer]),
      d: `blob://blobs/${'a'.repeat(64)}`,
    };
    expect(new Set(blobIdsIn(stored))).toEqual(
      new Set([idOf(inner), idOf(outer), `blobs/${'a'.repeat(64)}`]),
    );
    expect(blobIdsIn({ text: 'see blob://nothing', other: { $blob: null, value: 1 } })).toEqual([]);
  });

  it('include those inside blobs, which are marked', async () => {
    expect(outer.nested).toBe(true);
    expect(inner.nested).toBeUndefined();
    const within = await blobIdsWithin([outer], (reference) => unpackValue(reference, load));
    expect(within).toEqual(new Set([idOf(outer), idOf(inner)]));
  });

  it('are found in a value too deep to recurse into', () => {
    let deep: unknown = inner;
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    expect(blobIdsIn(deep)).toEqual([idOf(inner)]);
  });
});
