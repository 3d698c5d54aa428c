/** The timeline of real tasks: rows, marks, what was rolled back, and why something ran again. */
import { describe, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { TimelineQuery } from '../../src/engine/reading/timeline/page.ts';
import type { TimelineView } from '../../src/engine/reading/timeline/timeline.ts';
import { newTaskId } from '../../src/system/ids.ts';
import { manualClock } from '../support/manual-clock.ts';
import { benches, latch, reach } from './setup.ts';

const bench = benches();

const look = (engine: Engine, task: string, query: Partial<TimelineQuery> = {}): Promise<TimelineView> =>
  engine.reader.timeline(task, { limit: 1000, ...query });

/** Rows in short: what, how it ended, why it ran again. */
function told({ rows }: TimelineView): string[] {
  return rows.map(
    ({ kind, name, status, why, dead }) =>
      [`${dead ? '(' : ''}${kind} ${name}`, status, ...(why ? [why.kind] : [])].join(' ') + (dead ? ')' : ''),
  );
}

const marks = ({ marks }: TimelineView, ...kinds: string[]) =>
  marks.filter(({ kind }) => (kinds.length > 0 ? kinds.includes(kind) : kind !== 'checkpoint'));

describe('a task that was killed', () => {
  test('has a bolt where its process died, and says why the next step ran', async () => {
    const at = bench();
    const id = newTaskId(new Date());
    const child = at.child({ script: 'slow', start: { ms: null }, id });
    await child.until((event) => event.type === 'step.started' && event.name === 'second');
    child.kill('SIGKILL');
    await child.ended;

    const engine = await at.open();
    const dead = await look(engine, id);
    expect(told(dead)).toEqual(['status in_progress success', 'message user success', 'step first success']);
    expect(marks(dead)).toMatchObject([{ kind: 'kill', row: 2, seq: dead.position }]);
    expect(dead.ended_at).toBeNull();

    const again = at.child({ script: 'slow', resume: id });
    await again.until((event) => event.type === 'step.started' && event.name === 'second');
    const running = await look(engine, id);
    expect(marks(running)).toMatchObject([
      { kind: 'kill', row: 2 },
      { kind: 'recovery', row: 3 },
    ]);
    again.kill('SIGKILL');
    await again.ended;
    // Killed again before anything was recorded: the bolt is at the end.
    expect(marks(await look(engine, id))).toMatchObject([
      { kind: 'kill', row: 2 },
      { kind: 'recovery', row: 3 },
      { kind: 'kill', row: 3 },
    ]);
  });

  test('an operation that was announced is cut off, and its outcome unknown', async () => {
    const at = bench();
    const begun = latch();
    let hang = true;
    const cut = defineTask('cut', async (task) => {
      await task.step('before', () => 1);
      await task.step(
        'deploy',
        () => {
          begun.resolve();
          return hang ? new Promise<never>(() => {}) : 'deployed';
        },
        { dangerous: 'external_api' },
      );
      await task.step('after', () => 2);
    });
    const first = await at.open({ tasks: [cut] });
    const { id } = await first.start(cut, undefined);
    await begun.promise;
    expect(await look(first, id)).toMatchObject({ open: 2, total: 3 });
    await first.close();
    hang = false;
    const second = await at.open({ tasks: [cut] });
    expect(marks(await look(second, id), 'kill')).toMatchObject([{ row: 2, text: 'stopped during deploy' }]);
    expect(told(await look(second, id)).at(-1)).toBe('step deploy unknown');
    expect(told(await look(second, id, { failed: true }))).toEqual(['step deploy unknown']);
    await (await second.resume(id)).result;
    const view = await look(second, id);
    expect(told(view)).toEqual([
      'status in_progress success',
      'step before success',
      'step deploy unknown',
      'recovery recovery success',
      'step deploy success cut_off',
      'step after success',
      'status completed success',
    ]);
    expect(view.rows[4]!.why).toMatchObject({ run: 1 });
    expect(view.open).toBeNull();
    expect(marks(view)).toMatchObject([
      { kind: 'kill', row: 2 },
      { kind: 'recovery', row: 3 },
      { kind: 'end' },
    ]);
    expect(view.ended_at).not.toBeNull();
  });
});

describe('what was rolled back', () => {
  test('stays as a dead stretch; a redo brings it back; a second run says why', async () => {
    const engine = await bench().open();
    const three = defineTask('three', async (task) => {
      for (const name of ['a', 'b', 'c']) await task.step(name, () => name);
      await task.waitFor('user_input', { prompt: 'Which way?' });
    });
    engine.register(three);
    const { id, outcome } = await engine.start(three, undefined);
    await reach(engine, id, 'waiting');
    await engine.pause(id, 'lunch');
    await outcome;
    const before = await look(engine, id);
    const back = before.rows.find(({ name }) => name === 'a')!.checkpoint!;
    await engine.rollback(back);
    const rolled = await look(engine, id);
    expect(told(rolled)).toEqual([
      'status in_progress success',
      'step a success',
      '(step b success)',
      '(step c success)',
      '(wait user_input pending)',
      '(status paused success)',
      'rollback rollback success',
    ]);
    const { seq: after_seq } = rolled.marks.find(({ kind, id }) => kind === 'checkpoint' && id === back)!;
    const stretch = { from_row: 2, to_row: 5, after_seq, rollback_seq: rolled.rows[6]!.seq };
    expect(rolled.dead).toEqual([{ ...stretch, redone: false }]);
    expect(rolled.rows[6]!.checkpoint).not.toBeNull();
    expect(rolled.rows[3]!.checkpoint).toBe(back);

    await engine.redo(id);
    const redone = await look(engine, id);
    expect(redone.dead).toEqual([{ ...stretch, redone: true }]);
    expect(redone.rows.slice(0, 6).map(({ dead }) => dead)).toEqual([
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(told(redone).slice(6)).toEqual(['(rollback rollback success)', 'redo redo success']);

    await engine.rollback(back);
    const resumed = await engine.resume(id);
    await reach(engine, id, 'waiting');
    const again = await look(engine, id);
    expect(told(again).slice(9)).toEqual([
      'recovery recovery success',
      'step b success rolled_back',
      'step c success rolled_back',
      'wait user_input pending rolled_back',
    ]);
    expect(marks(again, 'kill')).toEqual([]);
    await engine.answer(id, 'left');
    await resumed.result;
    const ended = await look(engine, id);
    expect(told(ended).slice(12)).toEqual([
      'wait user_input success rolled_back',
      'answer answered success',
      'status completed success',
    ]);
    expect(marks(ended, 'wait', 'answer').map(({ kind, text }) => [kind, text])).toEqual([
      ['wait', 'Which way?'],
      ['wait', 'Which way?'],
      ['answer', 'left'],
    ]);
  });
});

test('an operation is rolled back with its end, also where its begin stays', async () => {
  const engine = await bench().open();
  const sends = defineTask('sends', async (task) => {
    await task.step('send', () => 'sent', { dangerous: true });
    await task.waitFor('user_input', { prompt: 'And now?' });
  });
  engine.register(sends);
  const { id, outcome } = await engine.start(sends, undefined);
  await reach(engine, id, 'waiting');
  await engine.pause(id, 'lunch');
  await outcome;
  const checkpoints = await engine.checkpoints.listCheckpoints(id);
  const before = checkpoints.find(({ trigger }) => trigger === 'before_external_api');
  expect(before, checkpoints.map(({ trigger }) => trigger).join()).toBeDefined();
  await engine.rollback(before!.id);
  expect(told(await look(engine, id)).slice(1, 2)).toEqual(['(step send success)']);
  await engine.redo(id);
  expect(told(await look(engine, id)).slice(1, 2)).toEqual(['step send success']);
});

test('retries say what failed before; lanes are those of agents; waits are folded', async () => {
  const clock = manualClock(new Date('2026-05-01T10:00:00.000Z'));
  const engine = await bench().open({ clock });
  let tries = 0;
  const busy = defineTask('busy', async (task) => {
    await task.step('alone', () => clock.advance(100));
    await task.agent('tests', async (agent) => {
      await agent.step(
        'flaky',
        () => {
          if (++tries < 2) throw new TypeError('no such thing');
        },
        { retry: { attempts: 2, first_delay_ms: 1 } },
      );
    });
    await task.waitFor('human_approval', { prompt: 'Commit?' });
    await task.step('commit', () => clock.advance(100));
  });
  const { id, result } = await engine.start(busy, undefined);
  await reach(engine, id, 'waiting');
  clock.advance(7_200_000);
  await engine.answer(id, true);
  await result;
  const view = await look(engine, id, { bins: 10 });
  expect(told(view)).toEqual([
    'status in_progress success',
    'step alone success',
    'step flaky failed',
    'step flaky success retry',
    'agent tests success',
    'wait human_approval success',
    'answer answered success',
    'step commit success',
    'status completed success',
  ]);
  expect(view.rows[3]!.why).toEqual({
    kind: 'retry',
    attempt: 2,
    error: 'TypeError: no such thing',
    text: 'Attempt 2, since the one before had failed: TypeError: no such thing',
  });
  expect(view.lanes.map(({ agent, name, rows }) => [agent, name, rows])).toEqual([
    [null, '', 6],
    ['/tests', 'tests', 3],
  ]);
  expect(view.gaps).toMatchObject([{ after_row: 5, to: view.rows[6]!.at }]);
  expect(view.gaps[0]!.ms).toBeGreaterThan(7_000_000);
  expect(view.bins.reduce((sum, { rows }) => sum + rows, 0)).toBe(9);
  expect(told(await look(engine, id, { failed: true }))).toEqual(['step flaky failed']);
  const tests = await look(engine, id, { agent: '/tests', from: 3, limit: 1 });
  expect(tests).toMatchObject({ matching: 3, total: 9, rows: [{ row: 3 }] });
  expect((await look(engine, id, { limit: 2 })).rows.map(({ row }) => row)).toEqual([7, 8]);
});

test('marks are thinned only where there are more of them than parts', async () => {
  const clock = manualClock(new Date('2026-05-01T10:00:00.000Z'));
  const engine = await bench().open({ clock });
  const bursts = defineTask('bursts', async (task) => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await task.step(name, () => 1);
    await task.step('last', () => clock.advance(500));
  });
  engine.register(bursts);
  const { id, result } = await engine.start(bursts, undefined);
  await result;
  const every = (await look(engine, id)).marks;
  expect(every.filter(({ kind }) => kind === 'checkpoint').length).toBeGreaterThan(6);
  expect((await look(engine, id, { bins: 20 })).marks).toEqual(every);
  expect(marks(await look(engine, id, { bins: 2 }), 'checkpoint').length).toBeLessThanOrEqual(2);
});

test('a fork shows what it continues, and the task it comes from where it leaves', async () => {
  const engine = await bench().open();
  const two = defineTask('two', async (task) => {
    await task.step('a', () => 1);
    await task.step('b', () => 2);
  });
  engine.register(two);
  const { id, result } = await engine.start(two, undefined);
  await result;
  const { rows } = await look(engine, id);
  const from = rows.find(({ name }) => name === 'a')!;
  const fork = await engine.fork(from.checkpoint!);
  await (await engine.resume(fork.id)).result;
  const view = await look(engine, fork.id);
  expect(told(view)).toEqual([
    'status in_progress success',
    'step a success',
    'fork fork success',
    'recovery recovery success',
    'step b success forked',
    'status completed success',
  ]);
  expect(view.rows.map(({ task }) => task)).toEqual([id, id, null, null, null, null]);
  expect(view.rows[1]!.checkpoint).toBeNull();
  expect(marks(await look(engine, id), 'fork')).toMatchObject([
    { task: fork.id, row: from.row, id: from.checkpoint },
  ]);
  const after = await look(engine, id);
  const left = after.marks.find(({ kind, task }) => kind === 'fork' && task === fork.id)!;
  const made = after.marks.find((mark) => mark.kind === 'checkpoint' && mark.id === from.checkpoint)!;
  expect(left.at).toBe(made.at);
  expect(Date.parse(left.text!)).toBeGreaterThan(Date.parse(left.at));
});

describe('why something ran again', () => {
  const whyOf = ({ rows }: TimelineView, name: string) => rows.findLast((row) => row.name === name)!.why;

  test('the process died before it was recorded', async () => {
    const at = bench();
    const begun = latch();
    let hang = true;
    const plain = defineTask('plain', async (task) => {
      await task.step('before', () => 1);
      await task.step('second', () => {
        begun.resolve();
        return hang ? new Promise<never>(() => {}) : 2;
      });
      await task.step('third', () => 3);
    });
    const first = await at.open({ tasks: [plain] });
    const { id } = await first.start(plain, undefined);
    await begun.promise;
    await first.close();
    hang = false;
    const second = await at.open({ tasks: [plain] });
    await (await second.resume(id)).result;
    const view = await look(second, id);
    expect(whyOf(view, 'second')).toEqual({
      kind: 'not_recorded',
      text: 'The process died just before this. If it had started, nothing was recorded, and it ran from the start.',
    });
    expect(whyOf(view, 'third')).toBeNull();
  });

  test('nobody had answered in time', async () => {
    const clock = manualClock(new Date('2026-01-01T00:00:00.000Z'));
    const at = bench();
    const asks = defineTask('asks', (task) =>
      task.waitFor('user_input', { prompt: 'Which way?', timeout_ms: 1000 }),
    );
    const first = await at.open({ tasks: [asks], clock });
    const { id } = await first.start(asks, undefined);
    await reach(first, id, 'waiting');
    await first.close();
    clock.advance(2000);
    const second = await at.open({ tasks: [asks], clock });
    await (await second.resume(id)).outcome;
    await second.retry(id);
    await reach(second, id, 'waiting');
    expect(whyOf(await look(second, id), 'user_input')).toEqual({
      kind: 'asked_again',
      text: 'Nobody had answered in time, and the retry asked again.',
    });
  });

  test('its code was changed', async () => {
    const at = bench();
    const old = defineTask('changes', async (task) => {
      await task.waitFor('user_input', { prompt: 'Which way?' });
      return task.step('old way', () => 1);
    });
    const first = await at.open({ tasks: [old] });
    const { id, outcome } = await first.start(old, undefined);
    await reach(first, id, 'waiting');
    await first.pause(id);
    await outcome;
    await first.close();
    const changed = defineTask('changes', async (task) => {
      await task.waitFor('user_input', { prompt: 'Which way?' });
      return task.step('new way', () => 2);
    });
    const second = await at.open({ tasks: [changed] });
    const { result } = await second.resume(id);
    await second.answer(id, 'left');
    await result;
    expect(whyOf(await look(second, id), 'new way')).toMatchObject({ kind: 'code_changed' });
  });
});
