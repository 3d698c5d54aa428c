/** Watching: typed events, and the same on node:diagnostics_channel. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, expectTypeOf, test, vi } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { CHANNEL_PREFIX, type EngineEvent } from '../../src/engine/api/events.ts';
import { benches } from './setup.ts';

const bench = benches();

const eventful = defineTask('eventful', async (task) => {
  await task.message('user', 'hello');
  await task.step('works', () => 1);
  await task.step(
    'flaky',
    ({ attempt }) => {
      if (attempt === 1) throw new Error('once');
    },
    { retry: { attempts: 2, first_delay_ms: 1 } },
  );
  await task.agent('helper', () => 'helped');
  await task.progress(50, 'half');
});

test('every transition, step, checkpoint and recovery is told, in order', async () => {
  const at = bench();
  let interrupt = true;
  const stopped = Promise.withResolvers<void>();
  const twice = defineTask('twice', async (task) => {
    await eventful.run(task);
    if (!interrupt) return;
    stopped.resolve();
    await new Promise(() => {});
  });
  const heard: string[] = [];
  const listen = (event: EngineEvent): void => void heard.push(inShort(event));
  // A clean-up that was missed would begin a second after opening.
  const first = await at.open({ tasks: [twice], automatic_cleanup: false });
  first.on('*', listen);
  const { id } = await first.start(twice, undefined);
  await stopped.promise;
  await first.close();
  expect(heard).toEqual([
    'task.status null>queued',
    'task.status queued>in_progress',
    'run.started',
    'checkpoint start',
    'checkpoint after_user_input',
    'message user',
    'step.started works',
    'checkpoint after_step',
    'step.completed works',
    'step.started flaky',
    'step.failed flaky',
    'step.started flaky',
    'checkpoint after_step',
    'step.completed flaky',
    'checkpoint after_subagent',
    'agent.completed helper',
    'progress 50',
    'run.ended stopped',
  ]);
  heard.length = 0;
  interrupt = false;
  const second = await at.open({ tasks: [twice] });
  second.on('*', listen);
  await (await second.resume(id)).result;
  expect(heard).toEqual([
    'run.started',
    'recovery',
    'checkpoint end',
    'task.status in_progress>completed',
    'run.ended completed',
  ]);
});

test('a function that is told and throws does not stop a recovery', async () => {
  const at = bench();
  const asks = defineTask('asks', (task) => task.waitFor('user_input'));
  const first = await at.open();
  const { id } = await first.start(asks, undefined);
  await expect.poll(async () => (await first.state(id))?.status).toBe('waiting');
  await first.close();
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const notify = (): never => {
    throw new Error('notify is broken');
  };
  const engine = await at.open({ tasks: [asks], notify });
  const { result } = await engine.resume(id);
  await engine.answer(id, 'yes');
  expect(await result).toBe('yes');
  expect(warned).toHaveBeenCalledWith(
    expect.stringContaining('notify is broken'),
    expect.objectContaining({ code: 'VIBE_ENGINE_LISTENER' }),
  );
  warned.mockRestore();
});

test('what cannot be taken up is no run', async () => {
  const engine = await bench().open();
  const { id, result } = await engine.start(eventful, undefined);
  await result;
  const heard: string[] = [];
  engine.on('*', (event) => void heard.push(event.type));
  await expect(engine.resume(id)).rejects.toMatchObject({ code: 'NOT_RESUMABLE' });
  await expect(engine.resume('none')).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
  expect(heard).toEqual([]);
});

function inShort(event: EngineEvent): string {
  switch (event.type) {
    case 'task.status':
      return `${event.type} ${event.from}>${event.to}`;
    case 'step.started':
    case 'step.completed':
    case 'step.failed':
    case 'agent.completed':
      return `${event.type} ${event.name}`;
    case 'checkpoint':
      return `${event.type} ${event.trigger}`;
    case 'message':
      return `${event.type} ${event.role}`;
    case 'progress':
      return `${event.type} ${event.percent}`;
    case 'run.ended':
      return `${event.type} ${event.outcome}`;
    default:
      return event.type;
  }
}

describe('engine.on', () => {
  test('has the type of its event', async () => {
    const engine = await bench().open();
    engine.on('step.failed', (event) => {
      expectTypeOf(event.final).toEqualTypeOf<boolean>();
      expectTypeOf(event.type).toEqualTypeOf<'step.failed'>();
    });
    engine.on('*', (event) => expectTypeOf(event).toEqualTypeOf<EngineEvent>());
  });

  test('tells of failed attempts and whether there will be another', async () => {
    const engine = await bench().open();
    const heard: unknown[] = [];
    engine.on('step.failed', ({ attempt, final, error }) => heard.push([attempt, final, String(error)]));
    const fails = defineTask('fails', (task) =>
      task.step(
        'fails',
        () => {
          throw new Error('no');
        },
        { retry: { attempts: 2, first_delay_ms: 1 } },
      ),
    );
    await expect(engine.run(fails, undefined)).rejects.toThrow('no');
    expect(heard).toEqual([
      [1, false, 'Error: no'],
      [2, true, 'Error: no'],
    ]);
  });

  test('can be ended', async () => {
    const engine = await bench().open();
    const heard: string[] = [];
    const stop = engine.on('task.status', ({ to }) => {
      heard.push(to);
      stop();
    });
    await engine.run(eventful, undefined);
    expect(heard).toEqual(['queued']);
  });

  test('a listener that throws does not stop the task, nor the listeners after it', async () => {
    const engine = await bench().open();
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    let heard = 0;
    engine.on('checkpoint', () => {
      throw new Error('listener is broken');
    });
    engine.on('checkpoint', () => heard++);
    await engine.run(eventful, undefined);
    expect(heard).toBeGreaterThan(2);
    expect(warned).toHaveBeenCalledWith(
      expect.stringContaining('listener is broken'),
      expect.objectContaining({ code: 'VIBE_ENGINE_LISTENER' }),
    );
    warned.mockRestore();
  });
});

test('diagnostics_channel carries the same events, for tools that know nothing of the engine', async () => {
  const engine = await bench().open();
  const wired: unknown[] = [];
  const heard: unknown[] = [];
  const hear = (event: unknown): void => void wired.push(event);
  const types = ['task.status', 'step.completed', 'checkpoint'] as const;
  for (const type of types) {
    engine.on(type, (event) => heard.push(event));
    subscribe(CHANNEL_PREFIX + type, hear);
  }
  try {
    await engine.run(eventful, undefined);
  } finally {
    for (const type of types) unsubscribe(CHANNEL_PREFIX + type, hear);
  }
  expect(wired.length).toBeGreaterThan(5);
  expect(wired).toEqual(heard);
  expect(CHANNEL_PREFIX).toBe('vibe-engine:');
});
