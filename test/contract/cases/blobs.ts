/** Blobs: by content, per task or store-wide. */
import { hash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Cases } from '../harness.ts';
import { collect, expectBytes, expectCode, expectHealthy } from '../support.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const idOf = (kind: string, bytes: Uint8Array) => `${kind}/${hash('sha256', bytes)}`;

export const blobCases: Cases = {
  'blobs come back by the ids of their content, in order': async (context) => {
    const blobs = [
      { kind: 'tool_results', bytes: bytesOf('one') },
      { kind: 'agent_outputs', bytes: bytesOf('two') },
      { kind: 'other', bytes: new Uint8Array(0) },
      { kind: 'other', bytes: new Uint8Array(randomBytes(300_000)) },
    ];
    const ids = await context.store.putBlobs('t1', blobs);
    expect(ids).toEqual(blobs.map(({ kind, bytes }) => idOf(kind, bytes)));
    await context.nowAndReopened(async (store) => {
      for (const [i, id] of ids.entries()) expectBytes(await store.getBlob('t1', id), blobs[i]!.bytes);
    });
    await expectHealthy(context.store);
  },

  'the same content is stored once': async ({ store }) => {
    const blob = { kind: 'other', bytes: bytesOf('same') };
    const [first] = await store.putBlobs('t1', [blob, blob]);
    expect(await store.putBlobs('t1', [blob])).toEqual([first]);
    const listed = await collect(store.listBlobs('t1'));
    expect(listed).toEqual([{ id: first, size: 4, created_at: expect.any(String) }]);
    expect(new Date(listed[0]!.created_at).toISOString()).toBe(listed[0]!.created_at);
  },

  'promised blobs are there at once, and durable with the next commit': async (context) => {
    const { store } = context;
    const blobs = ['one', 'two'].map((text) => ({ kind: 'file', bytes: bytesOf(text) }));
    const ids = await store.promiseBlobs(blobs);
    expect(ids).toEqual(blobs.map(({ kind, bytes }) => idOf(kind, bytes)));
    expect(await store.renewBlobs(null, ids)).toEqual(ids);
    const claim = await store.claim('t1');
    const start = await store.position('t1');
    const { fence } = claim;
    const first = await store.commit({ task: 't1', fence, append: { after: start, entries: [{ n: 1 }] } });
    const more = await store.promiseBlobs([{ kind: 'file', bytes: bytesOf('three') }]);
    await store.commit({ task: 't1', fence, append: { after: first.position!, entries: [{ n: 2 }] } });
    const other = await context.another();
    for (const id of [...ids, ...more]) expect(await other.getBlob(null, id)).not.toBeNull();
    await claim.release();
    expect((await collect(store.listBlobs(null))).map(({ id }) => id)).toEqual([...ids, ...more].sort());
    await expectHealthy(store);
  },

  'promised blobs outlast a refused commit, and are stored by flush and close': async (context) => {
    const { store } = context;
    const [id] = await store.promiseBlobs([{ kind: 'file', bytes: bytesOf('kept') }]);
    const write = { category: 'notes', key: 'a', data: 1, expect: 7 };
    await expectCode(store.commit({ task: null, records: [write] }), 'STALE_WRITE');
    expectBytes(await store.getBlob(null, id!), bytesOf('kept'));
    await store.flush();
    const other = await context.another();
    expectBytes(await other.getBlob(null, id!), bytesOf('kept'));
    const large = [{ kind: 'file', bytes: new Uint8Array(randomBytes(300_000)) }];
    const [last] = await store.promiseBlobs([{ kind: 'file', bytes: bytesOf('last') }]);
    const [stored] = await store.promiseBlobs(large);
    expectBytes(await other.getBlob(null, stored!), large[0]!.bytes);
    await context.nowAndReopened(async (again) => {
      expectBytes(await again.getBlob(null, last!), bytesOf('last'));
    });
  },

  'entries of several tasks bring the same promised blobs': async (context) => {
    const { store } = context;
    const claims = await Promise.all(['t1', 't2', 't3'].map((task) => store.claim(task)));
    const starts = await Promise.all(claims.map(({ task }) => store.position(task)));
    const append = (n: number, after: (typeof starts)[number]) => {
      const { task, fence } = claims[n]!;
      return store.commit({ task, fence, append: { after, entries: [{ n }, { n }] } });
    };
    const first = await Promise.all(starts.map((start, n) => append(n, start)));
    const [id] = await store.promiseBlobs([{ kind: 'file', bytes: bytesOf('shared') }]);
    await Promise.all(first.map(({ position }, n) => append(n, position!)));
    const other = await context.another();
    expectBytes(await other.getBlob(null, id!), bytesOf('shared'));
    for (const claim of claims) await claim.release();
    await expectHealthy(store);
  },

  'tasks and the store keep their blobs apart': async ({ store }) => {
    const blob = { kind: 'other', bytes: bytesOf('shared words') };
    const [id] = await store.putBlobs('t1', [blob]);
    expect(await store.getBlob('t2', id!)).toBeNull();
    expect(await store.getBlob(null, id!)).toBeNull();
    await store.putBlobs(null, [blob]);
    expect(await store.deleteBlobs('t1', [id!])).toBe(1);
    expect(await store.getBlob('t1', id!)).toBeNull();
    expectBytes(await store.getBlob(null, id!), blob.bytes);
  },

  'deleting counts what was there': async ({ store }) => {
    const ids = await store.putBlobs(
      null,
      [1, 2, 3].map((n) => ({ kind: 'other', bytes: bytesOf(`${n}`) })),
    );
    const absent = idOf('other', bytesOf('absent'));
    expect(await store.deleteBlobs(null, [ids[0]!, absent, ids[2]!])).toBe(2);
    expect((await collect(store.listBlobs(null))).map((blob) => blob.id)).toEqual([ids[1]]);
    expect(await store.deleteBlobs(null, [])).toBe(0);
  },

  'what was stored or renewed since is not deleted as old': async (context) => {
    const blobs = ['put again', 'renewed', 'left alone'].map((text) => ({
      kind: 'other',
      bytes: bytesOf(text),
    }));
    for (const task of [null, 't1']) {
      const ids = await context.store.putBlobs(task, blobs);
      const absent = idOf('other', bytesOf('absent'));
      const store = await context.reopen(async () => {
        for (const id of ids) await context.place.damage.age(task, id, 3);
      });
      const stored_before = new Date(Date.now() - 3_600_000).toISOString();
      await store.putBlobs(task, [blobs[0]!]);
      expect(await store.renewBlobs(task, [absent, ids[1]!])).toEqual([ids[1]]);
      expect(await store.deleteBlobs(task, ids, { stored_before })).toBe(1);
      const left = await collect(store.listBlobs(task));
      expect(left.map(({ id }) => id)).toEqual([ids[0]!, ids[1]!].sort());
      for (const { created_at } of left) expect(created_at > stored_before).toBe(true);
      expect(await store.renewBlobs(task, ids)).toEqual([ids[0], ids[1]]);
      await expectHealthy(store);
    }
  },

  'of a blob that is renewed and deleted at the same time it is known whether it stayed': async (context) => {
    const { another, place, reopen } = context;
    const blobs = Array.from({ length: 60 }, (_, n) => ({ kind: 'other', bytes: bytesOf(`blob ${n}`) }));
    const ids = await context.store.putBlobs(null, blobs);
    const store = await reopen(async () => {
      for (const id of ids) await place.damage.age(null, id, 3);
    });
    const other = await another();
    const stored_before = new Date(Date.now() - 3_600_000).toISOString();
    const [renewed] = await Promise.all([
      Promise.all(ids.map((id) => store.renewBlobs(null, [id]))),
      (async () => {
        for (const id of ids.toReversed()) await other.deleteBlobs(null, [id], { stored_before });
      })(),
    ]);
    expect((await collect(store.listBlobs(null))).map(({ id }) => id)).toEqual(renewed.flat().sort());
  },

  'every blob is listed, in the order of the ids': async ({ store }) => {
    const blobs = Array.from({ length: 700 }, (_, n) => ({
      kind: ['other', 'tool_results', 'agent_outputs', 'zebra'][n % 4]!,
      bytes: bytesOf(`blob ${n}`),
    }));
    const ids = await store.putBlobs('t1', blobs);
    expect((await collect(store.listBlobs('t1'))).map((blob) => blob.id)).toEqual(ids.toSorted());
    expect(await collect(store.listBlobs('t2'))).toEqual([]);
  },

  'an id that is no id is refused': async ({ store, place }) => {
    const digest = hash('sha256', 'x');
    for (const id of [
      '',
      digest,
      `other/${digest}x`,
      `../${digest}`,
      `other/../${digest}`,
      `Other/${digest}`,
      `other/${digest.toUpperCase()}`,
    ]) {
      await expectCode(store.getBlob('t1', id), 'INVALID_ID');
      await expectCode(store.deleteBlobs('t1', [id]), 'INVALID_ID');
      await expectCode(store.renewBlobs('t1', [id]), 'INVALID_ID');
    }
    expect(await store.getBlob('t1', `other/${digest}`)).toBeNull();
    expect(place.strangers()).toEqual([]);
  },

  'a kind that is no kind is refused, and nothing is stored': async ({ store }) => {
    const good = { kind: 'other', bytes: bytesOf('good') };
    for (const kind of ['', '..', 'a/b', 'A', '1a', 'a-b', 'x'.repeat(33)])
      await expectCode(store.putBlobs('t1', [good, { kind, bytes: bytesOf('bad') }]), 'INVALID_ID');
    expect(await collect(store.listBlobs('t1'))).toEqual([]);
  },

  'many blobs put at once are all there': async ({ store }) => {
    const blobs = Array.from({ length: 40 }, () => ({
      kind: 'other',
      bytes: new Uint8Array(randomBytes(5000)),
    }));
    const ids = await Promise.all(blobs.map(async (blob) => (await store.putBlobs('t1', [blob]))[0]!));
    for (const [i, id] of ids.entries()) expectBytes(await store.getBlob('t1', id), blobs[i]!.bytes);
    await expectHealthy(store);
  },
};
