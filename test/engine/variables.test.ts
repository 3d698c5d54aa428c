/** Variables at every point of a resumed task have the value they had there when it first came by. */
import { expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/api/context.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import { agentTask } from '../../src/engine/run/agent/agent-task.ts';
import { runContextOf } from '../../src/engine/run/task-context.ts';
import { benches } from './setup.ts';
import { onEachStore } from './stores.ts';

const bench = benches();

onEachStore((fresh) => {
  test('also those set inside steps and agents that are only remembered', async () => {
    const broken = new Set(['c', 'end']);
    const failIf = (name: string): void => {
      if (broken.delete(name)) throw new Error(`${name} fails once`);
    };
    const add = async (task: TaskContext, name: string): Promise<void> =>
      task.set(name, ((await task.get<number>(name)) ?? 0) + 1);
    const counts = defineTask('counts', async (task) => {
      const seen: unknown[] = [];
      const look = async (): Promise<void> =>
        void seen.push([await task.get('outside'), await task.get('inside'), await task.get('agent')]);
      for (const name of ['a', 'b', 'c']) {
        await look();
        await task.step(name, async () => {
          await add(task, 'inside');
          await task.step('within', () => add(task, 'inside'));
          failIf(name);
        });
        await task.agent('helper', async (agent) => {
          await add(agent, 'agent');
          await agent.agent('deep', (deep) => deep.step('help', () => add(deep, 'agent')));
        });
        await add(task, 'outside');
      }
      await look();
      await task.step('end', () => failIf('end'));
      return seen;
    });
    const store = await fresh();
    const first = await store.open({ tasks: [counts] });
    const { id, outcome } = await first.start(counts, undefined);
    await outcome;
    await (await first.resume(id)).outcome;
    await first.close();
    const engine = await store.open({ tasks: [counts] });
    expect(await (await engine.resume(id)).result).toEqual([
      [undefined, undefined, undefined],
      [1, 2, 2],
      [2, 4, 4],
      [3, 6, 6],
    ]);
  });
});

test('code that goes on instead of going over old ground finds them as they were left', async () => {
  const engine = await bench().open();
  let broken = true;
  const agent = agentTask('keeps', async function* () {
    yield { type: 'message', role: 'user', content: 'go' } as const;
    if (broken) throw new Error('offline');
    yield { type: 'done', output: 'done' } as const;
  });
  const found: unknown[] = [];
  const keeps = {
    ...agent,
    run: async (task: TaskContext, query: unknown) => {
      found.push(await task.get('n'));
      await task.set('n', runContextOf(task).task.length);
      return agent.run(task, query as never);
    },
  };
  engine.register(keeps);
  const { id, outcome } = await engine.start(keeps, undefined);
  await outcome;
  broken = false;
  await (await engine.resume(id)).result;
  expect(found).toEqual([undefined, id.length]);
});
