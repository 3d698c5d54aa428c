/** Steps, tool calls, agents and the context: each done once, whatever happens in between. */
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { ConfigInput } from '../../src/config/types.ts';
import type { TaskContext } from '../../src/engine/api/context.ts';
import { defineTask, pipeline } from '../../src/engine/api/definition.ts';
import type { Engine, TaskHandle } from '../../src/engine/engine.ts';
import type { AnyDefinition } from '../../src/engine/lifecycle/registry.ts';
import { type Bench, benches } from './setup.ts';

const bench = benches();
const never = (): Promise<never> => new Promise(() => {});

/** Runs a task until it says `here`, then as if the process had died there; and once more, to its end. */
async function interrupted<O>(
  at: Bench,
  body: (task: TaskContext, here: () => Promise<void>) => Promise<O>,
  config: ConfigInput = {},
): Promise<{ result: O; engine: Engine; id: string }> {
  let first = true;
  const reached = Promise.withResolvers<void>();
  const here = async (): Promise<void> => {
    if (!first) return;
    reached.resolve();
    await never();
  };
  const definition = defineTask<void, O>('interrupted', (task) => body(task, here));
  const before = await at.open({ tasks: [definition as AnyDefinition], config });
  const { id, outcome } = await before.start(definition, undefined);
  await reached.promise;
  await before.close();
  expect(await outcome).toMatchObject({ status: 'stopped' });
  first = false;
  const engine = await at.open({ tasks: [definition as AnyDefinition], config });
  const result = (await (await engine.resume(id)).result) as O;
  return { result, engine, id };
}

describe('remembering', () => {
  test('a finished step is not run again; its result comes back equal', async () => {
    const ran: string[] = [];
    const value = { when: new Date(0), list: [1, null], map: new Map([['a', 1n]]), big: 'x'.repeat(50_000) };
    const { result } = await interrupted(bench(), async (task, here) => {
      const a = await task.step('a', () => {
        ran.push('a');
        return value;
      });
      await here();
      const b = await task.step('b', () => {
        ran.push('b');
        return undefined;
      });
      return { a, b };
    });
    expect(ran).toEqual(['a', 'b']);
    expect(result).toEqual({ a: value, b: undefined });
  });

  test('a step that was cut off runs again', async () => {
    let runs = 0;
    const { result } = await interrupted(bench(), (task, here) =>
      task.step('cut', async () => {
        runs++;
        await here();
        return runs;
      }),
    );
    expect(result).toBe(2);
  });

  test('steps of one name are told apart by their number', async () => {
    const ran: number[] = [];
    const { result } = await interrupted(bench(), async (task, here) => {
      const results: number[] = [];
      for (let n = 0; n < 5; n++) {
        if (n === 3) await here();
        results.push(
          await task.step('same', () => {
            ran.push(n);
            return n;
          }),
        );
      }
      return results;
    });
    expect(ran).toEqual([0, 1, 2, 3, 4]);
    expect(result).toEqual([0, 1, 2, 3, 4]);
  });

  test('steps side by side keep their identities, in whatever order they end', async () => {
    const ran: string[] = [];
    const { result } = await interrupted(bench(), async (task, here) => {
      const quickIsDone = Promise.withResolvers<void>();
      const slow = task.step('same', async () => {
        ran.push('slow');
        await quickIsDone.promise;
        await here();
        return 'slow';
      });
      const quick = task.step('same', () => {
        ran.push('quick');
        return 'quick';
      });
      void quick.then(() => quickIsDone.resolve());
      return Promise.all([slow, quick]);
    });
    expect(result).toEqual(['slow', 'quick']);
    expect(ran.toSorted()).toEqual(['quick', 'slow', 'slow']);
  });

  test('a failure the task caught is remembered too', async () => {
    let runs = 0;
    const { result } = await interrupted(bench(), async (task, here) => {
      const failing = task.step('fails', () => {
        runs++;
        throw Object.assign(new RangeError('too far'), { code: 'E_FAR' });
      });
      const error = await failing.catch((error: unknown) => error);
      await here();
      return error;
    });
    expect(runs).toBe(1);
    expect(result).toMatchObject({ name: 'RangeError', message: 'too far', code: 'E_FAR' });
  });

  test('a step left out stays left out', async () => {
    let wanted = false;
    const asked: boolean[] = [];
    const { result } = await interrupted(bench(), async (task, here) => {
      const when = (): boolean => {
        asked.push(wanted);
        return wanted;
      };
      const skipped = await task.step('maybe', () => 'ran', { when });
      wanted = true;
      await here();
      return [skipped, await task.step('maybe', () => 'ran', { when })];
    });
    expect(result).toEqual([undefined, 'ran']);
    expect(asked).toEqual([false, true]);
  });

  test('indexes go on from where they were, agents that are done included', async () => {
    const { engine, id } = await interrupted(bench(), async (task, here) => {
      await task.agent('scout', async (scout) => {
        await scout.step('look', () => 1);
        await scout.step('look', () => 2);
      });
      await here();
      await task.step('last', () => 3);
    });
    const history = await engine.history(id);
    expect(history.steps.map(({ name, index }) => [name, index])).toEqual([
      ['look', 0],
      ['look', 1],
      ['last', 2],
    ]);
  });

  test('a step may do further steps within itself, also while the task is being paused', async () => {
    const at = bench();
    const started = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const outer = defineTask('outer', (task) =>
      task.step('outer', async () => {
        started.resolve();
        await go.promise;
        return task.step('inner', () => 'inner');
      }),
    );
    const engine = await at.open({ tasks: [outer] });
    const { id, outcome } = await engine.start(outer, undefined);
    await started.promise;
    await engine.pause(id);
    go.resolve();
    expect(await outcome).toMatchObject({ status: 'paused' });
    expect((await engine.history(id)).steps.map(({ name, status }) => [name, status])).toEqual([
      ['inner', 'success'],
      ['outer', 'success'],
    ]);
  });
});

