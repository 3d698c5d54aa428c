/** Files after damage: what the lost end of a journal did to them is taken back, so that it is not there twice. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Question } from '../../src/engine/api/prompter.ts';
import { examineStore } from '../../src/engine/doctor/doctor.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { checkpointsOf } from './cleanup-world.ts';
import { liveOf, untilStatus } from './letters.ts';
import { collect, onEachStore } from './stores.ts';

/** Appends each letter to the file, then asks. */
const appends = defineTask('appends', async (task, text: string) => {
  for (const letter of text) await task.files.edit('a.txt', (before) => `${before}${letter}`);
  return task.waitFor<string>('user_input', { prompt: 'enough?' });
});

onEachStore(
  (fresh) => {
    const stopped = async (text = '-') => {
      const store = await fresh();
      const file = join(store.dir, 'a.txt');
      writeFileSync(file, text);
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

    test('an edit behind the damage is the task’s own: it is taken back unasked, and made once', async () => {
      const { store, id, file } = await stopped();
      const told: string[] = [];
      const notify = (lines: readonly string[]) => void told.push(...lines);
      const engine = await store.open({ workspace: true, tasks: [appends], notify });
      await engine.resume(id);
      expect(told).toContainEqual(
        expect.stringMatching(/^Undone first, because these steps run again: a\.txt\./),
      );
      await engine.answer(id, '!');
      await untilStatus(engine, id, 'completed');
      expect(readFileSync(file, 'utf8')).toBe('-abc');
    });

    test('where somebody changed the file since, it is asked what is to hold, and nothing is changed', async () => {
      const { store, id, file } = await stopped();
      writeFileSync(file, 'person\n-abc');
      const asked: Question[] = [];
      const ask = async (question: Question) => {
        asked.push(question);
        return 'abort';
      };
      const engine = await store.open({ workspace: true, tasks: [appends], prompter: { ask } });
      for (const _ of [1, 2])
        await expect(engine.resume(id)).rejects.toMatchObject({ hint: expect.stringMatching(/\S/) });
      expect(readFileSync(file, 'utf8')).toBe('person\n-abc');
      expect(asked[0]).toMatchObject({
        recommended: 'merge',
        message: 'a.txt was changed by others, too. Which version should be kept?',
      });
      await engine.resume(id, { on_modified: 'use_checkpoint', on_deleted: 'restore' });
      await engine.answer(id, '!');
      await untilStatus(engine, id, 'completed');
      expect(readFileSync(file, 'utf8')).toBe('-abc');
    });

    test('what others did after the journal’s end is theirs: lines are merged, and new files stay', async () => {
      const { store, id, file } = await stopped('top\n\n\n-');
      writeFileSync(file, 'person\n\n\n-abc');
      writeFileSync(join(store.dir, 'mine.txt'), 'mine');
      const engine = await store.open({ workspace: true, tasks: [appends] });
      await engine.resume(id, { on_modified: 'merge' });
      await engine.answer(id, '!');
      await untilStatus(engine, id, 'completed');
      expect(readFileSync(file, 'utf8')).toBe('person\n\n\n-abc');
      expect(readFileSync(join(store.dir, 'mine.txt'), 'utf8')).toBe('mine');
    });

    test('where the last entry is damaged, a file that is new since stays, and is named', async () => {
      const store = await fresh();
      const file = join(store.dir, 'a.txt');
      writeFileSync(file, '-');
      const first = await store.open({ workspace: true });
      const { id, outcome } = await first.start(appends, 'abc');
      await untilStatus(first, id, 'waiting');
      await first.pause(id);
      await outcome;
      const { seq: end } = await first.storage.position(id);
      const ends = (await liveOf(first, id)).filter(({ entry }) => entry.t === 'step');
      await first.close();
      for (let seq = ends[1]!.seq; seq <= end; seq++) await store.damageEntry(id, seq);
      writeFileSync(join(store.dir, 'mine.txt'), 'mine');
      const told: string[] = [];
      const notify = (lines: readonly string[]) => void told.push(...lines);
      const engine = await store.open({ workspace: true, tasks: [appends], notify });
      await engine.resume(id, { on_modified: 'use_checkpoint' });
      await engine.answer(id, '!');
      await untilStatus(engine, id, 'completed');
      expect(readFileSync(file, 'utf8')).toBe('-abc');
      expect(readFileSync(join(store.dir, 'mine.txt'), 'utf8')).toBe('mine');
      expect(told).toContain('mine.txt was left as it is: it is new, and nobody knows whose it is.');
    });

    test('what others did between two edits behind the damage stays', async () => {
      const store = await fresh();
      const file = join(store.dir, 'a.txt');
      writeFileSync(file, '-');
      const other = join(store.dir, 'b.txt');
      writeFileSync(other, 'b\n');
      const meanwhile = defineTask('meanwhile', async (task) => {
        await task.files.edit('a.txt', (before) => `${before}a`);
        await task.files.edit('a.txt', (before) => `${before}b`);
        await task.step('a person', () => writeFileSync(other, 'b\nperson\n'));
        await task.files.edit('a.txt', (before) => `${before}c`);
        await task.waitFor('user_input');
      });
      const first = await store.open({ workspace: true });
      const { id, outcome } = await first.start(meanwhile, undefined);
      await untilStatus(first, id, 'waiting');
      await first.pause(id);
      await outcome;
      const steps = (await liveOf(first, id)).filter(({ entry }) => entry.t === 'step');
      await first.close();
      await store.damageEntry(id, steps[1]!.seq);
      const engine = await store.open({ workspace: true, tasks: [meanwhile] });
      const { id: same } = await engine.resume(id);
      await untilStatus(engine, same, 'waiting');
      expect([readFileSync(file, 'utf8'), readFileSync(other, 'utf8')]).toEqual(['-abc', 'b\nperson\n']);
    });

    test('what was put aside is said by every call that is refused, and by the one that is not', async () => {
      const { store, id, file } = await stopped();
      writeFileSync(file, 'person\n-abc');
      const told: string[] = [];
      const notify = (lines: readonly string[]) => void told.push(...lines);
      const engine = await store.open({ workspace: true, tasks: [appends], notify });
      const said = async (call: () => Promise<unknown>) => {
        told.length = 0;
        await call();
        return told.filter((line) => line.startsWith('The journal was damaged after entry')).length;
      };
      const refused = (call: () => Promise<unknown>) => said(() => expect(call()).rejects.toThrow(/others/i));
      const [first] = await checkpointsOf(engine, id);
      expect(await refused(() => engine.resume(id))).toBe(1);
      expect(await refused(() => engine.resume(id))).toBe(1);
      expect(await refused(() => engine.undo(id))).toBe(1);
      expect(await refused(() => engine.rollback(first!))).toBe(1);
      expect(await said(() => engine.resume(id, { on_modified: 'use_checkpoint' }))).toBe(1);
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

    /** A task whose rollback was cut off before it changed a file. */
    const cutOffRollback = async () => {
      const store = await fresh();
      const file = join(store.dir, 'a.txt');
      writeFileSync(file, '-');
      const first = await store.open({ workspace: true });
      const { id, outcome } = await first.start(appends, 'abc');
      await untilStatus(first, id, 'waiting');
      await first.pause(id);
      await outcome;
      const [, before] = await checkpointsOf(first, id);
      let cutOff = false;
      const commit: Storage['commit'] = async (given) => {
        if (cutOff) throw new Error('cut off');
        cutOff = given.records?.some(({ key }) => key === `${id}/rollback`) ?? false;
        return first.storage.commit(given);
      };
      const dying = await store.open({ workspace: true, storage: { ...first.storage, commit } });
      await expect(dying.rollback(before!)).rejects.toThrow('cut off');
      expect(cutOff).toBe(true);
      await dying.close();
      await first.close();
      return { store, id, file };
    };

    test('a rollback that was cut off is not finished without a file that the task edits again', async () => {
      const { store, id, file } = await cutOffRollback();
      writeFileSync(file, '-abc');
      const blobs = join(store.dir, '.vibe-engine/blobs/file');
      for (const name of readdirSync(blobs)) writeFileSync(join(blobs, name), 'damaged');
      const engine = await store.open({ workspace: true, tasks: [appends] });
      const back = { on_modified: 'use_checkpoint', on_deleted: 'restore' } as const;
      for (const _ of [1, 2])
        await expect(engine.resume(id, back)).rejects.toMatchObject({
          code: 'CONTENT_MISSING',
          hint: expect.stringContaining('--on-modified use_current'),
        });
      expect(readFileSync(file, 'utf8')).toBe('-abc');
    });

    test('a rollback that version 0.1 was cut off at is finished', async () => {
      const { store, id, file } = await cutOffRollback();
      const engine = await store.open({ workspace: true, tasks: [appends] });
      const { storage } = engine;
      const [now, then] = [`${id}/rollback`, `${id}/going-back`];
      const data = await storage.load('tasks', now);
      const moved = [
        { category: 'tasks', key: then, data },
        { category: 'tasks', key: now, remove: true as const },
      ];
      await storage.commit({ task: id, records: moved });
      await expect(collect(examineStore(engine))).resolves.toMatchObject([{ code: 'RESTORE_UNFINISHED' }]);
      const undone: string[] = [];
      engine.on('rollback', ({ task }) => undone.push(task));
      await engine.resume(id, { on_modified: 'use_checkpoint', on_deleted: 'restore' });
      await untilStatus(engine, id, 'waiting');
      expect(undone).toEqual([id]);
      expect(readFileSync(file, 'utf8')).toBe('-abc');
      expect([await storage.load('tasks', now), await storage.load('tasks', then)]).toEqual([null, null]);
    });

    test('edits whose snapshot is lost are not made twice: a mended journal does not hide that', async () => {
      const store = await fresh();
      const file = join(store.dir, 'a.txt');
      writeFileSync(file, '-');
      const talks = defineTask('talks', async (task) => {
        await task.files.edit('a.txt', (before) => `${before}a`);
        await task.message('assistant', 'long '.repeat(20_000));
        await task.files.edit('a.txt', (before) => `${before}b`);
        await task.context();
        await task.waitFor('user_input');
      });
      const first = await store.open({ workspace: true });
      const { id, outcome } = await first.start(talks, undefined);
      await untilStatus(first, id, 'waiting');
      await first.pause(id);
      await outcome;
      const live = await liveOf(first, id);
      const second = live.filter(({ entry }) => entry.t === 'begin')[1]!.entry as { snapshot: string };
      await first.close();
      await store.damageEntry(id, live.at(-1)!.seq);
      const root = join(store.dir, '.vibe-engine');
      writeFileSync(join(root, 'blobs', second.snapshot), 'damaged');
      const messages = join(root, 'tasks', id, 'blobs', 'messages');
      for (const name of readdirSync(messages)) writeFileSync(join(messages, name), 'damaged');
      const engine = await store.open({ workspace: true, tasks: [talks] });
      const resumed = engine.resume(id, { on_modified: 'use_checkpoint', on_deleted: 'restore' });
      await expect(resumed).rejects.toMatchObject({
        code: 'CONTENT_MISSING',
        hint: expect.stringContaining('--on-modified use_current'),
      });
      expect(readFileSync(file, 'utf8')).toBe('-ab');
    });

    test('the first edit of all counts, too, where it is its begin that is damaged', async () => {
      const store = await fresh();
      const file = join(store.dir, 'a.txt');
      writeFileSync(file, '-');
      const first = await store.open({ workspace: true });
      const { id, outcome } = await first.start(appends, 'abc');
      await untilStatus(first, id, 'waiting');
      await first.pause(id);
      await outcome;
      const begin = (await liveOf(first, id)).find(({ entry }) => entry.t === 'begin')!;
      await first.close();
      await store.damageEntry(id, begin.seq);
      const engine = await store.open({ workspace: true, tasks: [appends] });
      await engine.resume(id, { on_modified: 'use_checkpoint', on_deleted: 'restore' });
      await engine.answer(id, '!');
      await untilStatus(engine, id, 'completed');
      expect(readFileSync(file, 'utf8')).toBe('-abc');
    });
  },
  ['json'],
);
