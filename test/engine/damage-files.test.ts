/** Files after damage: what the lost end of a journal did to them is taken back, so that it is not there twice. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/definition.ts';
import { liveOf, untilStatus } from './letters.ts';
import { onEachStore } from './stores.ts';

/** Appends each letter to the file, then asks. */
const appends = defineTask('appends', async (task, text: string) => {
  for (const letter of text) await task.files.edit('a.txt', (before) => `${before}${letter}`);
  return task.waitFor<string>('user_input', { prompt: 'enough?' });
});

onEachStore(
  (fresh) => {
    const stopped = async () => {
      const store = await fresh();
      const file = join(store.dir, 'a.txt');
      writeFileSync(file, '-');
      const engine = await store.open({ workspace: true });
      const { id, outcome } = await engine.start(appends, 'abc');
      await untilStatus(engine, id, 'waiting');
      await engine.pause(id);
      await outcome;
      const ends = (await liveOf(engine, id)).filter(({ entry }) => entry.t === 'step');
      await engine.close();
      await store.damageEntry(id, ends[1]!.seq);
      return { store, id, file };
    };

    test('an edit behind the damage is made once', async () => {
      const { store, id, file } = await stopped();
      const engine = await store.open({ workspace: true, tasks: [appends] });
      // Nobody has said what is to become of them: nothing is changed, also not the second time.
      for (const _ of [1, 2]) {
        await expect(engine.resume(id)).rejects.toMatchObject({ hint: expect.stringMatching(/\S/) });
        expect(readFileSync(file, 'utf8')).toBe('-abc');
      }
      await engine.resume(id, { on_modified: 'use_checkpoint', on_deleted: 'restore' });
      await engine.answer(id, '!');
      await untilStatus(engine, id, 'completed');
      expect(readFileSync(file, 'utf8')).toBe('-abc');
    });

    test('content that is gone is named, and the task resumes with the files as they are', async () => {
      const { store, id, file } = await stopped();
      const blobs = join(store.dir, '.vibe-engine/blobs/file');
      for (const name of readdirSync(blobs)) writeFileSync(join(blobs, name), 'damaged');
      const engine = await store.open({ workspace: true, tasks: [appends] });
      const back = { on_modified: 'use_checkpoint', on_deleted: 'restore' } as const;
      for (const _ of [1, 2])
        await expect(engine.resume(id, back)).rejects.toMatchObject({
          code: 'CONTENT_MISSING',
          message: expect.stringContaining('a.txt'),
          hint: expect.stringContaining('--on-modified use_current'),
        });
      expect(readFileSync(file, 'utf8')).toBe('-abc');
      await engine.resume(id, { on_modified: 'use_current' });
      await engine.answer(id, '!');
      await untilStatus(engine, id, 'completed');
    });
  },
  ['json'],
);
