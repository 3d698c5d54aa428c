/** Recovery over a checkpoint manager, and the history of it, as the documents write them. */
import { afterEach, beforeEach, describe, expect, expectTypeOf, test } from 'vitest';
import {
  type Checkpoint,
  CheckpointManager,
  defineTask,
  type ExecutionHistory,
  ExecutionRecovery,
  ExecutionTracker,
  JsonStorage,
  openEngine,
  PersistenceManager,
  type PipelineStep,
  pipeline,
} from '../../src/index.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
let persistence: PersistenceManager;
let manager: CheckpointManager;
let recovery: ExecutionRecovery;
let tracker: ExecutionTracker;
let ran: string[];

beforeEach(() => {
  const dir = tempDir();
  persistence = new PersistenceManager(new JsonStorage('documents', dir));
  manager = new CheckpointManager(persistence);
  recovery = new ExecutionRecovery(manager, { project_dir: dir });
  tracker = new ExecutionTracker(persistence);
  ran = [];
});
afterEach(() => persistence.close());

const ID = 'execution-001';
/** Kept as a blob. */
const LARGE = { length: 12_000, text: 'x'.repeat(12_000) };
const lengthOf = (value: unknown) => (value as typeof LARGE | undefined)?.length;

/** Three steps that something else ran, with a checkpoint after each; the fourth failed. */
async function runByHand(how: 'alone' | 'tracked before' | 'tracked after'): Promise<void> {
  for (const [i, step_name] of ['fetch', 'process', 'call'].entries()) {
    if (how === 'tracked before') await tracker.trackStep(ID, { name: step_name });
    await manager.createCheckpoint({
      execution_id: ID,
      step_name,
      step_state: { at: i },
      step_context: { done: i + 1 },
      step_variables: { count: i, [`only-${step_name}`]: LARGE },
    });
    if (how === 'tracked after') await tracker.trackStep(ID, { name: step_name });
  }
  if (how !== 'alone') await tracker.trackError(ID, new Error('bad answer'), { name: 'verify' });
}

interface Context {
  readonly done: number;
}

function step(name: string, fail = 0): PipelineStep<Context> {
  let left = fail;
  return {
    name,
    run: async (context, task) => {
      ran.push(`${name} ${context.done} ${await task.get('count')}`);
      if (left-- > 0) throw new Error(`${name} failed`);
      return { done: context.done + 1 };
    },
  };
}

const names = (steps: readonly { name: string }[] | undefined) => steps?.map(({ name }) => name);

