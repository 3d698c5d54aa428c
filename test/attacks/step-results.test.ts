/** What a step returned is the same after a resume: the same kind, not only the same bytes. */
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { openEngine } from '../../src/engine/engine.ts';
import { defineTask } from '../../src/index.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

const VALUES: Readonly<Record<string, unknown>> = {
  buffer: Buffer.from('some text'),
  'part of a buffer': Buffer.from('some text').subarray(2, 5),
  'empty buffer': Buffer.alloc(0),
  'large buffer': Buffer.alloc(300_000, 'x'),
  inside: { files: [Buffer.from('a'), new Uint8Array([1, 2])], map: new Map([['k', Buffer.from('b')]]) },
  Uint8Array: new Uint8Array([1, 2, 3]),
  Uint8ClampedArray: new Uint8ClampedArray([1]),
  Float64Array: new Float64Array([0.5]),
  ArrayBuffer: new Uint8Array([1]).buffer,
  DataView: new DataView(new ArrayBuffer(3)),
  date: new Date(0),
  set: new Set([1]),
  map: new Map([[1, 2]]),
  bigint: 2n ** 70n,
  url: new URL('https://example.org/a'),
  regexp: /a/g,
  error: new TypeError('no'),
  undefined,
  'minus zero': -0,
};

test('every kind of value a step can return comes back as that kind', async () => {
  const project_dir = tempDir();
  const differing: string[] = [];
  const task = defineTask('values', async (t) => {
    const wrong: string[] = [];
    for (const [name, value] of Object.entries(VALUES)) {
      const got = await t.step(name, () => value);
      if (!isDeepStrictEqual(got, value)) wrong.push(name);
    }
    differing.splice(0, differing.length, ...wrong);
    await t.waitFor('user_input');
  });
  const engine = await openEngine({ project_dir, tasks: [task] });
  const { id } = await engine.start(task, undefined);
  await expect.poll(async () => (await engine.waits(id)).length).toBe(1);
  await engine.close();
  expect(differing).toEqual([]);
  const next = await openEngine({ project_dir, tasks: [task] });
  await next.answer(id, 'on');
  await (await next.resume(id)).result;
  await next.close();
  expect(differing).toEqual([]);
});