describe('what cannot be stored', () => {
  const unstorable = () => ({ list: [1, () => 2] });
  const refused = { code: 'NOT_SERIALISABLE' };

  test.each(['sync', 'async', 'exit'] as const)(
    'is refused to its caller, and harms nothing else: %s',
    async (durability) => {
      const engine = await bench().open({ config: { checkpoints: { durability } } });
      const odd = defineTask('odd', async (task) => {
        const errors = [
          await task.step('result', unstorable).catch((error: unknown) => error),
          await task.message('user', unstorable()).catch((error: unknown) => error),
          await task.set('variable', unstorable()).catch((error: unknown) => error),
          await task.tool('tool', unstorable(), () => 1).catch((error: unknown) => error),
          await task.checkpoint({ metadata: unstorable() }).catch((error: unknown) => error),
        ];
        await task.step('after', () => 'fine');
        return errors.map((error) => (error as { code: string }).code);
      });
      const { id, result } = await engine.start(odd, undefined);
      expect(await result).toEqual(Array.from({ length: 5 }, () => 'NOT_SERIALISABLE'));
      expect((await engine.history(id)).steps).toMatchObject([{ name: 'after', status: 'success' }]);
    },
  );

  test('as the output of a task fails it', async () => {
    const engine = await bench().open();
    const { id, result } = await engine.start(defineTask('odd', unstorable), undefined);
    await expect(result).rejects.toMatchObject(refused);
    expect(await engine.state(id)).toMatchObject({
      status: 'failed',
      data: { error_type: 'NOT_SERIALISABLE' },
    });
  });

  test('as the input of a task is refused before there is one', async () => {
    const engine = await bench().open();
    const takes = defineTask('takes', (_task, _input: unknown) => 1);
    await expect(engine.start(takes, unstorable())).rejects.toMatchObject(refused);
    await expect(engine.enqueue(takes, unstorable())).rejects.toMatchObject(refused);
    expect(await engine.tasks()).toEqual([]);
    await engine.work();
  });

  test('what is stored is what it was when it was given', async () => {
    const { result } = await interrupted(
      bench(),
      async (task, here) => {
        const list = await task.step('list', () => ['given']);
        list.push('later');
        await task.step('next', () => 1);
        await here();
        return list;
      },
      { checkpoints: { durability: 'async' } },
    );
    expect(result).toEqual(['given', 'later']);
  });
});

