/** Executions by hand are looked after like any other: checked, exported, imported, rolled back on trial. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  CheckpointManager,
  ExecutionRecovery,
  examineStore,
  exportTask,
  importTask,
  JsonStorage,
  openEngine,
} from '../../src/index.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const step = { name: 'last', run: (context: { n: number }) => ({ n: context.n + 1 }) };

test('a rollback on trial changes nothing', async () => {
  const storage = new JsonStorage('care', tempDir());
  const manager = new CheckpointManager(storage);
  for (const step_name of ['a', 'b'])
    await manager.createCheckpoint({ execution_id: 'e1', step_name, step_context: { n: 1 } });
  const recovery = new ExecutionRecovery(manager);
  expect(await recovery.rollbackToCheckpoint('ckpt-e1-1', { dry_run: true })).toMatchObject({
    success: true,
    done: false,
    checkpoints: ['ckpt-e1-2'],
  });
  expect(await manager.listCheckpoints('e1')).toHaveLength(2);
  await storage.close();
});

test('a store with one is sound, and it can be taken elsewhere', async () => {
  const dir = tempDir();
  const storage = new JsonStorage('care', dir);
  const manager = new CheckpointManager(storage);
  await manager.createCheckpoint({ execution_id: 'e1', step_name: 'a', step_context: { n: 1 } });
  const recovery = new ExecutionRecovery(manager, { project_dir: dir });
  expect(await recovery.resumeFromCheckpoint('ckpt-e1-1', [step])).toMatchObject({ output: { n: 2 } });
  const engine = await openEngine({ storage, project_dir: dir });
  expect(await engine.state('e1')).toMatchObject({ status: 'completed', task_name: 'e1' });
  expect(await Array.fromAsync(examineStore(engine))).toEqual([]);
  const file = join(dir, 'e1.vibe');
  await exportTask(engine, 'e1', file);
  const other = await openEngine({ storage: new JsonStorage('other', dir), project_dir: dir });
  const { task } = await importTask(other, file);
  expect((await other.history(task)).steps.map(({ name }) => name)).toEqual(['a', 'last']);
  expect(await Array.fromAsync(examineStore(other))).toEqual([]);
  await other.close();
  await other.storage.close();
  await engine.close();
  await storage.close();
});
