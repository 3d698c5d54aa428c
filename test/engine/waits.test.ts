/** Waiting for people and for time: answered from anywhere, once, across restarts. */
import { describe, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { manualClock } from '../support/manual-clock.ts';
import { scripts } from './scripts.ts';
import { benches, reach } from './setup.ts';

const bench = benches();
const DAY = 86_400_000;

describe('an answer', () => {
  test('comes from the same process, and says who gave it', async () => {
    const engine = await bench().open();
    const asks = defineTask('asks', (task) =>
      task.waitFor<{ ok: boolean }>('human_approval', { prompt: 'Deploy?' }),
    );
    const { id, result } = await engine.start(asks, undefined);
    await reach(engine, id, 'waiting');
    expect((await engine.state(id))?.data).toEqual({
      waiting_for: 'human_approval',
      prompt_shown_to_user: 'Deploy?',
      timeout_at: null,
      waits: [{ id: '/wait#1', kind: 'human_approval', prompt: 'Deploy?', timeout_at: null }],
      progress: 0,
    });
    await engine.answer(id, { ok: true }, { by: 'ann' });
    expect(await result).toEqual({ ok: true });
    const entries: unknown[] = [];
    for await (const { data } of engine.storage.read(id)) entries.push(data);
    expect(entries).toContainEqual(expect.objectContaining({ t: 'answer', by: 'ann', outcome: 'answered' }));
    expect(await engine.storage.list('inbox')).toEqual([]);
  });

  test('comes from another process while the task runs there', async () => {
    const at = bench();
    const child = at.child({ script: 'asks', start: {}, id: 'asks-1' });
    await child.until((event) => event.type === 'task.status' && event.to === 'waiting');
    const engine = await at.open();
    await engine.answer('asks-1', 'left');
    await child.until((event) => event.type === 'outcome' && event.outcome.status === 'completed');
    expect(at.notes()).toEqual(['before', 'after left']);
  });

  test('is kept until the task is resumed, by whomever', async () => {
    const at = bench();
    const child = at.child({ script: 'asks', start: {}, id: 'asks-1' });
    await child.until((event) => event.type === 'task.status' && event.to === 'waiting');
    child.kill('SIGKILL');
    await child.ended;
    const engine = await at.open({ tasks: [scripts(at.note).asks!] });
    await engine.answer('asks-1', 'right');
    expect(await (await engine.resume('asks-1')).result).toBe('right');
    expect(at.notes()).toEqual(['before', 'after right']);
  });

  test('is remembered: a task that is resumed after it does not ask again', async () => {
    const at = bench();
    const asked = defineTask('asked', async (task) => {
      const answer = await task.waitFor<string>('user_input');
      await task.step('use', () => at.note(answer));
      await task.waitFor('external_api');
      return answer;
    });
    const before = await at.open({ tasks: [asked] });
    const { id } = await before.start(asked, undefined);
    await reach(before, id, 'waiting');
    await before.answer(id, 'once');
    await expect.poll(() => at.notes()).toEqual(['once']);
    await before.close();
    const engine = await at.open({ tasks: [asked] });
    const { result } = await engine.resume(id);
    await engine.answer(id, 'twice');
    expect(await result).toBe('once');
    expect(at.notes()).toEqual(['once']);
  });

  test('may be large', async () => {
    const engine = await bench().open();
    const asks = defineTask('asks', (task) => task.waitFor<string>('user_input'));
    const { id, result } = await engine.start(asks, undefined);
    await reach(engine, id, 'waiting');
    await engine.answer(id, 'x'.repeat(300_000));
    expect(await result).toHaveLength(300_000);
  });

  test('given twice does not answer the next question', async () => {
    const at = bench();
    const asks = defineTask('asks', async (task) => {
      const first = await task.waitFor<string>('human_approval', { prompt: 'Test?' });
      const second = await task.waitFor<string>('human_approval', { prompt: 'Deploy?' });
      return [first, second];
    });
    const before = await at.open({ tasks: [asks] });
    const { id } = await before.start(asks, undefined);
    await reach(before, id, 'waiting');
    await before.close();

    const engine = await at.open({ tasks: [asks] });
    await engine.answer(id, 'yes, test', { by: 'ann' });
    await expect(engine.answer(id, 'yes, test')).rejects.toMatchObject({
      code: 'QUESTION_ANSWERED',
      message: 'ann has already answered this question: yes, test.',
    });
    const { result } = await engine.resume(id);
    await expect
      .poll(async () => (await engine.state(id))?.data)
      .toMatchObject({ prompt_shown_to_user: 'Deploy?' });
    await engine.answer(id, 'no');
    expect(await result).toEqual(['yes, test', 'no']);
  });

  test('names its wait where several are open', async () => {
    const engine = await bench().open();
    const asks = defineTask('asks', (task) =>
      Promise.all([task.waitFor('user_input'), task.agent('a', (a) => a.waitFor('user_input'))]),
    );
    const { id, result } = await engine.start(asks, undefined);
    await reach(engine, id, 'waiting');
    await engine.answer(id, 'agent', { wait: '/a/wait#1' });
    await engine.answer(id, 'task');
    expect(await result).toEqual(['task', 'agent']);
  });

  test('to a task that is over, or not there, is refused', async () => {
    const engine = await bench().open();
    const quick = defineTask('quick', () => 1);
    const { id, result } = await engine.start(quick, undefined);
    await result;
    await expect(engine.answer(id, 1)).rejects.toMatchObject({ code: 'NOT_RESUMABLE' });
    await expect(engine.answer('nobody', 1)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
  });
});

describe('a time limit', () => {
  const asks = defineTask('asks', async (task, { timeout_ms }: { timeout_ms: number }) => {
    try {
      return await task.waitFor<string>('user_input', { timeout_ms });
    } catch (error) {
      return (error as { code: string }).code;
    }
  });

  test('ends the wait with a typed error the task may catch', async () => {
    const engine = await bench().open();
    expect(await engine.run(asks, { timeout_ms: 20 })).toBe('WAIT_TIMEOUT');
  });

  test('holds while nobody runs the task, and is remembered', async () => {
    const at = bench();
    const clock = manualClock(new Date('2026-01-01T00:00:00.000Z'));
    const before = await at.open({ tasks: [asks], clock });
    const { id } = await before.start(asks, { timeout_ms: DAY });
    await reach(before, id, 'waiting');
    expect((await before.state(id))?.data).toMatchObject({ timeout_at: '2026-01-02T00:00:00.000Z' });
    await before.close();
    clock.advance(DAY + 1);
    const engine = await at.open({ tasks: [asks], clock });
    expect(await (await engine.resume(id)).result).toBe('WAIT_TIMEOUT');
  });

  test('does not undo an answer that came before it', async () => {
    const at = bench();
    const clock = manualClock(new Date('2026-01-01T00:00:00.000Z'));
    const before = await at.open({ tasks: [asks], clock });
    const { id } = await before.start(asks, { timeout_ms: DAY });
    await reach(before, id, 'waiting');
    await before.close();
    const engine = await at.open({ tasks: [asks], clock });
    await engine.answer(id, 'in time');
    clock.advance(2 * DAY);
    expect(await (await engine.resume(id)).result).toBe('in time');
  });

  test('refuses an answer that comes after it', async () => {
    const at = bench();
    const clock = manualClock(new Date('2026-01-01T00:00:00.000Z'));
    const before = await at.open({ tasks: [asks], clock });
    const { id } = await before.start(asks, { timeout_ms: DAY });
    await reach(before, id, 'waiting');
    await before.close();
    clock.advance(2 * DAY);
    const engine = await at.open({ tasks: [asks], clock });
    await expect(engine.answer(id, 'late')).rejects.toMatchObject({ code: 'WAIT_TIMEOUT' });
    expect(await (await engine.resume(id)).result).toBe('WAIT_TIMEOUT');
  });

  test('of a month does not run out at once', async () => {
    const engine = await bench().open();
    const { id, result } = await engine.start(asks, { timeout_ms: 30 * DAY });
    await reach(engine, id, 'waiting');
    await new Promise((resolve) => setTimeout(resolve, 50));
    await engine.answer(id, 'still there');
    expect(await result).toBe('still there');
  });
});

describe('sleeping', () => {
  test('goes on across restarts: what has passed is not slept again', async () => {
    const at = bench();
    const clock = manualClock(new Date('2026-01-01T00:00:00.000Z'));
    const { sleeps } = scripts(at.note);
    const before = await at.open({ tasks: [sleeps!], clock });
    const { id } = await before.start(sleeps!, { ms: 30 * DAY } as never);
    await expect.poll(() => at.notes()).toEqual(['before']);
    await before.close();
    clock.advance(31 * DAY);
    const engine = await at.open({ tasks: [sleeps!], clock });
    await (await engine.resume(id)).result;
    expect(at.notes()).toEqual(['before', 'after']);
  });

  test('can be paused, and ends at its time', async () => {
    const at = bench();
    const { sleeps } = scripts(at.note);
    const engine = await at.open({ tasks: [sleeps!] });
    const { id, outcome } = await engine.start(sleeps!, { ms: 150 } as never);
    await expect.poll(() => at.notes()).toEqual(['before']);
    await engine.pause(id);
    expect(await outcome).toMatchObject({ status: 'paused' });
    await (await engine.resume(id)).result;
    expect(at.notes()).toEqual(['before', 'after']);
  });
});

test('waiting and sleeping inside a step are refused: a step has to end before the task can pause', async () => {
  const engine = await bench().open();
  const waits = defineTask('waits', (task) => task.step('s', () => task.waitFor('user_input')));
  await expect(engine.run(waits, undefined)).rejects.toMatchObject({ code: 'USAGE' });
  const sleeps = defineTask('sleeps', (task) => task.step('s', () => task.sleep(1)));
  await expect(engine.run(sleeps, undefined)).rejects.toMatchObject({ code: 'USAGE' });
});

describe('questions side by side', () => {
  const asksTwo = defineTask('asks two', (task) =>
    Promise.all([
      task.waitFor<string>('user_input', { prompt: 'Which way?' }),
      task.agent('other', (agent) => agent.waitFor<string>('human_approval', { prompt: 'Sure?' })),
    ]),
  );

  test('are listed, answered by their ids, and shown one after the other', async () => {
    const engine = await bench().open();
    const { id, result } = await engine.start(asksTwo, undefined);
    await expect.poll(async () => (await engine.waits(id)).length).toBe(2);
    const waits = await engine.waits(id);
    expect(waits).toMatchObject([
      { id: '/wait#1', kind: 'user_input', prompt: 'Which way?', timeout_at: null, answered: false },
      { id: '/other/wait#1', kind: 'human_approval', prompt: 'Sure?' },
    ]);
    const shown = async () => (await engine.state(id))?.data;
    await expect.poll(shown).toMatchObject({ prompt_shown_to_user: 'Which way?' });
    await engine.answer(id, 'left', { wait: waits[0]!.id });
    await expect.poll(shown).toMatchObject({ waiting_for: 'human_approval', prompt_shown_to_user: 'Sure?' });
    await engine.answer(id, 'yes', { wait: waits[1]!.id });
    expect(await result).toEqual(['left', 'yes']);
    expect(await engine.waits(id)).toEqual([]);
  });

  test('that nobody asks are not answered', async () => {
    const engine = await bench().open();
    const { id } = await engine.start(asksTwo, undefined);
    await reach(engine, id, 'waiting');
    await expect(engine.answer(id, 'x', { wait: '/wait#9' })).rejects.toMatchObject({
      code: 'USAGE',
      data: { open: expect.arrayContaining(['/wait#1']) },
    });
    expect(await engine.storage.list('inbox')).toEqual([]);
  });
});