describe('types', () => {
  test("a step's result has its function's type", () => {
    defineTask('types', async (task, input: { n: number }) => {
      expectTypeOf(await task.step('a', () => input.n)).toEqualTypeOf<number>();
      expectTypeOf(await task.step('b', async () => ['x'] as const)).toEqualTypeOf<readonly ['x']>();
      expectTypeOf(await task.step('c', () => 1, { when: () => false })).toEqualTypeOf<number | undefined>();
      expectTypeOf(await task.step('d', () => 1, { timeout_ms: 5 })).toEqualTypeOf<number>();
      expectTypeOf(await task.agent('e', (inner) => inner.step('f', () => true))).toEqualTypeOf<boolean>();
      expectTypeOf(await task.tool('g', {}, () => 'out')).toEqualTypeOf<string>();
      expectTypeOf(await task.waitFor<'yes' | 'no'>('human_approval')).toEqualTypeOf<'yes' | 'no'>();
    });
  });

  test('a task is started with its input and gives its output', () => {
    const typed = defineTask('typed', (_task, input: { n: number }) => String(input.n));
    const use = async (engine: Engine): Promise<void> => {
      expectTypeOf(await engine.run(typed, { n: 1 })).toEqualTypeOf<string>();
      expectTypeOf(await engine.start(typed, { n: 1 })).toEqualTypeOf<TaskHandle<string>>();
    };
    expectTypeOf(use).parameter(0).toEqualTypeOf<Engine>();
    expectTypeOf<Parameters<typeof typed.run>[1]>().toEqualTypeOf<{ n: number }>();
  });
});

describe('agents', () => {
  test('nested and side by side, each is remembered as a whole', async () => {
    const ran: string[] = [];
    const { result, engine, id } = await interrupted(bench(), async (task, here) => {
      const worker = (name: string) =>
        task.agent('worker', async (outer) => {
          const found = await outer.step('find', () => {
            ran.push(`find ${name}`);
            return name;
          });
          return outer.agent('inner', (inner) =>
            inner.step('use', () => {
              ran.push(`use ${name}`);
              return `${inner.agent_path} ${found}`;
            }),
          );
        });
      const done = await Promise.all([worker('x'), worker('y')]);
      await here();
      return done;
    });
    expect(result).toEqual(['/worker/inner x', '/worker@2/inner y']);
    expect(ran.toSorted()).toEqual(['find x', 'find y', 'use x', 'use y']);
    const { steps } = await engine.history(id);
    expect(steps.map(({ id }) => id).toSorted()).toEqual([
      '/worker/find#1',
      '/worker/inner/use#1',
      '/worker@2/find#1',
      '/worker@2/inner/use#1',
    ]);
  });

  test('the files of an agent are let go when it ends, and when its task is paused', async () => {
    const engine = await bench().open({ workspace: true });
    const reserved = async (): Promise<string[]> =>
      (await engine.reader.locks()).files.map(
        ({ owner, paths }) => `${owner.replace(/^[^/]*/, '')} ${paths}`,
      );
    const held: string[][] = [];
    const works = defineTask('works', async (task) => {
      await task.agent('first', { files: ['a.ts'] }, async () => void held.push(await reserved()));
      await task.agent('second', { files: ['b.ts'] }, async (agent) => {
        held.push(await reserved());
        await agent.waitFor('user_input');
      });
    });
    const { id, outcome } = await engine.start(works, undefined);
    await expect.poll(() => held).toEqual([['/first a.ts'], ['/second b.ts']]);
    await engine.pause(id);
    await outcome;
    expect(await reserved()).toEqual([]);
  });

  test('an agent that was cut off goes on after its own last step', async () => {
    const ran: string[] = [];
    const { result } = await interrupted(bench(), (task, here) =>
      task.agent('worker', { files: ['src/a.ts'] }, async (worker) => {
        await worker.step('one', () => void ran.push('one'));
        await here();
        await worker.step('two', () => void ran.push('two'));
        return worker.agent_path;
      }),
    );
    expect(ran).toEqual(['one', 'two']);
    expect(result).toBe('/worker');
  });
});

