/** Stores of earlier versions, in which every checkpoint is a record: they are read as they are, and tasks resume in them. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyStorage } from '../../src/engine/moving/copy.ts';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { tempDirs } from '../support/temp.ts';
import { checkpointsOf, finish, letters } from './letters.ts';
import { onEveryStore } from './stores.ts';

/** A task that was paused at its question after six steps, with 16 checkpoints. */
const STORE = join(import.meta.dirname, 'stores', 'with-records');
const TASK = 'letters-of-old';
const tempDir = tempDirs();

onEveryStore((fresh) => {
  const older = async (log: string[] = []) => {
    const root = join(tempDir(), 'store');
    cpSync(STORE, root, { recursive: true });
    const from = await openJsonStorage({ root });
    const engine = await (await fresh()).open({ tasks: [letters(log)] });
    await copyStorage(from, engine.storage);
    await from.close();
    return engine;
  };

  test('every checkpoint is listed, loads with its context, and is valid', async () => {
    const engine = await older();
    const listed = await engine.checkpoints.listCheckpoints(TASK);
    expect(listed.map(({ sequence_number }) => sequence_number)).toEqual(
      Array.from({ length: 16 }, (_, at) => at + 1),
    );
    const seventh = await engine.checkpoints.loadCheckpoint(`ckpt-${TASK}-7`);
    expect(seventh).toMatchObject({ trigger: 'after_step', step_name: 'c', step_variables: { done: 'ab' } });
    expect(seventh!.context.messages).toHaveLength(3);
    const validation = await engine.checkpoints.validateCheckpoint(`ckpt-${TASK}-16`);
    expect(validation?.integrity).toMatchObject({ checksumMatch: true, blobsAccessible: true });
  });

  test('the task resumes: new checkpoints are marks after the records', async () => {
    const log: string[] = [];
    const engine = await older(log);
    expect(await finish(engine, TASK)).toBe('abcdef!');
    expect(log).toEqual([]);
    const listed = await checkpointsOf(engine, TASK);
    expect(Number(listed.at(-1)!.split('-').at(-1))).toBeGreaterThan(16);
    const last = await engine.checkpoints.loadCheckpoint(listed.at(-1)!);
    expect(last).toMatchObject({ trigger: 'end', state: { status: 'completed' } });
  });

  test('it is rolled back to a record, redone, and forked from one', async () => {
    const log: string[] = [];
    const engine = await older(log);
    const all = await checkpointsOf(engine, TASK);
    await engine.rollback(`ckpt-${TASK}-7`);
    expect(await checkpointsOf(engine, TASK)).toEqual(all.slice(0, 7));
    await engine.redo(TASK);
    expect(await checkpointsOf(engine, TASK)).toEqual(all);
    await engine.rollback(`ckpt-${TASK}-7`);
    expect(await finish(engine, TASK)).toBe('abcdef!');
    expect(log).toEqual(['d', 'e', 'f']);
    const { id } = await engine.fork(`ckpt-${TASK}-5`);
    log.length = 0;
    expect(await finish(engine, id)).toBe('abcdef!');
    expect(log).toEqual(['c', 'd', 'e', 'f']);
  });
});
