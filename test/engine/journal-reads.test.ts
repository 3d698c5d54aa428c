/** A task's own journal is read once to resume it, and once to roll it back. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { type Engine, type EngineOptions, openEngine } from '../../src/engine/engine.ts';
import type { JournalRange, Storage } from '../../src/storage/contract.ts';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { tempDirs } from '../support/temp.ts';
import { untilStatus } from './letters.ts';

const tempDir = tempDirs();

const editing = defineTask('editing', async (task) => {
  for (const name of ['a', 'b', 'c']) await task.files.write(`${name}.txt`, `${name}\n`);
  await task.waitFor('user_input', { prompt: 'Go on?' });
});

test('a resume reads it once, also where others changed a file meanwhile', async () => {
  const at = await paused();
  writeFileSync(join(at.dir, 'b.txt'), 'theirs\n');
  const { engine, reads } = await at.open();
  const seen = new Promise<number>((resolve) => engine.on('recovery', () => resolve(reads())));
  const { outcome } = await engine.resume(at.id, { on_modified: 'use_current' });
  expect(await seen).toBe(1);
  await engine.pause(at.id);
  await outcome;
  await engine.close();
});

test('a rollback reads it once', async () => {
  const at = await paused();
  const { engine, reads } = await at.open();
  const [, first] = await engine.checkpoints.listCheckpoints(at.id);
  const before = reads();
  const seen = new Promise<number>((resolve) => engine.on('rollback', () => resolve(reads())));
  const { files } = await engine.rollback(first!.id);
  expect(files).not.toEqual([]);
  expect((await seen) - before).toBe(1);
  await engine.close();
});

/** A task that was paused after it wrote three files, and how to open an engine that counts who reads its journal. */
async function paused() {
  const dir = tempDir();
  const open = async (): Promise<{ engine: Engine; reads: () => number }> => {
    const storage = await openJsonStorage({ root: join(dir, '.vibe-engine') });
    let count = 0;
    const counting =
      <T>(read: (task: string, query?: JournalRange) => T) =>
      (task: string, query: JournalRange = {}): T => {
        if (query.from === undefined || query.from !== query.to) count++;
        return read(task, query);
      };
    const counted: Storage = {
      ...storage,
      read: counting(storage.read),
      readParts: counting(storage.readParts),
    };
    const options: EngineOptions = { project_dir: dir, storage: counted, tasks: [editing], workspace: true };
    const engine = await openEngine({ ...options, signals: false, automatic_cleanup: false });
    const close = async (): Promise<void> => {
      await engine.close();
      await storage.close();
    };
    return { engine: { ...engine, close }, reads: () => count };
  };
  const { engine } = await open();
  const { id, outcome } = await engine.start(editing, undefined);
  await untilStatus(engine, id, 'waiting');
  await engine.pause(id);
  await outcome;
  await engine.close();
  return { dir, id, open };
}
