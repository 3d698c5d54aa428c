/** Checkpoints by hand, as the documents write them. */
import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Checkpoint,
  CheckpointManager,
  defineTask,
  JsonStorage,
  openEngine,
  PersistenceManager,
  type Storage,
  validateCheckpoint,
} from '../../src/index.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
let dir: string;
let storage: Storage;

beforeEach(() => {
  dir = tempDir();
  storage = new JsonStorage('documents', dir);
});
afterEach(() => storage.close());

const SOUND = {
  structural: { hasRequiredFields: true, schemaValid: true },
  integrity: { checksumMatch: true, blobsAccessible: true, contextAvailable: true },
  environmental: { workingDirectoryExists: true, filesUnchanged: true, dependenciesAvailable: true },
  valid: true,
  problems: [],
};

describe.each([
  ['a persistence manager', () => new PersistenceManager(storage)],
  ['a store', () => storage],
])('new CheckpointManager over %s', (_, store) => {
  test('creates, loads, lists and finds the last success', async () => {
    const manager = new CheckpointManager(store());
    const first = await manager.createCheckpoint({
      execution_id: 'execution-001',
      step_name: 'fetch',
      step_state: { rows: 3 },
      step_context: { url: 'a' },
      step_variables: { x: 1, large: 'x'.repeat(20_000) },
    });
    expect(first).toMatchObject({ id: 'ckpt-execution-001-1', step_index: 0, step_status: 'success' });
    await manager.createCheckpoint({
      execution_id: 'execution-001',
      step_name: 'process',
      step_status: 'failed',
    });
    const loaded = await manager.loadCheckpoint(first.id);
    expect(loaded).toMatchObject({ step_state: { rows: 3 }, step_context: { url: 'a' } });
    expect(loaded!.step_variables).toEqual({ x: 1, large: 'x'.repeat(20_000) });
    const listed = await manager.listCheckpoints('execution-001');
    expect(listed.map(({ step_index }) => step_index)).toEqual([0, 1]);
    expect((await manager.getLastSuccessfulCheckpoint('execution-001'))?.id).toBe(first.id);
    expect(await manager.loadCheckpoint('ckpt-execution-001-9')).toBe(null);
  });

  test('validates a checkpoint, by itself or by its id', async () => {
    const manager = new CheckpointManager(store());
    const { id } = await manager.createCheckpoint({
      execution_id: 'execution-001',
      step_variables: { large: 'x'.repeat(20_000) },
    });
    const loaded = (await manager.loadCheckpoint(id))!;
    expect(await manager.validateCheckpoint(id)).toEqual(SOUND);
    expect(await manager.validateCheckpoint(loaded)).toEqual(SOUND);
    expect(await manager.validateCheckpoint(structuredClone(loaded))).toEqual(SOUND);
    expect(await validateCheckpoint(loaded)).toEqual(SOUND);
    const [listed] = await manager.listCheckpoints('execution-001');
    expect(await validateCheckpoint(listed!)).toEqual(SOUND);
    const changed = { ...loaded, step_name: 'other' };
    expect(await manager.validateCheckpoint(changed)).toMatchObject({
      structural: { schemaValid: true },
      integrity: { checksumMatch: false },
      valid: false,
    });
  });

  test('says what is wrong with one that is in no store, or is none', async () => {
    const manager = new CheckpointManager(store());
    const { id } = await manager.createCheckpoint({ execution_id: 'execution-001' });
    const loaded = (await manager.loadCheckpoint(id))!;
    const copy = structuredClone(loaded);
    expect(await validateCheckpoint(copy)).toMatchObject({
      structural: { schemaValid: true },
      integrity: { checksumMatch: false },
      problems: [expect.stringContaining('not loaded here')],
    });
    await storage.removeTask('execution-001');
    expect(await validateCheckpoint(loaded)).toMatchObject({
      integrity: { checksumMatch: false },
      problems: [expect.stringContaining('not in this store')],
    });
    expect(await validateCheckpoint({} as Checkpoint)).toMatchObject({
      structural: { hasRequiredFields: false, schemaValid: false },
    });
  });

  test('holds the files it names against what is there, by content', async () => {
    const manager = new CheckpointManager(store());
    writeFileSync(join(dir, 'a.txt'), 'one');
    const file = { path: 'a.txt', hash_before: null, hash_after: hash('sha256', 'one'), by: 'step' } as const;
    const { id } = await manager.createCheckpoint({
      execution_id: 'execution-001',
      file_changes: { modified: [file], deleted: ['b.txt'] },
      recovery_info: { working_dir: dir, env_requirements: { 'env:VE_NOT_SET': 'set' } },
    });
    expect((await manager.validateCheckpoint(id))?.environmental).toEqual({
      workingDirectoryExists: true,
      filesUnchanged: true,
      dependenciesAvailable: false,
    });
    writeFileSync(join(dir, 'a.txt'), 'two');
    expect((await manager.validateCheckpoint(id))?.problems).toContain('Changed since it was made: a.txt.');
    writeFileSync(join(dir, 'a.txt'), 'one');
    writeFileSync(join(dir, 'b.txt'), 'back');
    expect((await manager.validateCheckpoint(id))?.problems).toContain('Changed since it was made: b.txt.');
  });
});

test('the checkpoints of a task that an engine ran, with their contexts', async () => {
  const engine = await openEngine({ storage, project_dir: dir });
  const talk = defineTask('talk', async (task) => {
    await task.message('user', 'hello');
    await task.step('answer', () => 'hi');
  });
  const run = await engine.start(talk, undefined);
  await run.result;
  const manager = new CheckpointManager(new PersistenceManager(storage));
  const last = (await manager.getLastSuccessfulCheckpoint(run.id))!;
  expect(last.context.messages).toMatchObject([{ role: 'user', content: 'hello' }]);
  expect(await validateCheckpoint(last)).toEqual(SOUND);
  for (const context of ['trimmed', 'none'] as const) {
    const loaded = (await manager.loadCheckpoint(last.id, { context }))!;
    expect(await manager.validateCheckpoint(structuredClone(loaded))).toEqual(SOUND);
  }
  const other = { ...last, context: { ...last.context, messages: [{ role: 'user', content: 'bye' }] } };
  expect((await manager.validateCheckpoint(other as Checkpoint)).integrity.checksumMatch).toBe(false);
  await engine.close();
});