describe('the context', () => {
  test('messages, tool outputs, decisions, progress and variables are not recorded twice', async () => {
    const { result, engine, id } = await interrupted(bench(), async (task, here) => {
      await task.message('user', 'fix it');
      await task.tool({ tool: 'grep', input: 'x', output: ['a.ts'], status: 'success' });
      await task.tool('bash', { command: 'ls' }, () => 'a.ts');
      await task.decide({ what: 'edit a.ts', why: 'it is wrong', alternatives: ['leave it'] });
      await task.progress(40, 'nearly');
      await task.set('branch', null);
      await task.set('branch', 'fix');
      await here();
      await task.agent('writer', async (writer) => {
        await writer.message('assistant', 'done');
      });
      return { context: await task.context({ all: true }), branch: await task.get('branch') };
    });
    expect(result.branch).toBe('fix');
    expect(result.context).toMatchObject({
      messages: [
        { role: 'user', content: 'fix it' },
        { role: 'assistant', content: 'done', agent: '/writer' },
      ],
      tool_outputs: [
        { tool: 'grep', input: 'x', output: ['a.ts'], status: 'success' },
        { tool: 'bash', input: { command: 'ls' }, output: 'a.ts', status: 'success' },
      ],
      decisions: [{ what: 'edit a.ts', why: 'it is wrong', alternatives: ['leave it'] }],
    });
    const state = await engine.state(id);
    expect(state?.status).toBe('completed');
  });

  test('a tool call is stored once: as the step it is, with its output', async () => {
    const engine = await bench().open();
    const call = defineTask('call', (task) => task.tool('cat', 'a.txt', () => 'the content'));
    const { id, result } = await engine.start(call, undefined);
    expect(await result).toBe('the content');
    const kinds: unknown[] = [];
    for await (const { data } of engine.storage.read(id)) kinds.push((data as { t: string }).t);
    expect(kinds).toEqual(['status', 'status', 'checkpoint', 'step', 'status']);
  });

  test('a tool that failed is part of the context, and again when it was retried', async () => {
    let works = false;
    const seen: unknown[] = [];
    const call = defineTask('call', async (task) => {
      await task.tool('fetch', 'url', () => {
        if (!works) throw new Error('offline');
        return 'page';
      });
      const { tool_outputs } = await task.context();
      seen.push(...tool_outputs.map(({ output, status }) => [output, status]));
    });
    const engine = await bench().open({ tasks: [call] });
    const { id, outcome } = await engine.start(call, undefined);
    expect(await outcome).toMatchObject({ status: 'failed' });
    works = true;
    await (await engine.resume(id)).result;
    expect(seen).toEqual([
      ['offline', 'error'],
      ['page', 'success'],
    ]);
  });

  test('what a step said in an attempt that failed is no context', async () => {
    let attempt = 0;
    const chatty = defineTask('chatty', async (task) => {
      await task.step(
        'talk',
        async () => {
          await task.message('assistant', `attempt ${++attempt}`);
          if (attempt < 3) throw new Error('again');
        },
        { retry: { attempts: 3, first_delay_ms: 1 } },
      );
      return (await task.context()).messages.map(({ content }) => content);
    });
    const engine = await bench().open();
    expect(await engine.run(chatty, undefined)).toEqual(['attempt 3']);
  });

  test('what a step said before it was cut off is no context: it says it again', async () => {
    const { result } = await interrupted(bench(), async (task, here) => {
      await task.step('talk', async () => {
        await task.message('assistant', 'hello');
        await task.decide('stay');
        await here();
      });
      const { messages, decisions } = await task.context();
      return [messages.map(({ content }) => content), decisions.map(({ what }) => what)];
    });
    expect(result).toEqual([['hello'], ['stay']]);
  });

  test('is trimmed as for a resumed agent, and whole when asked for', async () => {
    const long = defineTask('long', async (task) => {
      await task.decide('use tabs');
      for (let n = 1; n <= 60; n++) await task.message('assistant', `message ${n} about src/f${n}.ts`);
      for (let n = 1; n <= 8; n++) await task.tool({ tool: 'bash', output: `out ${n}`, status: 'success' });
      return [await task.context(), await task.context({ all: true })] as const;
    });
    const engine = await bench().open({ config: { checkpoints: { durability: 'async' } } });
    const [trimmed, whole] = await engine.run(long, undefined);
    expect(whole.messages).toHaveLength(60);
    expect(whole.tool_outputs).toHaveLength(8);
    expect(trimmed.messages).toHaveLength(51);
    expect(trimmed.tool_outputs.map(({ output }) => output)).toEqual([
      'out 4',
      'out 5',
      'out 6',
      'out 7',
      'out 8',
    ]);
    expect(trimmed.messages[0]).toMatchObject({ role: 'summary' });
    expect(trimmed.messages[0]!.content).toContain('src/f10.ts');
    expect(trimmed.messages[0]!.content).toContain('use tabs');
  });

  test("the engine's own summariser is asked when there is one", async () => {
    const summariser = ({ messages }: { messages: readonly unknown[] }): string => `${messages.length} more`;
    const engine = await bench().open({ summariser });
    const long = defineTask('long', async (task) => {
      for (let n = 1; n <= 53; n++) await task.message('user', n);
      return (await task.context()).messages[0];
    });
    expect(await engine.run(long, undefined)).toMatchObject({ role: 'summary', content: '3 more' });
  });
});

