/** Clean-up of files: what nothing names goes, with its holds on git objects; whatever is named, or about to be, stays. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { openWorkspace } from '../../src/workspace/workspace.ts';
import { manualClock } from '../support/manual-clock.ts';
import { git, put } from '../workspace/ground.ts';
import {
  commitAll,
  edit,
  editor,
  expectAllThere,
  forgetHistory,
  holdsIn,
  lookInto,
  newRepository,
  sharedBlobs,
} from './file-world.ts';
import { checkpointsOf } from './letters.ts';
import { onEachStore, type Store } from './stores.ts';

const HOUR = 60 * 60 * 1000;
const removeEnded = { remove_completed: true, grace_hours: 2 };

async function groundOn(fresh: () => Promise<Store>) {
  const store = await fresh();
  const clock = manualClock(new Date());
  newRepository(store.dir, { 'tracked.txt': 'tracked', 'src/also.txt': 'also tracked' });
  const open = (storage?: Storage) =>
    store.open({ tasks: [editor], workspace: true, clock, ...(storage ? { storage } : {}) });
  return { store, clock, open, dir: store.dir };
}

/** Twice, as the first takes checkpoints and the second what they needed. */
async function cleanAfterGrace(engine: Engine, clock: { advance(ms: number): void }) {
  await engine.clean({ policy: removeEnded });
  clock.advance(3 * HOUR);
  const dry = await engine.clean({ policy: removeEnded, dry_run: true });
  const real = await engine.clean({ policy: removeEnded });
  expect({ ...real, dry_run: true }).toEqual(dry);
  return real;
}

