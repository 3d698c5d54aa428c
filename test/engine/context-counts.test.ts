/** What a checkpoint says of its context is what loading it gives, whatever was tried, failed or cut off on the way. */
import { expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/api/context.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { latch } from './setup.ts';
import { onEachStore } from './stores.ts';

onEachStore((fresh) => {
  test('messages of attempts that failed or were cut off are not counted', async () => {
    const store = await fresh();
    const said = latch();
    let cutOff = true;
    const speak = async (task: TaskContext, what: string): Promise<void> => {
      await task.message('assistant', what);
      await task.tool({ tool: 'ls', output: what, status: 'success' });
      await task.decide(what);
    };
    const task = defineTask('speaks', async (task) => {
      await speak(task, 'outside');
      await task.step(
        'twice',
        async ({ attempt }) => {
          await speak(task, `attempt ${attempt}`);
          await task.checkpoint();
          if (attempt === 1) throw new Error('again');
        },
        { retry: { attempts: 2, first_delay_ms: 1 } },
      );
      await task.step('cut off', async () => {
        await speak(task, 'cut off');
        await task.checkpoint();
        said.resolve();
        if (cutOff) await new Promise(() => {});
      });
      await task.tool('grep', 'x', () => 'found');
    });
    const before = await store.open({ tasks: [task] });
    const { id } = await before.start(task, undefined);
    await said.promise;
    await before.close();
    cutOff = false;
    const engine = await store.open({ tasks: [task] });
    await (await engine.resume(id)).result;
    const counted = await countsOf(engine, id);
    expect(counted.map(({ stored }) => stored)).toEqual(counted.map(({ loaded }) => loaded));
    expect(counted.at(-1)!.loaded).toEqual({ messages: 3, tool_outputs: 4, decisions: 3 });
  });
});

async function countsOf({ checkpoints }: Engine, task: string) {
  const records = await checkpoints.listCheckpoints(task);
  return Promise.all(
    records.map(async ({ id, context: { bytes: _, ...stored } }) => {
      const { messages, tool_outputs, decisions } = (await checkpoints.loadCheckpoint(id))!.context;
      const loaded = {
        messages: messages.length,
        tool_outputs: tool_outputs.length,
        decisions: decisions.length,
      };
      return { stored, loaded };
    }),
  );
}
