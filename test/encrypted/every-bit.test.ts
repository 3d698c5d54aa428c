/** Of a small sealed store every single bit that is stored: with another value it is told, or makes no difference. */
import { afterEach, expect, test } from 'vitest';
import { VibeError } from '../../src/errors.ts';
import type { PreparedCommit } from '../../src/storage/backend.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { createStorage } from '../../src/storage/create.ts';
import { openEncryptedStorage } from '../../src/storage/encrypted/open.ts';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { keyProvider } from '../contract/open-store.ts';
import { append, collect, expectCode } from '../contract/support.ts';
import { unlessFull } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
/** All of them in full; else each twenty-third, and so each place within a byte. */
const STEP = unlessFull(23, 1);
const KEY = keyProvider('c0ffee'.padEnd(64, '0'));
const opened: Storage[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

async function plain(root: string): Promise<Storage> {
  const store = await openJsonStorage({ root });
  opened.push(store);
  return store;
}

/** What lies in the inner store, as it comes out of there. */
type Change = (place: string, bytes: Buffer) => Buffer;

function changed({ backend: inner }: Storage, change: Change): Storage {
  const changedText = (place: string, text: string) => change(place, Buffer.from(text)).toString('utf8');
  return createStorage({
    ...inner,
    async get(category, key) {
      const record = await inner.get(category, key);
      return record && { ...record, text: changedText(`${category}/${key}`, record.text) };
    },
    async *read(task, range) {
      for await (const part of inner.read(task, range))
        yield part.map((entry) => ({ ...entry, text: changedText(`${task} ${entry.seq}`, entry.text) }));
    },
    async getBlob(task, id) {
      const bytes = await inner.getBlob(task, id);
      return bytes && change(`${task} ${id}`, Buffer.from(bytes));
    },
  });
}

test('every single bit is told, or harmless', async () => {
  const inner = await plain(tempDir());
  const store = await openEncryptedStorage(inner, KEY);
  await store.save('config', 'a', 1);
  await append(store, 't1', ['x', 'y']);
  await store.save('tasks', 't1/state', 's');
  const [blob] = await store.putBlobs('t1', [{ kind: 'file', bytes: Buffer.from('b') }]);
  const all = async (change: Change): Promise<unknown> => {
    const copy = await openEncryptedStorage(changed(inner, change), KEY);
    const state = await copy.load('tasks', 't1/state');
    const entries = (await collect(copy.read('t1'))).map(({ data }) => data);
    const bytes = await copy.getBlob('t1', blob!);
    return { config: await copy.load('config', 'a'), state, entries, blob: Buffer.from(bytes!).toString() };
  };
  const sizes = new Map<string, number>();
  const right = await all((place, bytes) => {
    sizes.set(place, bytes.length);
    return bytes;
  });
  expect(right).toEqual({ config: 1, state: 's', entries: ['x', 'y'], blob: 'b' });
  expect([...sizes.keys()]).toHaveLength(7); // Two keys, two records, two entries, a blob.
  let told = 0;
  let flipped = 0;
  for (const [place, size] of sizes) {
    for (let bit = 0; bit < 8 * size; bit += STEP) {
      flipped++;
      const flip: Change = (at, bytes) => {
        if (at === place) bytes[bit >> 3]! ^= 1 << (bit & 7);
        return bytes;
      };
      const found = await all(flip).catch((error) => error);
      if (found instanceof VibeError) told++;
      else expect(found, `bit ${bit} of ${place}`).toEqual(right);
    }
  }
  expect(told / flipped).toBeGreaterThan(0.95); // Of a time, and of the ends of base64, some bits say nothing.
});

test('whatever is sealed again, refused or by another process, gets a nonce of its own', async () => {
  const root = tempDir();
  const seen: string[] = [];
  const spied = async (): Promise<Storage> => {
    const { backend: inner } = await plain(root);
    const note = ({ records, append }: PreparedCommit): void => {
      for (const { text } of [...records, ...(append?.entries ?? [])])
        if (text?.startsWith('"ve1:')) seen.push(text);
    };
    const commit = (given: PreparedCommit) => {
      note(given);
      return inner.commit(given);
    };
    return createStorage({ ...inner, commit });
  };
  for (let process = 0; process < 3; process++) {
    const store = await openEncryptedStorage(await spied(), KEY);
    for (const task of ['t1', 't2']) {
      const after = await store.position(task);
      const again = { task, append: { after, entries: ['the same', 'the same'] } };
      await store.commit(again);
      await expectCode(store.commit(again), 'STALE_WRITE');
      await store.save('tasks', `${task}/state`, 'the same');
    }
  }
  const nonces = seen.map((text) => Buffer.from(text.slice(5, -1), 'base64').toString('hex', 5, 33));
  expect(nonces.length).toBe(2 + 3 * 2 * 5); // Two keys; twice two entries and a record.
  expect(new Set(nonces).size).toBe(nonces.length);
});