onEachStore((fresh) => {
  test('what only a task that is gone needed goes, with its holds; the newest snapshot stays', async () => {
    const { open, clock, dir } = await groundOn(fresh);
    const engine = await open();
    const changes = [1, 2, 3].map((n) => [`new-${n}.txt`, `${n}`.repeat(5000)] as const);
    await edit(engine, { dir, changes, end: 'complete' });
    put(dir, 'tracked.txt', 'changed');
    commitAll(dir);
    await edit(engine, { dir, changes: [['new-1.txt', 'other']], end: 'complete' });
    const before = { blobs: await sharedBlobs(engine.storage), holds: holdsIn(dir) };
    expect(before.holds.length).toBeGreaterThan(1);
    const report = await cleanAfterGrace(engine, clock);
    expect(report.freed.snapshots).toBeGreaterThan(3);
    expect(report.freed.blob_bytes).toBeGreaterThan(5000);
    expect(report.skipped).toEqual([]);
    const [noted] = await engine.storage.list('workspaces');
    const { snapshot } = (await engine.storage.load('workspaces', noted!)) as { snapshot: string };
    const left = await sharedBlobs(engine.storage);
    expect(left.filter((id) => id.startsWith('snapshot/'))).toEqual([snapshot]);
    expect(left.length).toBe(before.blobs.length - report.freed.blobs);
    const look = await lookInto(engine.storage, dir);
    await look.files(snapshot);
    look.close();
    expect(await engine.clean({ policy: removeEnded })).toMatchObject({ freed_bytes: 0 });
  });

  test('a fork keeps the files of the checkpoint it comes from, whatever becomes of the rest', async () => {
    const { open, clock, dir } = await groundOn(fresh);
    const engine = await open();
    const seen = new Map<string, string>();
    const changes = [1, 2, 3, 4].map((n) => [`new-${n}.txt`, `${n}`.repeat(3000)] as const);
    const task = await edit(engine, { dir, changes, end: 'complete' });
    const made = await checkpointsOf(engine, task);
    const fork = await engine.fork(made[Math.floor(made.length / 2)]!);
    await expectAllThere(engine, dir, seen);
    forgetHistory(dir);
    const report = await cleanAfterGrace(engine, clock);
    expect(report.freed.snapshots).toBeGreaterThan(0);
    forgetHistory(dir);
    expect(await expectAllThere(engine, dir, seen)).toBeGreaterThan(1);
    expect(await checkpointsOf(engine, fork.id)).toHaveLength(1);
  });

  test.each(['resume', 'retry', 'resumeFromCheckpoint'] as const)(
    'what was there before a file was put back by %s stays as long as the journal says so',
    async (verb) => {
      const { open, clock, dir } = await groundOn(fresh);
      const engine = await open();
      const changes = [1, 2].map((n) => [`new-${n}.txt`, `${n}`.repeat(3000)] as const);
      const task = await edit(engine, { dir, changes, end: 'fail' });
      put(dir, 'new-2.txt', 'a person');
      const notes: string[] = [];
      engine.on('recovery', (told) => notes.push(...told.notes));
      const choices = { on_modified: 'use_checkpoint' } as const;
      if (verb === 'resume') await (await engine.resume(task, choices)).outcome;
      if (verb === 'retry')
        await (await engine.retry(task, { ...choices, step: 'change new-2.txt' })).outcome;
      if (verb === 'resumeFromCheckpoint') {
        const made = await checkpointsOf(engine, task);
        await engine.recovery.resumeFromCheckpoint(made.at(-2)!, undefined, choices);
      }
      const [, snapshot] = /new-2\.txt\. What was there: vibe-engine files (snapshot\/[0-9a-f]+)/.exec(
        notes.join(),
      )!;
      put(dir, 'new-2.txt', 'and changed again');
      await edit(engine, { dir, changes: [['other.txt', 'other']], end: 'complete' });
      await cleanAfterGrace(engine, clock);
      const workspace = await openWorkspace({ root: dir, storage: engine.storage });
      const there = Buffer.from(await workspace.read(snapshot!, 'new-2.txt')).toString();
      await workspace.close();
      expect(there).toBe('a person');
    },
  );

  test('holds are released when no snapshot needs them, and git may collect what they held', async () => {
    const { open, clock, dir } = await groundOn(fresh);
    const engine = await open();
    const task = await edit(engine, { dir, changes: [['a.txt', 'a']], end: 'pause' });
    const object = git(dir, 'rev-parse', 'HEAD:tracked.txt');
    rmSync(join(dir, 'tracked.txt'));
    rmSync(join(dir, 'src'), { recursive: true });
    forgetHistory(dir, 'gc');
    // Enough changes of what is tracked for the newest snapshot to be given new holds.
    for (let n = 0; n < 9; n++) {
      put(dir, `tracked-${n}.txt`, `${n}`);
      commitAll(dir);
      await edit(engine, { dir, changes: [['b.txt', `${n}`]], end: 'complete' });
    }
    forgetHistory(dir, 'gc');
    await cleanAfterGrace(engine, clock);
    forgetHistory(dir, 'gc');
    expect(git(dir, 'cat-file', '-t', object)).toBe('blob');
    const seen = new Map<string, string>();
    expect(await expectAllThere(engine, dir, seen)).toBeGreaterThan(1);
    await engine.cancel(task);
    const before = holdsIn(dir).length;
    const report = await engine.clean({ policy: { ...removeEnded, older_than_days: 0 } });
    expect(report.emptied).toEqual([task]);
    clock.advance(3 * HOUR);
    const { freed } = await engine.clean({ policy: removeEnded });
    expect(freed.holds).toBeGreaterThan(0);
    expect(holdsIn(dir)).toHaveLength(before - freed.holds);
    forgetHistory(dir, 'gc');
    expect(() => git(dir, 'cat-file', '-t', object)).toThrow();
  });

  test('an object that was given up with its holds and came back is held again', async () => {
    const { open, clock, dir } = await groundOn(fresh);
    const engine = await open();
    const { storage } = engine;
    const workspace = await openWorkspace({ root: dir, storage, clock });
    await workspace.snapshot();
    rmSync(join(dir, 'tracked.txt'));
    for (let n = 0; n < 10; n++) {
      put(dir, 'changing.txt', `${n}`);
      commitAll(dir);
      await workspace.snapshot();
    }
    put(dir, 'tracked.txt', 'tracked');
    commitAll(dir);
    const { id } = await workspace.snapshot();
    await workspace.close();
    await storage.save('snapshots', 'mine', { snapshot: id });
    clock.advance(72 * HOUR);
    expect((await engine.clean()).freed.holds).toBeGreaterThan(0);
    rmSync(join(dir, 'tracked.txt'));
    forgetHistory(dir);
    const look = await lookInto(storage, dir);
    await look.files(id);
    look.close();
  });

  test('holds of another store in the same repository stay', async () => {
    const { open, clock, dir } = await groundOn(fresh);
    git(dir, 'update-ref', 'refs/vibe-engine/another/h0123', git(dir, 'rev-parse', 'HEAD^{tree}'));
    const engine = await open();
    await edit(engine, { dir, changes: [['a.txt', 'a']], end: 'complete' });
    await cleanAfterGrace(engine, clock);
    expect(holdsIn(dir)).toContain('refs/vibe-engine/another/h0123');
  });

  test('content that is stored again while clean-up is at it stays', async () => {
    const { store, open, dir } = await groundOn(fresh);
    const first = await open();
    const workspace = await openWorkspace({ root: dir, storage: first.storage });
    put(dir, 'again.txt', 'the same bytes, once more');
    await workspace.snapshot();
    rmSync(join(dir, 'again.txt'));
    await workspace.snapshot();
    await store.ageBlobs(72);
    let again: string | undefined;
    const racing: Storage = {
      ...first.storage,
      async deleteBlobs(task, ids, options) {
        if (again === undefined) {
          put(dir, 'again.txt', 'the same bytes, once more');
          put(dir, 'new.txt', 'new');
          again = (await workspace.snapshot()).id;
        }
        return first.storage.deleteBlobs(task, ids, options);
      },
    };
    const engine = await open(racing);
    expect((await engine.clean({})).freed.snapshots).toBe(1);
    const look = await lookInto(first.storage, dir);
    await look.files(again!);
    look.close();
    await workspace.close();
  });

  test('a fork that is being made keeps its files when the checkpoint goes meanwhile', async () => {
    const { store, open, dir } = await groundOn(fresh);
    const first = await open();
    let target = '';
    const { outcome } = await first.start(
      defineTask('stops', async (task) => {
        await task.step('one', () => put(dir, 'a.txt', 'a'), { dangerous: 'file_change' });
        put(dir, 'theirs.txt', 'only this checkpoint has seen it');
        target = await task.checkpoint();
        rmSync(join(dir, 'theirs.txt'));
        await task.step('two', () => put(dir, 'a.txt', 'b'), { dangerous: 'file_change' });
        throw new Error('stop');
      }),
      undefined,
    );
    await outcome;
    await store.ageBlobs(72);
    const cleaner = await open();
    let cleaned = false;
    const racing: Storage = {
      ...first.storage,
      async commit(commit) {
        if (commit.append && !cleaned) {
          cleaned = true;
          const { removed } = await cleaner.clean({ policy: { newest_per_execution: 1 } });
          expect(removed.map(({ id }) => id)).toContain(target);
        }
        return first.storage.commit(commit);
      },
    };
    const engine = await open(racing);
    const fork = await engine.fork(target);
    expect(cleaned).toBe(true);
    const { snapshot } = (await engine.checkpoints.loadCheckpoint(fork.checkpoint))!;
    const workspace = await openWorkspace({ root: dir, storage: first.storage });
    expect(Buffer.from(await workspace.read(snapshot!, 'theirs.txt')).toString()).toContain('only this');
    await workspace.close();
  });

  test('a workspace whose last snapshot is gone scans everything again', async () => {
    const { store, open, dir } = await groundOn(fresh);
    const first = await open();
    const clock = manualClock(new Date());
    const workspace = await openWorkspace({ root: dir, storage: first.storage, clock });
    put(dir, 'kept.txt', 'kept');
    await workspace.snapshot();
    for (const key of await first.storage.list('workspaces')) await first.storage.delete('workspaces', key);
    await store.ageBlobs(72);
    expect((await first.clean({})).freed.blobs).toBeGreaterThan(0);
    clock.advance(HOUR);
    put(dir, 'new.txt', 'new');
    const { id, changes } = await workspace.snapshot();
    expect(changes.map(({ path }) => path)).toEqual(['new.txt']);
    const look = await lookInto(first.storage, dir);
    await look.files(id);
    look.close();
    await workspace.close();
  });

  test('what is renewed in time stays, although nothing names it', async () => {
    const { store, open, dir } = await groundOn(fresh);
    const engine = await open();
    const clock = manualClock(new Date());
    const workspace = await openWorkspace({ root: dir, storage: engine.storage, clock });
    put(dir, 'kept.txt', 'kept');
    const { id } = await workspace.snapshot();
    await store.ageBlobs(72);
    clock.advance(HOUR);
    expect((await workspace.snapshot()).id).toBe(id);
    for (const key of await engine.storage.list('workspaces')) await engine.storage.delete('workspaces', key);
    expect((await engine.clean({})).freed.blobs).toBe(0);
    const look = await lookInto(engine.storage, dir);
    await look.files(id);
    look.close();
    await workspace.close();
  });

  test('what somebody wrote during a restore, and what a record of "snapshots" names, stays', async () => {
    const { open, clock, dir } = await groundOn(fresh);
    const engine = await open();
    const { storage } = engine;
    const [displaced, loose] = await storage.putBlobs(null, [
      { kind: 'file', bytes: Buffer.from('a person wrote this') },
      { kind: 'file', bytes: Buffer.from('nobody needs this') },
    ]);
    await storage.save('displaced', 'r1-0', { path: 'a.txt', blob: displaced });
    const workspace = await openWorkspace({ root: dir, storage });
    put(dir, 'mine.txt', 'mine');
    const { id } = await workspace.snapshot();
    await storage.save('snapshots', 'mine', { snapshot: id });
    put(dir, 'mine.txt', 'not mine');
    await workspace.snapshot();
    await workspace.close();
    await cleanAfterGrace(engine, clock);
    expect(await storage.getBlob(null, displaced!)).not.toBeNull();
    expect(await storage.getBlob(null, loose!)).toBeNull();
    const look = await lookInto(storage, dir);
    await look.files(id);
    look.close();
  });

  test('nothing goes while a task cannot be read', async () => {
    const { store, open, clock, dir } = await groundOn(fresh);
    const first = await open();
    await edit(first, { dir, changes: [['a.txt', 'a']], end: 'complete' });
    const task = await edit(first, { dir, changes: [['b.txt', 'b']], end: 'pause' });
    await first.close();
    await store.damageEntry(task, 3);
    clock.advance(100 * HOUR);
    const engine = await open();
    const before = await sharedBlobs(engine.storage);
    await engine.clean({ policy: removeEnded });
    clock.advance(100 * HOUR);
    const { skipped, freed } = await engine.clean({ policy: removeEnded });
    expect(freed.snapshots).toBe(0);
    expect(skipped).toContainEqual({ task, why: expect.any(String) });
    expect(await sharedBlobs(engine.storage)).toEqual(before);
  });
});

onEachStore(
  (fresh) => {
    test('a machine that clean-up did not run on releases its own holds', async () => {
      const { store, open, dir } = await groundOn(fresh);
      const engine = await open();
      await edit(engine, { dir, changes: [['a.txt', 'a']], end: 'complete' });
      await engine.close();
      const clock = manualClock(new Date(Date.now() + 72 * HOUR));
      const tree = git(dir, 'rev-parse', 'HEAD^{tree}');
      const [hold] = holdsIn(dir);
      const unneeded = hold!.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
      git(dir, 'update-ref', unneeded, tree);
      const options = { tasks: [editor], workspace: true, clock, automatic_cleanup: true } as const;
      await store.open({ ...options, config: { ...store.config, cleanup: { on_start_if_missed: false } } });
      await expect.poll(() => holdsIn(dir)).toEqual([hold]);
    });
  },
  ['postgres'],
);
