/** Starting, pausing, resuming and cancelling, from here and from other processes; who wins when two try. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { scripts } from './scripts.ts';
import { benches, latch, reach } from './setup.ts';

const bench = benches();

/** A task whose second step lasts until it is let go. */
function held() {
  const begun = latch();
  const go = latch();
  const ran: string[] = [];
  const definition = defineTask('held', async (task) => {
    await task.step('first', () => void ran.push('first'));
    await task.step('second', async () => {
      begun.resolve();
      await go.promise;
      ran.push('second');
    });
    await task.step('third', () => void ran.push('third'));
    return ran.length;
  });
  return { definition, begun: begun.promise, letGo: go.resolve, ran };
}

describe('pausing', () => {
  test('lets the step in progress end and records it; nothing after it starts', async () => {
    const { definition, begun, letGo, ran } = held();
    const engine = await bench().open({ tasks: [definition] });
    const { id, outcome } = await engine.start(definition, undefined);
    await begun;
    await engine.pause(id, 'lunch');
    expect((await engine.state(id))?.status).toBe('in_progress');
    letGo();
    expect(await outcome).toEqual({ status: 'paused', reason: 'lunch' });
    expect(ran).toEqual(['first', 'second']);
    expect(await engine.state(id)).toMatchObject({
      status: 'paused',
      data: { pause_reason: 'lunch', snapshot: { current_step: 'second', iteration_count: 2 } },
    });
    expect(await (await engine.resume(id)).result).toBe(3);
    expect(ran).toEqual(['first', 'second', 'third']);
  });

  test('ends the handle with a typed error that says how to go on', async () => {
    const { definition, begun, letGo } = held();
    const engine = await bench().open();
    const { id, result } = await engine.start(definition, undefined);
    await begun;
    await engine.pause(id);
    letGo();
    await expect(result).rejects.toMatchObject({ code: 'RUN_STOPPED', data: { task: id, status: 'paused' } });
  });

  test('works between attempts, without waiting for the next one', async () => {
    let runs = 0;
    const failing = defineTask('failing', (task) =>
      task.step(
        'fails',
        () => {
          runs++;
          throw new Error('again');
        },
        { retry: { attempts: 5, first_delay_ms: 3_600_000 } },
      ),
    );
    const engine = await bench().open();
    const { id, outcome } = await engine.start(failing, undefined);
    await expect.poll(() => runs).toBe(1);
    await engine.pause(id);
    expect((await outcome).status).toBe('paused');
    expect((await engine.history(id)).steps).toMatchObject([
      { status: 'pending', attempts: [{ attempt: 1 }] },
    ]);
  });

  test('a task that runs in another process', async () => {
    const at = bench();
    const child = at.child({ script: 'slow', start: { ms: null }, id: 'slow-1' });
    await child.until((event) => event.type === 'step.started' && event.name === 'second');
    const engine = await at.open({ tasks: [scripts(at.note).slow!] });
    await engine.pause('slow-1', 'from afar');
    await child.until((event) => event.type === 'outcome' && event.outcome.status === 'paused');
    expect(await child.ended).toEqual({ code: 0, signal: null });
    expect(at.notes()).toEqual(['first', 'second begins', 'second ends']);
    expect(await engine.state('slow-1')).toMatchObject({ data: { pause_reason: 'from afar' } });
    expect(await engine.storage.list('inbox')).toEqual([]);
    expect(await (await engine.resume('slow-1')).result).toBe('done');
  });

  test('a task whose runner died pauses it where it is', async () => {
    const at = bench();
    const child = at.child({ script: 'slow', start: { ms: 60_000 }, id: 'slow-1' });
    await child.until((event) => event.type === 'step.started' && event.name === 'second');
    child.kill('SIGKILL');
    await child.ended;
    const engine = await at.open();
    await engine.pause('slow-1', 'later');
    expect(await engine.state('slow-1')).toMatchObject({ status: 'paused', data: { pause_reason: 'later' } });
  });

  test('a request that a dead runner never took does not stop the next run', async () => {
    const at = bench();
    const child = at.child({ script: 'asks', start: {}, id: 'asks-1' });
    await child.until((event) => event.type === 'task.status' && event.to === 'waiting');
    child.kill('SIGSTOP');
    const engine = await at.open({ tasks: [scripts(at.note).asks!] });
    await engine.pause('asks-1');
    child.kill('SIGKILL');
    await child.ended;
    const { result } = await engine.resume('asks-1');
    await engine.answer('asks-1', 'on');
    expect(await result).toBe('on');
  });

  test('what is not running, or not there, is refused', async () => {
    const engine = await bench().open();
    const quick = defineTask('quick', () => 1);
    const queued = await engine.enqueue(quick, undefined);
    await expect(engine.pause(queued)).rejects.toMatchObject({ code: 'ILLEGAL_TRANSITION' });
    await expect(engine.pause('nobody')).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
  });
});

