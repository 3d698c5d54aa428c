/** A back end that somebody else wrote, from the public names alone: it keeps every promise, plain and sealed. */
import { describe, expect, test } from 'vitest';
import { createStorage, EncryptedStorage, JsonStorage, type Storage } from '../../src/index.ts';
import { unlessFull } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';
import { SEALED_ALIKE } from './encrypted.ts';
import type { Damage, Harness } from './harness.ts';
import { Memory, memoryBackend } from './memory.ts';
import { keyProvider, MODULE } from './open-store.ts';
import { storageContract } from './suite.ts';
import { append, collect, expectBytes, expectCode, expectHealthy } from './support.ts';

/** Nobody but this process sees its memory. */
const LEFT_OUT = ['several processes'];
const KEY = keyProvider('c0ffee'.padEnd(64, '0'));

function harness(around: (storage: Storage) => Promise<Storage>): Harness {
  return {
    skip: {
      'compacting the store frees what was removed, and leaves what is there':
        'nothing is left in memory of what was removed.',
      'a damaged blob is not handed out, and putting it again mends it':
        'only what belongs to a task or to none is verified; see below.',
    },
    async fresh() {
      const memory = new Memory();
      return {
        open: () => around(createStorage(memoryBackend(memory))),
        child: { module: MODULE, args: {} },
        damage: damageMemory(memory),
        strangers: () => [],
        remove: async () => {},
      };
    },
  };
}

/** Blobs all together: a sealed store has other names for them. */
function damageMemory({ records, journals, blobs }: Memory): Damage {
  const blobsOf = (task: string | null) => [...blobs].filter(([key]) => key.startsWith(`${task ?? ''}:`));
  const changed = (text: string) => `${text.slice(0, -2)}?${text.slice(-1)}`;
  return {
    async record(category, key) {
      const place = `${category}/${key}`;
      const record = records.get(place)!;
      records.set(place, { ...record, text: changed(record.text) });
    },
    async entry(task, seq) {
      const journal = journals.get(task)!;
      journal.entries = journal.entries.map((entry) =>
        entry.seq === seq ? { ...entry, text: changed(entry.text) } : entry,
      );
    },
    async blob(task) {
      for (const [, { bytes }] of blobsOf(task)) bytes[bytes.length - 1]! ^= 1;
    },
    async age(task, _, hours) {
      const created_at = new Date(Date.now() - hours * 3_600_000).toISOString();
      for (const [key, blob] of blobsOf(task)) blobs.set(key, { ...blob, created_at });
    },
  };
}

storageContract(
  'memory',
  harness(async (storage) => storage),
  LEFT_OUT,
);
storageContract(
  'memory, encrypted',
  { ...harness((storage) => EncryptedStorage.open(storage, KEY)), sealed: true },
  unlessFull(SEALED_ALIKE, LEFT_OUT),
);

describe('what is no back end', () => {
  const tempDir = tempDirs();

  test('is refused: something without all methods, and a store itself', async () => {
    const { position: _, ...rest } = memoryBackend(new Memory());
    expect(() => createStorage(rest as never)).toThrow(
      expect.objectContaining({ code: 'USAGE', data: { missing: ['position'] } }),
    );
    expect(() => createStorage(null as never)).toThrow(expect.objectContaining({ code: 'USAGE' }));
    const store = await JsonStorage.open(tempDir());
    expect(() => createStorage(store as never)).toThrow(expect.objectContaining({ code: 'USAGE' }));
    const again = createStorage(store.backend);
    await again.close();
    await expectCode(again.save('config', 'a', 1), 'STORE_CLOSED');
  });
});

test.each([
  ['plain', async (storage: Storage) => storage],
  ['sealed', (storage: Storage): Promise<Storage> => EncryptedStorage.open(storage, KEY)],
])('a damaged blob of a task is told, found, and mended by putting it again (%s)', async (_, around) => {
  const memory = new Memory();
  const store = await around(createStorage(memoryBackend(memory)));
  const blob = { kind: 'other', bytes: new TextEncoder().encode('damage me') };
  await append(store, 't1', ['entry']);
  const [id] = await store.putBlobs('t1', [blob]);
  await damageMemory(memory).blob('t1', id!);
  await expectCode(store.getBlob('t1', id!), 'CORRUPT');
  expect(await collect(store.verify())).toMatchObject([{ code: 'CORRUPT', task: 't1' }]);
  await store.putBlobs('t1', [blob]);
  expectBytes(await store.getBlob('t1', id!), blob.bytes);
  await expectHealthy(store);
});
