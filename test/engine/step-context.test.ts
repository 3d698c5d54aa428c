/** What checkpoints and states say of the step at work: its name, its context, and how often it was tried. */
import { expect, test } from 'vitest';
import { defineTask, pipeline, type TaskDefinition } from '../../src/engine/api/definition.ts';
import type { AccumulatedContext } from '../../src/engine/task/context-counts.ts';
import { checkpointsOf } from './letters.ts';
import { latch, reach } from './setup.ts';
import { onEachStore } from './stores.ts';

onEachStore(
  (fresh) => {
    test('a checkpoint before a step names that step', async () => {
      const engine = await (await fresh()).open();
      const flow = defineTask('flow', async (task) => {
        await task.step('process', () => 'done');
        await task.step('call api', () => 'called', { dangerous: true });
      });
      const { id, result } = await engine.start(flow, undefined);
      await result;
      const checkpoints = await engine.checkpoints.listCheckpoints(id);
      const before = checkpoints.find(({ trigger }) => trigger === 'before_external_api')!;
      expect(before).toMatchObject({ step_name: 'call api', step_status: 'pending', step_index: 1 });
      expect(before.recovery_info.resume_point).toBe('/call api#1');
      const after = checkpoints.find(({ step_name, step_status }) => step_name === 'process' && step_status);
      expect(after).toMatchObject({ step_status: 'success', step_index: 0 });
    });

    test('step_context is what the step works with, and comes back to a step that was cut off', async () => {
      const store = await fresh();
      const seen: unknown[] = [];
      const began = latch();
      const sends = (url: string) =>
        defineTask(
          'sends',
          async (task) => {
            const options = { dangerous: true, context: { url, body: 'x'.repeat(20_000) } };
            await task.step(
              'send',
              async ({ context }) => {
                seen.push((context as { url: string }).url);
                began.resolve();
                if (seen.length === 1) await new Promise(() => {});
              },
              options,
            );
            await task.tool('grep', { pattern: 'left' }, () => 'none');
          },
          { version: '1' },
        );
      const first = await store.open();
      const { id } = await first.start(sends('http://first'), undefined);
      await began.promise;
      await first.close();
      const engine = await store.open({ tasks: [sends('http://second')] });
      await (await engine.resume(id)).result;
      expect(seen).toEqual(['http://first', 'http://first']);
      const ids = await checkpointsOf(engine, id);
      const loaded = await Promise.all(ids.map((one) => engine.checkpoints.loadCheckpoint(one)));
      const contextOf = (name: string, status: string) =>
        loaded.find((one) => one?.step_name === name && one.step_status === status)?.step_context;
      expect(contextOf('send', 'pending')).toMatchObject({ url: 'http://first', body: 'x'.repeat(20_000) });
      expect(contextOf('send', 'success')).toMatchObject({ url: 'http://first' });
      expect(contextOf('tool:grep', 'success')).toEqual({ pattern: 'left' });
    });

    test('the steps of a pipeline have the context they were given', async () => {
      const engine = await (await fresh()).open();
      const steps = pipeline<{ n: number }>([
        { name: 'double', run: ({ n }) => ({ n: n * 2 }) },
        { name: 'add', run: ({ n }) => ({ n: n + 1 }) },
      ]);
      const { id, result } = await engine.start(defineTask('sum', steps), { n: 4 });
      expect(await result).toEqual({ n: 9 });
      const found = await engine.checkpoints.listCheckpoints(id);
      expect(found.filter(({ trigger }) => trigger === 'after_step').map((one) => one.step_context)).toEqual([
        { n: 4 },
        { n: 8 },
      ]);
    });

    test('accumulated_context refers to the whole context, also in the snapshot of a pause', async () => {
      const store = await fresh();
      const engine = await store.open();
      const talks = defineTask('talks', async (task) => {
        await task.message('user', 'x'.repeat(50_000));
        await task.decide('ask');
        await task.waitFor('user_input');
        await task.message('assistant', 'later');
      });
      const { id, outcome } = await engine.start(talks, undefined);
      await reach(engine, id, 'waiting');
      await engine.pause(id);
      await outcome;
      const state = await engine.state(id);
      if (state?.status !== 'paused') throw new Error('not paused');
      const kept = state.data.snapshot.accumulated_context as AccumulatedContext;
      expect(kept).toMatchObject({ messages: 1, decisions: 1, tool_outputs: 0 });
      await engine.answer(id, 'yes');
      await (await engine.resume(id)).result;
      const whole = await engine.loadContext(kept.reference);
      expect(whole.messages.map(({ content }) => content)).toEqual(['x'.repeat(50_000)]);
      expect(whole.decisions).toMatchObject([{ what: 'ask' }]);
      expect(await engine.loadContext(kept)).toEqual(whole);
      await expect(engine.loadContext('context://')).rejects.toMatchObject({ code: 'USAGE' });
    });

    test('attempts and retries count on, however the task was taken up again', async () => {
      const engine = await (await fresh()).open();
      const attempts: number[] = [];
      const fails = defineTask('fails', async (task) => {
        await task.step('first', () => 1);
        await task.step(
          'send',
          ({ attempt }) => {
            attempts.push(attempt);
            throw new Error('503');
          },
          { retry: { attempts: 2, first_delay_ms: 1 } },
        );
      }) as TaskDefinition<undefined, unknown>;
      const { id, outcome } = await engine.start(fails, undefined);
      await outcome;
      const retries = async () => ((await engine.state(id))!.data as { retry_count: number }).retry_count;
      expect([attempts, await retries()]).toEqual([[1, 2], 0]);
      await (await engine.retry(id)).outcome;
      expect([attempts, await retries()]).toEqual([[1, 2, 3, 4], 1]);
      const first = (await checkpointsOf(engine, id))[0]!;
      await engine.recovery.resumeFromCheckpoint(first);
      expect(await retries()).toBe(2);
      await (await engine.retry(id, { step: 'first' })).outcome;
      expect(await retries()).toBe(3);
    });

    test('required_context names what recovery needs, and is held against the store', async () => {
      const engine = await (await fresh()).open();
      const sets = defineTask('sets', async (task) => {
        await task.set('plan', ['a', 'b']);
        await task.step('a', () => 1);
      });
      const { id, result } = await engine.start(sets, undefined);
      await result;
      const newest = (await engine.checkpoints.listCheckpoints(id)).at(-1)!;
      expect(newest.recovery_info.required_context).toEqual([
        `context://${id}/${newest.journal.seq}`,
        'variable://plan',
      ]);
      const valid = await engine.checkpoints.validateCheckpoint(newest.id);
      expect(valid).toMatchObject({ valid: true, integrity: { contextAvailable: true } });
      const made = await engine.checkpoints.createCheckpoint({
        execution_id: id,
        recovery_info: { required_context: ['variable://gone', `context://${id}/999`, 'context://nobody/1'] },
      });
      const found = await engine.checkpoints.validateCheckpoint(made.id);
      expect(found).toMatchObject({ valid: false, integrity: { contextAvailable: false } });
      expect(found!.problems.join()).toMatch(/variable:\/\/gone, .*999, context:\/\/nobody\/1/);
    });
  },
  ['json'],
);