describe.each(['alone', 'tracked before', 'tracked after'] as const)(
  'checkpoints made by hand, %s',
  (how) => {
    beforeEach(() => runByHand(how));

    test('the remaining steps run after the checkpoint, with what it holds', async () => {
      const seen: unknown[] = [];
      const look: PipelineStep<Context> = {
        name: 'look',
        run: async (context, task, restored) => {
          seen.push(restored?.step_name, restored?.step_index, restored?.state, restored?.context);
          seen.push(lengthOf(await task.get('only-process')), lengthOf(await task.get('only-call')));
          expect(restored?.variables).toEqual({ count: 1, 'only-process': LARGE });
          return context;
        },
      };
      const result = await recovery.resumeFromCheckpoint(`ckpt-${ID}-2`, [
        look,
        step('call'),
        step('verify'),
      ]);
      expect(result).toMatchObject({ success: true, status: 'completed', output: { done: 4 } });
      expect(ran).toEqual(['call 2 1', 'verify 3 1']);
      expect(seen).toEqual(['process', 1, { at: 1 }, { done: 2 }, 12_000, undefined]);
      const history = (await tracker.getExecutionHistory(ID))!;
      expect(names(history.steps)).toEqual(['fetch', 'process', 'look', 'call', 'verify']);
      expect(history.steps.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
      expect(history).toMatchObject({ status: 'success', recovery_attempts: 1 });
    });

    test('the newest is resumed as well, again and again', async () => {
      const failing = await recovery.resumeFromCheckpoint(`ckpt-${ID}-3`, [step('verify', 1)]);
      expect(failing).toMatchObject({ success: false, reason: 'verify failed' });
      const result = await recovery.resumeFromCheckpoint(`ckpt-${ID}-3`, [step('verify')]);
      expect(result).toMatchObject({ success: true, output: { done: 4 } });
      expect(ran).toEqual(['verify 3 2', 'verify 3 2']);
      expect(names((await tracker.getExecutionHistory(ID))!.steps)).toEqual([
        'fetch',
        'process',
        'call',
        'verify',
      ]);
    });

    test('a step is tried again from the last success before it, as often as asked', async () => {
      const steps = [step('fetch'), step('process'), step('call'), step('verify', 2)];
      const result = await recovery.retryFromStep(ID, 'call', { steps, attempts: 3, first_delay_ms: 1 });
      expect(result).toMatchObject({ success: true, output: { done: 4 } });
      expect(ran).toEqual(['call 2 1', 'verify 3 1', 'verify 3 1', 'verify 3 1']);
    });

    test('a step that has no checkpoint is tried again from the newest success', async () => {
      const options = { steps: [step('verify', 5)], attempts: 2, first_delay_ms: 1 };
      const result = await recovery.retryFromStep(ID, 'verify', options);
      expect(result).toMatchObject({ success: false, reason: 'verify failed' });
      expect(ran).toEqual(['verify 3 2', 'verify 3 2']);
      const by_index = await recovery.retryFromStep(ID, 1, { steps: [step('process')] });
      expect(by_index).toMatchObject({ success: true, output: { done: 2 } });
    });

    test('a rollback removes what came after, in lists and history', async () => {
      const result = await recovery.rollbackToCheckpoint(`ckpt-${ID}-1`);
      expect(result).toMatchObject({ success: true, checkpoints: [`ckpt-${ID}-2`, `ckpt-${ID}-3`] });
      expect((await manager.listCheckpoints(ID)).map(({ step_name }) => step_name)).toEqual(['fetch']);
      const history = (await tracker.getExecutionHistory(ID))!;
      expect(names(history.steps)).toEqual(['fetch']);
      expect(history.last_checkpoint?.id).toBe(`ckpt-${ID}-1`);
      const made = await manager.createCheckpoint({
        execution_id: ID,
        step_name: 'process',
        step_context: { done: 9 },
      });
      expect(made.step_index).toBe(1);
      const resumed = await recovery.resumeFromCheckpoint(made.id, [step('call')]);
      expect(resumed).toMatchObject({ success: true, output: { done: 10 } });
    });

    test('the history has its checkpoints whole', async () => {
      const history = (await tracker.getExecutionHistory(ID))!;
      expectTypeOf(history).toEqualTypeOf<ExecutionHistory>();
      expectTypeOf(history.checkpoints).toEqualTypeOf<readonly Checkpoint[]>();
      expect(history.checkpoints.map(({ step_context }) => step_context)).toEqual([
        { done: 1 },
        { done: 2 },
        { done: 3 },
      ]);
      expect(history.last_checkpoint).toEqual(await manager.loadCheckpoint(`ckpt-${ID}-3`));
      expect(names(history.steps)).toEqual(
        how === 'alone' ? ['fetch', 'process', 'call'] : ['fetch', 'process', 'call', 'verify'],
      );
    });
  },
);

test('what is not there, and what fails inside, is a result', async () => {
  const results = [
    await recovery.resumeFromCheckpoint(`ckpt-${ID}-1`, [step('verify')]),
    await recovery.resumeFromCheckpoint('no checkpoint', [step('verify')]),
    await recovery.rollbackToCheckpoint(`ckpt-${ID}-1`),
    await recovery.retryFromStep(ID, 'verify', { steps: [step('verify')] }),
    await recovery.retryFromStep(ID, 'verify'),
  ];
  for (const result of results) {
    expect(result).toMatchObject({ success: false, reason: expect.stringMatching(/There is no|No step/) });
  }
  expect(await tracker.getExecutionHistory(ID)).toBe(null);
  await persistence.storage.close();
  expect(await recovery.rollbackToCheckpoint(`ckpt-${ID}-1`)).toMatchObject({
    success: false,
    error: { code: 'STORE_CLOSED' },
  });
});

test('a task that an engine ran is recovered with its own code, and its history is whole', async () => {
  const work = defineTask('work', pipeline([step('fetch'), step('process', 1), step('verify')]));
  const engine = await openEngine({ storage: persistence.storage, project_dir: tempDir() });
  const run = await engine.start(work, { done: 0 });
  await expect(run.result).rejects.toThrow('process failed');
  await engine.close();
  const own = new ExecutionRecovery(manager, { tasks: [work] });
  const last = (await manager.getLastSuccessfulCheckpoint(run.id))!;
  expect(await own.resumeFromCheckpoint(last.id)).toMatchObject({ success: true, output: { done: 3 } });
  const history = (await tracker.getExecutionHistory(run.id))!;
  expect(names(history.steps)).toEqual(['fetch', 'process', 'verify']);
  expect(history.checkpoints.at(-1)).toEqual(history.last_checkpoint);
  expect(history.last_checkpoint?.context.messages).toEqual([]);
});

test('a checkpoint made by hand of a task that an engine ran', async () => {
  const work = defineTask('work', pipeline([step('fetch'), step('process', 1)]));
  const engine = await openEngine({ storage: persistence.storage, project_dir: tempDir() });
  const { id, result } = await engine.start(work, { done: 0 });
  await expect(result).rejects.toThrow('process failed');
  const made = await engine.checkpoints.createCheckpoint({
    execution_id: id,
    step_name: 'by hand',
    step_context: { done: 7 },
    step_variables: { count: 5 },
  });
  ran = [];
  const resumed = await engine.recovery.resumeFromCheckpoint(made.id, [step('process')]);
  expect(resumed).toMatchObject({ success: true, output: { done: 8 } });
  expect(ran).toEqual(['process 7 5']);
  await engine.close();
});

test('the remaining steps of a task that an engine ran get what the last one gave', async () => {
  const work = defineTask('work', pipeline([step('fetch'), step('process', 1)]));
  const engine = await openEngine({ storage: persistence.storage, project_dir: tempDir() });
  const { id, result } = await engine.start(work, { done: 0 });
  await expect(result).rejects.toThrow('process failed');
  await engine.close();
  const last = (await manager.getLastSuccessfulCheckpoint(id))!;
  const resumed = await recovery.resumeFromCheckpoint(last.id, [step('process')]);
  expect(resumed).toMatchObject({ success: true, output: { done: 2 } });
});
