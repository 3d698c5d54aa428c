/** The harness decides whether a bar is held, so it is held to account itself: with made-up figures, never with time. */
import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { asTable, type Report } from '../../bench/harness/report.ts';
import { median, meets } from '../../bench/harness/rounds.ts';
import { type Comparison, type Figure, ratePerSecond, runBench } from '../../bench/harness.ts';

describe('median', () => {
  test('is the middle one, or the mean of the two in the middle', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([7])).toBe(7);
  });

  test('of nothing is refused', () => {
    expect(() => median([])).toThrow(RangeError);
  });

  test('does not reorder what it is given', () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });
});

test('a bar is met when it is reached exactly, and missed by the least bit', () => {
  expect(meets({ atLeast: 0.6 }, 0.6)).toBe(true);
  expect(meets({ atLeast: 0.6 }, 0.5999)).toBe(false);
  expect(meets({ atMost: 50, unit: 'ms' }, 50)).toBe(true);
  expect(meets({ atMost: 50, unit: 'ms' }, 50.01)).toBe(false);
});

describe('exit status', () => {
  test('is 0 when every figure meets its bar', async () => {
    const { status, printed } = await run([taking(40), taking(49)]);
    expect(status).toBe(0);
    expect(printed).not.toMatch(/miss|failed/);
  });

  test('is 1 when one figure misses its bar, and the table says which', async () => {
    const { status, printed } = await run([taking(40, 'quick'), taking(51, 'slow')]);
    expect(status).toBe(1);
    expect(lineOf(printed, 'quick')).toMatch(/pass$/);
    expect(lineOf(printed, 'slow')).toMatch(/≤ 50\.0 ms +51\.0 ms +51\.0 - 51\.0 ms +3 +miss$/);
  });

  test('is 1 when a figure cannot be measured; the others still are, and the reason is printed', async () => {
    const broken: Figure = { ...taking(1, 'broken'), prepare: () => Promise.reject(new Error('no server')) };
    const { status, printed } = await run([broken, taking(40, 'quick')]);
    expect(status).toBe(1);
    expect(lineOf(printed, 'broken')).toMatch(/failed$/);
    expect(lineOf(printed, 'quick')).toMatch(/pass$/);
    expect(printed).toContain('broken: no server');
  });

  test.each([
    ['an unknown option', ['--fast'], '--fast'],
    ['rounds that are no number', ['--rounds', 'many'], 'many'],
    ['no rounds', ['--rounds', '0'], '0'],
    ['a name that no figure has', ['--only', 'nothing'], 'nothing'],
  ])('is 2 for %s, which is named', async (_, args, named) => {
    const { status, printed, told } = await run([taking(1)], args);
    expect(status).toBe(2);
    expect(printed).toBe('');
    expect(told).toContain(named);
  });
});

describe('rounds', () => {
  test('the first does not count; the rest make median and spread', async () => {
    const { report } = await runJson([sequence([1000, 10, 40, 20])], ['--rounds', '3']);
    const [figure] = report.figures;
    expect(figure).toMatchObject({ measured: 20, spread: { min: 10, max: 40 }, verdict: 'pass' });
    expect(figure!.samples).toEqual([{ value: 10 }, { value: 40 }, { value: 20 }]);
  });

  test('of a comparison let the sides take turns, and compare within a round', async () => {
    const order: string[] = [];
    const rates = { floor: [1, 100, 10], subject: [1, 50, 9] };
    const side = (name: 'floor' | 'subject') => async () => {
      const turn = order.filter((each) => each === name).length;
      order.push(name);
      return rates[name][Math.floor(turn / 4)]!;
    };
    const sides: Comparison = { floor: side('floor'), subject: side('subject'), close: async () => {} };
    const figure: Figure = { name: 'ratio', bar: { atLeast: 0.6 }, how: '', prepare: async () => sides };
    const { report } = await runJson([figure], ['--rounds', '2']);
    const twoTurns = ['floor', 'subject', 'subject', 'floor'];
    expect(order).toEqual(Array.from({ length: 6 }, () => twoTurns).flat());
    expect(report.figures[0]).toMatchObject({ measured: 0.7, spread: { min: 0.5, max: 0.9 } });
    expect(report.figures[0]!.samples[0]).toEqual({ value: 0.5, floor: 100, subject: 50 });
  });

  test('end with closing, also when a round fails', async () => {
    let closed = 0;
    const close = async () => {
      closed++;
    };
    const good: Figure = { ...taking(1), prepare: async () => ({ measure: async () => 1, close }) };
    const failing: Figure = {
      ...taking(1),
      prepare: async () => ({ measure: () => Promise.reject(new Error('lost')), close }),
    };
    await run([good, failing]);
    expect(closed).toBe(2);
  });
});

