/** Stored bytes that are not what was written: noticed when read, and what is before the damage still loads. */
import { expect } from 'vitest';
import type { JournalEntry, Storage } from '../../../src/storage/contract.ts';
import type { Cases } from '../harness.ts';
import { append, collect, expectBytes, expectCode, expectHealthy, numbersOf } from '../support.ts';

/** What reading yields before it throws, and the code it throws with. */
async function readUntilDamage(store: Storage, reverse = false): Promise<{ seen: number[]; code: unknown }> {
  const seen: number[] = [];
  try {
    for await (const { seq } of store.read('t1', { reverse }) as AsyncIterable<JournalEntry>) seen.push(seq);
    return { seen, code: undefined };
  } catch (error) {
    return { seen, code: (error as { code?: unknown }).code };
  }
}

/** Entries "1", "2", …, each by a commit of its own: a store may give up a damaged commit as a whole. */
async function fillOneByOne(store: Storage, count: number): Promise<void> {
  for (let n = 1; n <= count; n++) await append(store, 't1', [`${n}`]);
}

export const damageCases: Cases = {
  'a damaged record is not handed out': async (context) => {
    await context.store.save('config', 'good', { text: 'leave me' });
    await context.store.save('config', 'bad', { text: 'damage me' });
    await context.store.save('config', 'later', { text: 'after it' });
    await context.reopen(() => context.place.damage.record('config', 'bad'));
    await expectCode(context.store.load('config', 'bad'), 'CORRUPT');
    expect(await context.store.load('config', 'good')).toEqual({ text: 'leave me' });
    const problems = await collect(context.store.verify());
    expect(problems.map((problem) => problem.code)).toContain('CORRUPT');
  },

  'a damaged blob is not handed out, and putting it again mends it': async (context) => {
    const blob = { kind: 'other', bytes: new TextEncoder().encode('damage me') };
    const [id] = await context.store.putBlobs('t1', [blob]);
    await context.reopen(() => context.place.damage.blob('t1', id!));
    await expect(context.store.getBlob('t1', id!)).rejects.toMatchObject({
      code: 'CORRUPT',
      data: { task: 't1', id },
    });
    expect((await collect(context.store.verify())).map((problem) => problem.code)).toContain('CORRUPT');
    await context.store.putBlobs('t1', [blob]);
    expectBytes(await context.store.getBlob('t1', id!), blob.bytes);
    await expectHealthy(context.store);
  },

  'a damaged entry stops the reading there, from both ends': async (context) => {
    await fillOneByOne(context.store, 9);
    await context.reopen(() => context.place.damage.entry('t1', 5));
    expect(await readUntilDamage(context.store)).toEqual({ seen: [1, 2, 3, 4], code: 'CORRUPT' });
    const backwards = await readUntilDamage(context.store, true);
    expect(backwards.code).toBe('CORRUPT');
    expect([9, 8, 7, 6].slice(0, backwards.seen.length)).toEqual(backwards.seen);
    const problems = await collect(context.store.verify());
    expect(problems.map((problem) => problem.task)).toContain('t1');
  },

  'repairing sets the damaged part aside and the task goes on': async (context) => {
    await fillOneByOne(context.store, 9);
    await append(context.store, 't2', ['other']);
    await context.reopen(() => context.place.damage.entry('t1', 5));
    const { fence } = await context.store.claim('t1');
    await expectCode(context.store.repair('t1'), 'TASK_OWNED');
    const repair = await context.store.repair('t1', { fence });
    expect(repair).toMatchObject({
      kept: { seq: 4 },
      aside: expect.stringMatching(/\S/),
      message: expect.stringMatching(/\S/),
    });
    expect(await numbersOf(context.store, 't1')).toEqual([1, 2, 3, 4]);
    expect(await context.store.position('t1')).toEqual(repair!.kept);
    await append(context.store, 't1', ['on'], { fence });
    await context.reopen();
    expect(await numbersOf(context.store, 't1')).toEqual([1, 2, 3, 4, 5]);
    expect(await numbersOf(context.store, 't2')).toEqual([1]);
    await expectHealthy(context.store);
  },
};