describe('cancelling', () => {
  test('a running task pauses it first, and is final', async () => {
    const { definition, begun, letGo } = held();
    const engine = await bench().open({ tasks: [definition] });
    const moves: string[] = [];
    engine.on('task.status', ({ to }) => moves.push(to));
    const { id, outcome } = await engine.start(definition, undefined);
    await begun;
    await engine.cancel(id, 'not wanted');
    letGo();
    expect(await outcome).toEqual({ status: 'cancelled', reason: 'not wanted' });
    expect(moves).toEqual(['queued', 'in_progress', 'paused', 'cancelled']);
    await expect(engine.resume(id)).rejects.toMatchObject({ code: 'NOT_RESUMABLE' });
  });

  test('outranks a request to pause that has not been met', async () => {
    const { definition, begun, letGo } = held();
    const engine = await bench().open();
    const { id, outcome } = await engine.start(definition, undefined);
    await begun;
    await engine.pause(id);
    await engine.cancel(id, 'after all');
    letGo();
    expect(await outcome).toEqual({ status: 'cancelled', reason: 'after all' });
  });

  test('a task that waits, is queued, or runs elsewhere', async () => {
    const at = bench();
    const engine = await at.open();
    const waits = defineTask('waits', (task) => task.waitFor('user_input'));
    const { id, outcome } = await engine.start(waits, undefined);
    await reach(engine, id, 'waiting');
    await engine.cancel(id);
    expect((await outcome).status).toBe('cancelled');

    const queued = await engine.enqueue(waits, undefined);
    await engine.cancel(queued);
    expect((await engine.state(queued))?.status).toBe('cancelled');
    expect(await engine.storage.list('queue')).toEqual([]);

    const child = at.child({ script: 'slow', start: { ms: null }, id: 'slow-1' });
    await child.until((event) => event.type === 'step.started' && event.name === 'second');
    await engine.cancel('slow-1');
    await child.until((event) => event.type === 'outcome' && event.outcome.status === 'cancelled');
    expect((await engine.state('slow-1'))?.status).toBe('cancelled');
  });
});

describe.each(['SIGINT', 'SIGTERM'] as const)('%s', (signal) => {
  test('pauses at the next safe point, then ends the process as it asks', async () => {
    const at = bench();
    const child = at.child({ script: 'slow', start: { ms: null }, id: 'slow-1' });
    await child.until((event) => event.type === 'step.started' && event.name === 'second');
    child.kill(signal);
    expect(await child.ended).toEqual({ code: null, signal });
    expect(at.notes()).toEqual(['first', 'second begins', 'second ends']);
    const engine = await at.open({ tasks: [scripts(at.note).slow!] });
    expect(await engine.state('slow-1')).toMatchObject({
      status: 'paused',
      data: { pause_reason: `stopped by ${signal}` },
    });
    expect(await engine.storage.load('history', 'slow-1')).toMatchObject({ status: 'paused' });
    expect(await (await engine.resume('slow-1')).result).toBe('done');
    expect(at.notes()).toEqual(['first', 'second begins', 'second ends', 'third']);
  });

  test('the second time stops at once; the task can be resumed', async () => {
    const at = bench();
    const child = at.child({ script: 'slow', start: { ms: 60_000 }, id: 'slow-1' });
    await child.until((event) => event.type === 'step.started' && event.name === 'second');
    child.kill(signal);
    // Two that come before it looks are one to a process.
    const again = setInterval(() => child.kill(signal), 100);
    expect(await child.ended).toEqual({ code: null, signal });
    clearInterval(again);
    expect(at.notes()).toEqual(['first', 'second begins']);
    const engine = await at.open();
    expect((await engine.state('slow-1'))?.status).toBe('in_progress');
    const next = at.child({ script: 'slow', resume: 'slow-1' });
    await next.until((event) => event.type === 'step.started' && event.name === 'second');
    await expect.poll(() => at.notes()).toEqual(['first', 'second begins', 'second begins']);
  });
});