test('--json prints one document with the machine, the bars and every round', async () => {
  const { status, report } = await runJson([taking(51, 'slow')], ['--rounds', '2']);
  expect(status).toBe(1);
  expect(report).toEqual({
    bench: 'made-up',
    date: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    machine: {
      platform: expect.any(String),
      cpus: expect.any(Number),
      cpu: expect.any(String),
      load: expect.any(Number),
      node: process.versions.node,
      file_system: expect.any(String),
    },
    load_at_end: expect.any(Number),
    passed: false,
    figures: [
      {
        name: 'slow',
        how: 'made up',
        bar: { atMost: 50, unit: 'ms' },
        verdict: 'miss',
        measured: 51,
        spread: { min: 51, max: 51 },
        samples: [{ value: 51 }, { value: 51 }],
      },
    ],
  });
});

test('the table says when other work was going on before it began', async () => {
  const { report } = await runJson([taking(1)], []);
  const table = (load: number) => asTable({ ...report, machine: { ...report.machine, cpus: 2, load } });
  expect(table(2)).not.toContain('Other work');
  expect(table(2.1)).toContain('Other work');
});

test('--only prepares and measures nothing else', async () => {
  const untouched: Figure = { ...taking(1, 'SQLite'), prepare: () => Promise.reject(new Error('touched')) };
  const { status, printed } = await run([untouched, taking(40, 'JSON')], ['--only', 'json']);
  expect(status).toBe(0);
  expect(printed).not.toContain('SQLite');
});

test('the columns of the table are aligned', async () => {
  const { printed } = await run([taking(4, 'a'), taking(40, 'a longer name')]);
  const rows = printed.split('\n').filter((line) => line.includes('≤'));
  expect(new Set(rows.map((row) => row.indexOf('pass'))).size).toBe(1);
  expect(rows[0]!.indexOf('pass')).toBeGreaterThan(0);
});

test('a rate counts what all workers did, each one thing at a time', async () => {
  const running = new Map<number, number>();
  let done = 0;
  const workers = [0, 1, 2].map((worker) => async () => {
    running.set(worker, (running.get(worker) ?? 0) + 1);
    expect(running.get(worker)).toBe(1);
    await new Promise(setImmediate);
    running.set(worker, 0);
    done++;
  });
  const start = performance.now();
  const rate = await ratePerSecond(workers);
  const slowest = (1000 * done) / (performance.now() - start);
  expect(running.size).toBe(3);
  expect(rate).toBeGreaterThanOrEqual(slowest);
});

function taking(milliseconds: number, name = 'figure'): Figure {
  const measure = async () => milliseconds;
  return {
    name,
    bar: { atMost: 50, unit: 'ms' },
    how: 'made up',
    prepare: async () => ({ measure, close: async () => {} }),
  };
}

function sequence(values: number[]): Figure {
  const measure = async () => values.shift()!;
  return { ...taking(0), prepare: async () => ({ measure, close: async () => {} }) };
}

async function run(figures: Figure[], args: string[] = ['--rounds', '3']) {
  let printed = '';
  let told = '';
  const status = await runBench(
    {
      name: 'made-up',
      figures,
      directory: tmpdir(),
      print: (text) => {
        printed += text;
      },
      tell: (text) => {
        told += `${text}\n`;
      },
    },
    args,
  );
  return { status, printed, told };
}

async function runJson(figures: Figure[], args: string[]): Promise<{ status: number; report: Report }> {
  const { status, printed } = await run(figures, [...args, '--json']);
  return { status, report: JSON.parse(printed) as Report };
}

function lineOf(table: string, name: string): string {
  return table.split('\n').find((line) => line.startsWith(name)) ?? '';
}