describe('pipeline', () => {
  test('hands each step what the one before gave, leaves out what its condition refuses', async () => {
    type Job = { readonly rows: number; readonly log: readonly string[] };
    const add = (name: string) => (job: Job) => ({ rows: job.rows + 1, log: [...job.log, name] });
    const steps = defineTask(
      'pipeline',
      pipeline<Job>([
        { name: 'fetch', run: add('fetch') },
        { name: 'fix', run: add('fix'), when: ({ rows }) => rows > 5 },
        { name: 'verify', run: add('verify') },
      ]),
    );
    const engine = await bench().open();
    const { id, result } = await engine.start(steps, { rows: 0, log: [] });
    expect(await result).toEqual({ rows: 2, log: ['fetch', 'verify'] });
    expect((await engine.history(id)).steps.map(({ name, status }) => [name, status])).toEqual([
      ['fetch', 'success'],
      ['fix', 'skipped'],
      ['verify', 'success'],
    ]);
  });

  test('tasks of one name and the same source that start at once each run their own code', async () => {
    const engine = await bench().open();
    const make = (word: string) => defineTask('closure', (task) => task.step('say', () => word));
    const words = ['one', 'two', 'three'];
    const handles = await Promise.all(words.map((word) => engine.start(make(word), undefined)));
    expect(await Promise.all(handles.map(({ result }) => result))).toEqual(words);
  });

  test('is known by its steps: one that changed is noticed before anything runs', async () => {
    const at = bench();
    const make = (second: () => string) =>
      defineTask(
        'pipeline',
        pipeline<string>([
          { name: 'wait', run: (word, task) => task.step('inner', () => word) },
          { name: 'second', run: second },
        ]),
      );
    const before = await at.open();
    const old = make(() => 'old');
    expect(old.fingerprint).not.toBe(make(() => 'new').fingerprint);
    const id = await before.enqueue(old, 'word');
    await before.close();
    const engine = await at.open({
      tasks: [make(() => 'new')],
      config: { recovery: { on_definition_change: 'refuse' } },
    });
    await expect(engine.resume(id)).rejects.toMatchObject({ code: 'DEFINITION_CHANGED' });
    engine.register(old);
    expect(await (await engine.resume(id)).result).toBe('old');
  });
});
