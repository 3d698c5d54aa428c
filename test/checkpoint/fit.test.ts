import { deepStrictEqual } from 'node:assert';
import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blobIdsWithin } from '../../src/checkpoint/values/blob-ref.ts';
import { type Fitted, fitRecord, isFitted, unfitRecord } from '../../src/checkpoint/values/fit.ts';
import { packValue, unpackValue } from '../../src/checkpoint/values/pack.ts';
import { encode } from '../../src/storage/serialize.ts';

const LIMITS = { blob_over_kb: 10, compress_over_kb: 100, compression: 'gzip' } as const;
const size = (value: unknown) => Buffer.byteLength(encode(value));
const idOf = ({ kind, bytes }: { kind: string; bytes: Uint8Array }) => `${kind}/${hash('sha256', bytes)}`;

function loader({ blobs }: Fitted) {
  const kept = new Map(blobs.map((blob) => [idOf(blob), blob.bytes]));
  return async (id: string) => kept.get(id) ?? null;
}

describe('fitRecord', () => {
  it('leaves a record that fits, the very same', () => {
    const record = { id: 'a', text: 'x'.repeat(1_000) };
    const fitted = fitRecord(record, 5_000_000, LIMITS);
    expect(fitted.stored).toBe(record);
    expect(fitted.blobs).toEqual([]);
    expect(isFitted(fitted.stored)).toBe(false);
  });

  it('moves the largest members first, and no more than needed', async () => {
    const record = {
      id: 'a',
      small: 's'.repeat(2_000),
      largest: 'l'.repeat(9_000),
      large: 'm'.repeat(8_000),
    };
    const fitted = fitRecord(record, 12_000, LIMITS);
    expect(fitted.blobs.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([encode(record.largest)]);
    expect(fitted.stored).toMatchObject({ record: { id: 'a', small: record.small, large: record.large } });
    expect(size(fitted.stored)).toBeLessThanOrEqual(12_000);
    deepStrictEqual(await unfitRecord(fitted.stored, loader(fitted)), record);
  });

  it('makes one blob of a record of countless small members', async () => {
    const record = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`member ${n}`, n]));
    const fitted = fitRecord(record, 5_000, LIMITS);
    expect(fitted.blobs).toHaveLength(1);
    expect(size(fitted.stored)).toBeLessThan(400);
    deepStrictEqual(await unfitRecord(fitted.stored, loader(fitted)), record);
  });

  it('fits any record, keeps the order of its members, and comes back', async () => {
    const key = fc.oneof(fc.string(), fc.constantFrom('$blob', '$moved', 'record', '__proto__', 'value'));
    const value = fc.oneof(fc.jsonValue(), fc.string({ minLength: 300, maxLength: 3_000 }));
    const records = fc.dictionary(key, value, { noNullPrototype: true, maxKeys: 12 });
    await fc.assert(
      fc.asyncProperty(records, fc.integer({ min: 600, max: 3_000 }), async (record, max) => {
        const fitted = fitRecord(record, max, LIMITS);
        expect(size(fitted.stored)).toBeLessThanOrEqual(max + 30);
        const back = await unfitRecord(fitted.stored, loader(fitted));
        deepStrictEqual(back, record);
        expect(encode(back)).toBe(encode(record));
      }),
      { numRuns: 300 },
    );
  });

  it('keeps what its members refer to within reach', async () => {
    const packed = packValue('y'.repeat(20_000), 'tool_results', LIMITS);
    const fitted = fitRecord({ list: [packed.stored, 'z'.repeat(3_000)] }, 2_000, LIMITS);
    const load = loader({ ...fitted, blobs: [...fitted.blobs, packed.blob!] });
    const ids = await blobIdsWithin(fitted.stored, (reference) => unpackValue(reference, load));
    expect(ids).toEqual(new Set([...fitted.blobs, packed.blob!].map(idOf)));
  });
});

describe('unfitRecord', () => {
  it.each([{ $moved: 'all', record: {} }, { $moved: [], record: null }, { $moved: [] }])(
    'refuses %j',
    async (stored) => {
      await expect(unfitRecord(stored, async () => null)).rejects.toMatchObject({ code: 'CORRUPT' });
    },
  );

  it('says which blob is missing', async () => {
    const { stored } = fitRecord({ a: 'x'.repeat(5_000) }, 1_000, LIMITS);
    await expect(unfitRecord(stored, async () => null)).rejects.toThrow(/records\/[0-9a-f]{64}.*missing/);
  });
});