test('a signal pauses the tasks of every engine in the process before it ends it', async () => {
  const at = bench();
  const program = fileURLToPath(new URL('./two-engines-child.ts', import.meta.url));
  for (const name of ['quick', 'slow']) mkdirSync(join(at.dir, name));
  const child = spawn(process.execPath, [program, at.dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([null, 'SIGTERM']);
  for (const name of ['quick', 'slow']) {
    const engine = await openEngine({ project_dir: join(at.dir, name), signals: false });
    expect((await engine.state(name))?.status).toBe('paused');
    await engine.close();
  }
});

describe('taking over', () => {
  test('a dead runner is noticed at once', async () => {
    const at = bench();
    const child = at.child({ script: 'slow', start: { ms: 60_000 }, id: 'slow-1' });
    await child.until((event) => event.type === 'step.started' && event.name === 'second');
    const engine = await at.open({ tasks: [scripts(at.note).slow!] });
    await expect(engine.resume('slow-1')).rejects.toMatchObject({ code: 'TASK_OWNED' });
    child.kill('SIGKILL');
    await child.ended;
    const { id, outcome } = await engine.resume('slow-1');
    await engine.pause(id);
    await engine.close();
    expect((await outcome).status).toBe('stopped');
  });

  test('of two who resume at the same time one wins, the other is told', async () => {
    const at = bench();
    const { definition, begun, letGo } = held();
    const first = await at.open({ tasks: [definition] });
    const { id } = await first.start(definition, undefined);
    await begun;
    await first.close();
    letGo();
    const engines = [await at.open({ tasks: [definition] }), await at.open({ tasks: [definition] })];
    const [a, b] = engines;
    const tries = await Promise.allSettled([a!.resume(id), b!.resume(id), a!.resume(id)]);
    const won = tries.filter((tried) => tried.status === 'fulfilled');
    const lost = tries.filter((tried) => tried.status === 'rejected');
    expect(won).toHaveLength(1);
    expect(lost.map(({ reason }) => (reason as { code: string }).code)).toEqual(['TASK_OWNED', 'TASK_OWNED']);
    await won[0]!.value.result;
  });

  test('a closed engine has let go of its tasks, also of a store it does not close', async () => {
    const at = bench();
    const { definition, begun, letGo } = held();
    const owner = await at.open();
    const first = await at.open({ storage: owner.storage });
    const { id, outcome } = await first.start(definition, undefined);
    await begun;
    await first.close();
    expect((await outcome).status).toBe('stopped');
    letGo();
    const second = await at.open({ storage: owner.storage, tasks: [definition] });
    await (await second.resume(id)).result;
  });

  test('what a stopped run still does comes to nothing', async () => {
    const at = bench();
    const { definition, begun, letGo, ran } = held();
    const owner = await at.open();
    const first = await at.open({ storage: owner.storage });
    const { id } = await first.start(definition, undefined);
    await begun;
    await first.close();
    const second = await at.open({ storage: owner.storage, tasks: [definition] });
    const { result } = await second.resume(id);
    letGo();
    await result;
    const { steps } = await second.history(id);
    expect(steps.map(({ name, attempts }) => [name, attempts.length])).toEqual([
      ['first', 1],
      ['second', 1],
      ['third', 1],
    ]);
    expect(ran.filter((name) => name === 'third')).toHaveLength(1);
  });
});

describe('the queue', () => {
  test('runs by priority, then the simpler first, then the older', async () => {
    const ran: string[] = [];
    const job = defineTask('job', (_task, name: string) => void ran.push(name));
    const engine = await bench().open();
    await engine.enqueue(job, 'low', { priority: 'low' });
    await engine.enqueue(job, 'normal, old');
    await engine.enqueue(job, 'hard', { priority: 'high', estimated_complexity: 'high' });
    await engine.enqueue(job, 'critical', { priority: 'critical', estimated_complexity: 'high' });
    await engine.enqueue(job, 'easy', { priority: 'high', estimated_complexity: 'low' });
    await engine.enqueue(job, 'unknown', { priority: 'high' });
    await engine.enqueue(job, 'normal, new');
    await engine.work();
    expect(ran).toEqual(['critical', 'easy', 'unknown', 'hard', 'normal, old', 'normal, new', 'low']);
    expect(await engine.storage.list('queue')).toEqual([]);
  });

  test('several workers, also on several engines, run each task once', async () => {
    const at = bench();
    const ran: number[] = [];
    const job = defineTask('job', (task, n: number) => task.step('run', () => void ran.push(n)));
    const engines = [await at.open({ tasks: [job] }), await at.open({ tasks: [job] })];
    for (let n = 0; n < 20; n++) await engines[0]!.enqueue(job, n);
    await Promise.all(engines.map((engine) => engine.work({ concurrency: 3 })));
    expect(ran.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n));
    expect(await engines[0]!.tasks({ status: 'completed' })).toHaveLength(20);
  });

  test('leaves alone what it has no code for, and what failed', async () => {
    const at = bench();
    const known = defineTask('known', () => 'ran');
    const fails = defineTask('fails', () => {
      throw new Error('no');
    });
    const other = await at.open();
    const unknown = await other.enqueue(
      defineTask('elsewhere', () => 1),
      undefined,
      { priority: 'critical' },
    );
    const failing = await other.enqueue(fails, undefined);
    const ours = await other.enqueue(known, undefined);
    const engine = await at.open({ tasks: [known, fails] });
    await engine.work();
    expect((await engine.state(unknown))?.status).toBe('queued');
    expect((await engine.state(failing))?.status).toBe('failed');
    expect((await engine.state(ours))?.status).toBe('completed');
  });
});

describe('failing', () => {
  test('a task that failed is resumed through the queue, and counts its retries', async () => {
    let works = false;
    const flaky = defineTask('flaky', (task) =>
      task.step('s', () => {
        if (!works) throw new TypeError('broken');
        return 'whole';
      }),
    );
    const engine = await bench().open({ tasks: [flaky] });
    const moves: string[] = [];
    engine.on('task.status', ({ from, to }) => moves.push(`${from} ${to}`));
    const { id, result } = await engine.start(flaky, undefined);
    await expect(result).rejects.toThrow('broken');
    expect(await engine.state(id)).toMatchObject({
      status: 'failed',
      data: { error_type: 'TypeError', error_message: 'broken', retry_count: 0, recoverable: true },
    });
    await (await engine.resume(id)).outcome;
    expect(await engine.state(id)).toMatchObject({ status: 'failed', data: { retry_count: 1 } });
    works = true;
    expect(await (await engine.resume(id)).result).toBe('whole');
    expect(moves).toEqual([
      'null queued',
      'queued in_progress',
      'in_progress failed',
      'failed queued',
      'queued in_progress',
      'in_progress failed',
      'failed queued',
      'queued in_progress',
      'in_progress completed',
    ]);
  });

  test('an error that says it is not recoverable ends the task for good', async () => {
    const engine = await bench().open();
    const hopeless = defineTask('hopeless', () => {
      throw Object.assign(new Error('no'), { recoverable: false });
    });
    const { id, outcome } = await engine.start(hopeless, undefined);
    await outcome;
    await expect(engine.resume(id)).rejects.toMatchObject({ code: 'NOT_RESUMABLE' });
  });

  test('steps side by side with one that failed end first and are recorded', async () => {
    const engine = await bench().open();
    const both = defineTask('both', (task) =>
      Promise.all([
        task.step('fails', () => {
          throw new Error('no');
        }),
        task.step('slow', () => sleep(30, 'slow')),
      ]),
    );
    const { id, outcome } = await engine.start(both, undefined);
    expect((await outcome).status).toBe('failed');
    expect((await engine.history(id)).steps.map(({ name, status }) => [name, status])).toEqual([
      ['fails', 'failed'],
      ['slow', 'success'],
    ]);
  });
});
