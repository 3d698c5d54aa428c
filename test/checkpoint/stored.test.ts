import { deepStrictEqual } from 'node:assert';
import { hash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { CheckpointBody } from '../../src/checkpoint/record/record.ts';
import {
  readCheckpoint,
  type StoredCheckpoint,
  storeCheckpoint,
  unpackCheckpoint,
} from '../../src/checkpoint/values/stored.ts';
import { strictSchema } from '../../src/config/schema.ts';
import { decode, encode } from '../../src/storage/serialize.ts';
import { checkpointBody } from './samples.ts';

const settings = strictSchema.parse({}).checkpoints;
const MB = 1024 * 1024;

/** Through the text a store keeps, with its blobs. */
async function throughStore({ data, blobs }: StoredCheckpoint) {
  const kept = new Map(blobs.map(({ kind, bytes }) => [`${kind}/${hash('sha256', bytes)}`, bytes]));
  const load = async (id: string) => kept.get(id) ?? null;
  const record = await readCheckpoint(decode(encode(data)), load);
  return { record, whole: await unpackCheckpoint(record, load) };
}
const store = (change: Partial<CheckpointBody>) => storeCheckpoint(checkpointBody(change), settings);

describe('a checkpoint through the store', () => {
  it('is the sealed record itself while it is small', async () => {
    const stored = store({ step_state: { n: 1 } });
    expect(stored.blobs).toEqual([]);
    expect(stored.data).toBe(stored.record);
    const { whole } = await throughStore(stored);
    expect(whole).toEqual({ ...checkpointBody({ step_state: { n: 1 } }), checksum: stored.record.checksum });
  });

  it('leaves what is over 10 KB to blobs, each value by itself, and stays small', async () => {
    const change = {
      step_state: { list: Array.from({ length: 3_000 }, (_, n) => n) },
      step_context: 'c'.repeat(20_000),
      step_variables: { small: 1 },
      error: { message: 'e'.repeat(11_000) },
      metadata: { note: 'kept', long: new Uint8Array(20_000) },
    };
    const stored = store(change);
    expect(stored.blobs).toHaveLength(4);
    expect(encode(stored.data).length).toBeLessThan(3_000);
    expect(stored.record.metadata.note).toBe('kept');
    const { whole } = await throughStore(stored);
    deepStrictEqual(whole, { ...checkpointBody(change), checksum: stored.record.checksum });
  });

  it("keeps a user's value that looks like a reference", async () => {
    const step_state = { $blob: `blob://steps/${'0'.repeat(64)}`, bytes: 1, encoding: 'json' };
    expect((await throughStore(store({ step_state }))).whole.step_state).toEqual(step_state);
  });

  it.each([
    ['variables, large ones among them', { small: 1, large: 'v'.repeat(20_000) }],
    ['variables that look like references', { $blob: 1, one: { $blob: null, value: 2 } }],
    ['many variables', Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`name-${n}`, `v${n}`]))],
    ['variables that are no names and values', ['v'.repeat(20_000), { $blob: null, value: 2 }]],
    ['no variables', null],
  ])('gives back %s as they were given', async (_, step_variables) => {
    const stored = store({ step_variables });
    expect(encode(stored.data).length).toBeLessThan(11_000);
    expect((await throughStore(stored)).whole.step_variables).toEqual(step_variables);
  });

  it('never has more than 5 MB, whatever it is that is large', async () => {
    const created = Array.from(
      { length: 200_000 },
      (_, n) => `generated/${randomBytes(20).toString('hex')}/${n}.ts`,
    );
    const required_context = created.slice(0, 100_000);
    const change = {
      file_changes: { modified: [], created, deleted: [] },
      recovery_info: { ...checkpointBody().recovery_info, required_context },
    };
    const stored = store(change);
    expect(encode(stored.record).length).toBeGreaterThan(10 * MB);
    expect(encode(stored.data).length).toBeLessThan(5 * MB);
    const { record, whole } = await throughStore(stored);
    expect(record).toEqual(stored.record);
    expect(whole.file_changes.created).toEqual(created);
  });

  it('is refused when anything in it was changed', async () => {
    const { data } = store({});
    const changed = { ...(data as object), step_name: 'other' };
    await expect(readCheckpoint(changed, async () => null)).rejects.toMatchObject({ code: 'CORRUPT' });
  });
});
