import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ContextEntry } from '../../src/checkpoint/context/trim.ts';
import {
  CheckpointManager,
  type CheckpointManagerOptions,
  type DamagedCheckpoint,
} from '../../src/checkpoint/manager.ts';
import { strictSchema } from '../../src/config/schema.ts';
import type { Position, Storage } from '../../src/storage/contract.ts';
import { createStorageFromConfig } from '../../src/storage/opening/factory.ts';
import { checkpointKey } from '../../src/task/keys.ts';
import { unlessFull } from '../support/full.ts';
import { manualClock } from '../support/manual-clock.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { tempDirs } from '../support/temp.ts';
import { checkpoint } from './samples.ts';

const START_TIME = new Date('2026-11-20T12:00:00.000Z');
const dirs = tempDirs();

describe.each(unlessFull(['json'], ['json', 'sqlite', 'postgres']))(
  'CheckpointManager on %s',
  (storage_type) => {
    let database: TestDatabase | undefined;
    let storage: Storage;
    const clock = manualClock(START_TIME);

    beforeEach(async () => {
      if (storage_type === 'postgres') database = await freshDatabase();
      const persistence = { storage_type, url: database?.url };
      storage = await createStorageFromConfig({ persistence }, { project_dir: dirs(), env: {} });
      clock.set(START_TIME);
    });
    afterEach(async () => {
      await storage.close();
      await database?.drop();
    });

    /** The entries of these tests' journals are context as it is. */
    async function* journal(task: string, upTo: Position): AsyncGenerator<ContextEntry> {
      if (upTo.seq === 0) return;
      for await (const { data } of storage.read(task, { to: upTo.seq })) yield data as ContextEntry;
    }
    const managing = (options: CheckpointManagerOptions = {}) =>
      new CheckpointManager(storage, { clock, journal, ...options });
    const append = async (task: string, ...entries: ContextEntry[]) => {
      await storage.commit({ task, append: { after: await storage.position(task), entries } });
    };
    const say = (content: string): ContextEntry => ({ kind: 'message', value: { role: 'user', content } });
    /** Writes something else where a checkpoint was. */
    const damage = async (task: string, sequence: number, change: (stored: object) => unknown) => {
      const keys = await storage.list('tasks');
      const key = keys.find(
        (one) => one.startsWith(`${task}/checkpoints/`) && one.endsWith(`-00000${sequence}`),
      )!;
      await storage.save('tasks', key, change((await storage.load('tasks', key)) as object));
    };

    it('makes one with an id and the data given, and loads it', async () => {
      const manager = managing({ working_dir: '/the/project' });
      const made = await manager.createCheckpoint({
        execution_id: 'exec-1',
        step_name: 'fetch',
        step_state: { page: 3 },
        step_context: { url: 'x' },
        step_variables: { when: new Date(0) },
        metadata: { by: 'test' },
      });
      expect(made).toMatchObject({
        id: 'ckpt-exec-1-1',
        task_id: 'exec-1',
        execution_id: 'exec-1',
        sequence_number: 1,
        created_at: START_TIME.toISOString(),
        step_name: 'fetch',
        step_index: 0,
        step_status: 'success',
        step_state: { page: 3 },
        step_variables: { when: new Date(0) },
        recovery_info: { resume_point: 'fetch', working_dir: '/the/project' },
        context: { messages: [], tool_outputs: [], decisions: [] },
      });
      expect(await manager.loadCheckpoint(made.id)).toEqual(made);
      expect(await storage.load('tasks', checkpointKey('exec-1', made.created_at, 1))).not.toBeNull();
    });

    it('answers null for one that is not there, and refuses what is no id', async () => {
      expect(await managing().loadCheckpoint('ckpt-nobody-1')).toBeNull();
      await managing().createCheckpoint({ execution_id: 'a' });
      expect(await managing().loadCheckpoint('ckpt-a-2')).toBeNull();
      await expect(managing().loadCheckpoint('a/../b')).rejects.toMatchObject({ code: 'INVALID_ID' });
    });

    it('lists those of an execution, ordered by step', async () => {
      const manager = managing();
      await manager.createCheckpoint({ execution_id: 'a', step_name: 'third', step_index: 2 });
      await manager.createCheckpoint({ execution_id: 'b', step_name: 'other' });
      clock.advance(-60_000);
      await manager.createCheckpoint({ execution_id: 'a', step_name: 'first', step_index: 0 });
      await manager.createCheckpoint({ execution_id: 'a', step_name: 'second' });
      const listed = await manager.listCheckpoints('a');
      expect(listed.map(({ step_name, sequence_number }) => [step_name, sequence_number])).toEqual([
        ['first', 2],
        ['second', 3],
        ['third', 1],
      ]);
      expect(await manager.listCheckpoints('nobody')).toEqual([]);
    });

    it('finds the last one that succeeded', async () => {
      const manager = managing();
      await manager.createCheckpoint({ execution_id: 'a', step_name: 'one' });
      await manager.createCheckpoint({ execution_id: 'a', step_name: 'two', step_state: 'x'.repeat(30_000) });
      await manager.createCheckpoint({
        execution_id: 'a',
        step_name: 'three',
        step_status: 'failed',
        error: new Error('no'),
      });
      const last = await manager.getLastSuccessfulCheckpoint('a');
      expect(last).toMatchObject({ step_name: 'two', step_state: 'x'.repeat(30_000) });
      expect(await manager.getLastSuccessfulCheckpoint('nobody')).toBeNull();
    });

    it('reads the context from the journal up to where the checkpoint stands', async () => {
      const manager = managing();
      await append('a', say('one'), { kind: 'decision', value: { what: 'd' } });
      const first = await manager.createCheckpoint({ execution_id: 'a' });
      await append('a', say('two'), { kind: 'tool', value: { tool: 't', output: 1, status: 'success' } });
      const second = await manager.createCheckpoint({ execution_id: 'a' });
      expect(first.context.messages).toHaveLength(1);
      expect((await manager.loadCheckpoint(second.id))!.context).toEqual({
        messages: [say('one').value, say('two').value],
        tool_outputs: [{ tool: 't', output: 1, status: 'success' }],
        decisions: [{ what: 'd' }],
      });
      const [, listed] = await manager.listCheckpoints('a');
      expect(listed!.context).toMatchObject({ messages: 2, tool_outputs: 1, decisions: 1 });
      expect((await manager.loadCheckpoint(second.id, { context: 'none' }))!.context.messages).toEqual([]);
    });

    it('hands the context over trimmed when asked', async () => {
      const defaults = strictSchema.parse({});
      const config = { ...defaults, checkpoints: { ...defaults.checkpoints, keep_messages: 2 } };
      const manager = managing({ config });
      await append('a', say('in src/old.ts'), say('newer'), say('newest'));
      const { id } = await manager.createCheckpoint({ execution_id: 'a' });
      const { messages } = (await manager.loadCheckpoint(id, { context: 'trimmed' }))!.context;
      expect(messages.map(({ role }) => role)).toEqual(['summary', 'user', 'user']);
      expect(messages[0]!.content).toContain('src/old.ts');
      expect((await manager.loadCheckpoint(id))!.context.messages).toHaveLength(3);
    });

    it.each<[string, object]>([
      ['state', { state: { rows: 3 } }],
      ['state.progress', { state: { progress: 101 } }],
      ['variables', { variables: { rows: 3 } }],
    ])('refuses a %s that could not be read again, and stores nothing', async (member, given) => {
      const manager = managing();
      await expect(manager.createCheckpoint({ execution_id: 'a', ...given })).rejects.toMatchObject({
        code: 'USAGE',
        data: { member },
      });
      expect(await storage.list('tasks')).toEqual([]);
    });

    it('leaves large values to blobs and brings them back', async () => {
      const manager = managing();
      const step_state = { text: 'y'.repeat(200_000) };
      const { id } = await manager.createCheckpoint({ execution_id: 'a', step_state });
      expect((await manager.loadCheckpoint(id))!.step_state).toEqual(step_state);
      const [listed] = await manager.listCheckpoints('a');
      expect(listed!.step_state).toMatchObject({
        $blob: expect.stringMatching(/^blob:\/\/steps\//),
        encoding: 'json+gzip',
      });
    });

    it('keeps the limit of checkpoints with every one it adds', async () => {
      const manager = managing();
      for (let made = 1; made <= 23; made += 1) await manager.createCheckpoint({ execution_id: 'a' });
      const numbers = (await manager.listCheckpoints('a')).map(({ sequence_number }) => sequence_number);
      expect(numbers).toEqual([1, 5, 10, 15, 20, 21, 22, 23]);
    });

    it('gives each its own number when several are made at once', async () => {
      const manager = managing();
      const made = await Promise.all(
        Array.from({ length: 8 }, () => manager.createCheckpoint({ execution_id: 'a' })),
      );
      expect(made.map(({ sequence_number }) => sequence_number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    });

    it('keeps out of a task that another owns, and works under its fence', async () => {
      const claim = await storage.claim('a');
      await expect(managing().createCheckpoint({ execution_id: 'a' })).rejects.toMatchObject({
        code: 'TASK_OWNED',
      });
      const made = await managing().createCheckpoint({ execution_id: 'a' }, { fence: claim.fence });
      expect(made.sequence_number).toBe(1);
      await claim.release();
      expect((await managing().createCheckpoint({ execution_id: 'a' })).sequence_number).toBe(2);
    });

    it('lists what is whole beside what is damaged, and says what is wrong', async () => {
      const manager = managing();
      for (let made = 1; made <= 4; made += 1)
        await manager.createCheckpoint({ execution_id: 'a', step_name: `s${made}` });
      await damage('a', 2, (stored) => ({ ...stored, step_name: 'forged' }));
      await damage('a', 3, () => 'nonsense');
      await damage('a', 4, () => checkpoint({ task_id: 'b', sequence_number: 9 }));
      const { checkpoints, damaged } = await manager.surveyCheckpoints('a');
      expect(checkpoints.map(({ step_name }) => step_name)).toEqual(['s1']);
      expect(damaged).toMatchObject([
        { sequence: 2, problem: expect.stringContaining('checksum') },
        { sequence: 3 },
        { sequence: 4, problem: expect.stringContaining('ckpt-b-9') },
      ]);
      await expect(manager.loadCheckpoint('ckpt-a-2')).rejects.toMatchObject({ code: 'CORRUPT' });
      const passed: DamagedCheckpoint[] = [];
      const last = await manager.getLastSuccessfulCheckpoint('a', { passed: (one) => passed.push(one) });
      expect(last!.step_name).toBe('s1');
      expect(passed.map(({ sequence }) => sequence)).toEqual([2, 3, 4]);
      expect((await manager.createCheckpoint({ execution_id: 'a' })).sequence_number).toBe(5);
    });

    it('passes over one whose blob is gone', async () => {
      const manager = managing();
      await manager.createCheckpoint({ execution_id: 'a', step_name: 'good' });
      const { id } = await manager.createCheckpoint({ execution_id: 'a', step_state: 'z'.repeat(50_000) });
      for await (const blob of storage.listBlobs('a')) await storage.deleteBlobs('a', [blob.id]);
      await expect(manager.loadCheckpoint(id)).rejects.toMatchObject({ code: 'CORRUPT' });
      const passed: DamagedCheckpoint[] = [];
      const last = await manager.getLastSuccessfulCheckpoint('a', { passed: (one) => passed.push(one) });
      expect(last!.step_name).toBe('good');
      expect(passed).toMatchObject([{ sequence: 2, problem: expect.stringContaining('missing') }]);
    });

    it('passes over one that stands beyond the end of the journal', async () => {
      await append('a', say('one'));
      const good = await managing().createCheckpoint({ execution_id: 'a' });
      const beyond = checkpoint({
        task_id: 'a',
        sequence_number: 2,
        step_index: 1,
        journal: { seq: 7, hash: '0'.repeat(64) },
      });
      await storage.save('tasks', checkpointKey('a', beyond.created_at, 2), beyond);
      expect((await managing().getLastSuccessfulCheckpoint('a'))!.id).toBe(good.id);
      await expect(managing().loadCheckpoint(beyond.id)).rejects.toThrow(
        /entry 7 of a journal that ends at entry 1/,
      );
    });

    it('validates one by its id', async () => {
      const world = {
        hasBlob: async () => true,
        directoryExists: () => true,
        toolVersion: async () => null,
        isSet: () => true,
      };
      const manager = managing();
      const { id } = await manager.createCheckpoint({ execution_id: 'a' });
      expect(await manager.validateCheckpoint(id, world)).toMatchObject({ valid: true });
      await damage('a', 1, (stored) => ({ ...stored, step_index: 5 }));
      expect(await manager.validateCheckpoint(id, world)).toMatchObject({
        valid: false,
        integrity: { checksumMatch: false },
      });
      expect(await manager.validateCheckpoint('ckpt-a-9', world)).toBeNull();
    });
  },
);
