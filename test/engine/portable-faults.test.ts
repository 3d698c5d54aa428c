/** An import in which any one call to the disk fails: begun again it succeeds, and nobody ever finds half a task. */
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openEngine } from '../../src/engine/engine.ts';
import { exportTask, importTask } from '../../src/engine/portable/portable.ts';
import { VibeError } from '../../src/errors.ts';
import { setIoHook } from '../../src/system/io.ts';
import { unlessFull } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';
import { edit, editor, newRepository } from './file-world.ts';

const tempDir = tempDirs();
/** Each of them in full. */
const STEP = unlessFull(11, 1);
afterEach(() => setIoHook(undefined));

const quiet = { signals: false, automatic_cleanup: false, tasks: [editor] };
const open = (project_dir: string) =>
  openEngine({ project_dir, ...quiet, config: { persistence: { storage_type: 'json' } } });

test('whichever call fails, the next import has it all', async () => {
  const from = tempDir();
  newRepository(from, { 'a.txt': '0\n' });
  const source = await openEngine({ project_dir: from, ...quiet, workspace: true });
  const id = await edit(source, {
    dir: from,
    changes: [
      ['a.txt', '1\n'],
      ['b.txt', '2\n'],
    ],
    end: 'pause',
  });
  const file = join(tempDir(), 'x.vibe-task');
  await exportTask(source, id, file);
  const wanted = await source.history(id);
  const checkpoints = (await source.checkpoints.listCheckpoints(id)).map((one) => one.id);
  await source.close();

  let failures = 0;
  for (let nth = 1; ; nth += STEP) {
    const dir = tempDir();
    const engine = await open(dir);
    let left = nth;
    setIoHook(({ path }) => {
      if (path === file || --left > 0) return undefined;
      setIoHook(undefined);
      return { errno: 'EIO' };
    });
    const failed = await importTask(engine, file).then(
      () => null,
      (error: unknown) => error,
    );
    const reached = left <= 0;
    setIoHook(undefined);
    await engine.close().catch(() => {});
    if (failed !== null) {
      failures++;
      expect(failed).toBeInstanceOf(VibeError);
    }
    const again = await open(dir);
    const there = (await again.tasks()).map(({ task_id }) => task_id);
    if (there.length === 0) await importTask(again, file);
    else await expect(importTask(again, file)).rejects.toMatchObject({ code: 'STALE_WRITE' });
    expect(await again.history(id)).toEqual(wanted);
    expect((await again.checkpoints.listCheckpoints(id)).map((one) => one.id)).toEqual(checkpoints);
    for await (const problem of again.storage.verify()) expect(problem).toBeNull();
    await again.close();
    if (!reached) break;
  }
  expect(failures).toBeGreaterThan(20 / STEP);
});
