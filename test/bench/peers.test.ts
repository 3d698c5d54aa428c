/** What `bench:peers` says about its samples, with made-up ones: no peer is installed here, and nothing is timed. */
import { describe, expect, test } from 'vitest';
import { reportOf } from '../../bench/peers/bars.ts';
import { parseOptions } from '../../bench/peers/options.ts';
import { advantage, rounded } from '../../bench/peers/page/figures.ts';
import { pageOf } from '../../bench/peers/page/page.ts';
import { readmeTable } from '../../bench/peers/page/readme.ts';
import type { Results, Row } from '../../bench/peers/results.ts';
import { takeRounds } from '../../bench/peers/rounds.ts';
import { judge } from '../../bench/peers/sections/recovery.ts';

describe('rounds', () => {
  test('let everyone take turns, begin with another each time, and do not count the first', async () => {
    const order: string[] = [];
    const side = (name: string) => ({
      name,
      ours: name === 'a',
      measure: async (round: number) => {
        order.push(name);
        return round * 10;
      },
    });
    const rows = await takeRounds([side('a'), side('b')], 2);
    expect(order.join('')).toBe('abbaab');
    expect(rows).toEqual([
      { name: 'a', ours: true, samples: [10, 20] },
      { name: 'b', ours: false, samples: [10, 20] },
    ]);
  });

  test('go on without the one that fails, and say why', async () => {
    const good = { name: 'good', ours: true, measure: async () => 1 };
    const bad = { name: 'bad', ours: false, measure: () => Promise.reject(new Error('no\nserver')) };
    const rows = await takeRounds([bad, good], 3);
    expect(rows[0]).toEqual({ name: 'bad', ours: false, samples: [], failed: 'no server' });
    expect(rows[1]!.samples).toEqual([1, 1, 1]);
  });
});

describe('how many times as good we are', () => {
  const row = (...samples: number[]): Row => ({ name: 'x', ours: false, samples });

  test('is the median of the ratios within a round, above 1 where we are ahead', () => {
    expect(advantage({ id: 'steps-1' }, row(10, 40, 30), row(10, 20, 10))).toBe(2);
    expect(advantage({ id: 'load' }, row(10, 40, 30), row(10, 20, 10))).toBe(0.5);
  });

  test('is unknown where one was not measured', () => {
    expect(advantage({ id: 'load' }, row(1), row())).toBeNull();
  });
});

test.each([
  [12_345, '12,300'],
  [123.4, '123'],
  [12.34, '12.3'],
  [1.234, '1.23'],
  [0.01234, '0.01'],
])('%d is shown as %s', (value, text) => {
  expect(rounded(value)).toBe(text);
});

test('a recovery is judged by the steps that ran: all of them, once each but for the one in flight', () => {
  const log = (...ran: number[]) => ran.map((n) => `${n}\n`).join('');
  expect(judge(log(0, 1, 2, 2, 3), 4, 2)).toEqual({ repeated: 0, missing: 0, inFlight: true });
  expect(judge(log(0, 1, 2, 0, 1, 2, 3), 4, 2)).toEqual({ repeated: 2, missing: 0, inFlight: true });
  expect(judge(log(0, 1, 2), 4, 2)).toEqual({ repeated: 0, missing: 1, inFlight: false });
});

describe('the page', () => {
  const machine = { platform: 'x', cpus: 2, cpu: 'x', load: 0, node: '24.0.0', file_system: 'ext4' };
  const row = (name: string, ours: boolean, ...samples: number[]): Row => ({ name, ours, samples });
  const results: Results = {
    date: '2026-11-16T00:00:00.000Z',
    machine,
    sizes: parseOptions([]).sizes,
    git: 'git version 2',
    packages: { langgraph: ['a@1'] },
    absent: { restate: 'no such platform' },
    failed: { merges: 'no memory' },
    tables: [
      {
        id: 'steps-1',
        rows: [
          row('Vibe Engine, JSON', true, 100, 300),
          row('LangGraph, graph', false, 200, 300),
          { ...row('DBOS', false), failed: 'no server' },
        ],
      },
    ],
  };

  test('names who was not measured, with the reason', () => {
    const page = pageOf(results);
    expect(page).toContain('| Restate | – | **Not measured**: no such platform |');
    expect(page).toContain('**Not measured**: merges: no memory');
    expect(page).toContain('| DBOS | – | – | – | not measured: no server |');
  });

  test('says where others are ahead', () => {
    expect(pageOf(results)).toContain(
      '- Steps of one task: LangGraph, graph is 1.33 times as fast as Vibe Engine, JSON.',
    );
  });

  test('says when the machine was busy or the run was small', () => {
    expect(pageOf(results)).not.toContain('Preliminary');
    const busy = { ...results, machine: { ...machine, load: 9 } };
    const small = { ...results, sizes: parseOptions(['--quick']).sizes };
    for (const text of [pageOf(busy), readmeTable(busy), pageOf(small)])
      expect(text).toContain('Preliminary');
  });

  test('gives the README its medians', () => {
    expect(readmeTable(results)).toContain(
      '| durable steps of 1 KB per second, one task | JSON: 200 | LangGraph, graph: 250 |',
    );
  });
});

describe('the bars', () => {
  const machine = { platform: 'x', cpus: 2, cpu: 'x', load: 0, node: '24.0.0', file_system: 'ext4' };
  const row = (name: string, ...samples: number[]): Row => ({
    name,
    ours: name.startsWith('Vibe'),
    samples,
  });
  const ours = [
    row('Vibe Engine, JSON', 40, 90),
    row('Vibe Engine, SQLite', 39, 80),
    row('Vibe Engine, PostgreSQL', 20, 40),
  ];
  const base: Results = {
    date: '2026-11-16T00:00:00.000Z',
    machine,
    sizes: parseOptions([]).sizes,
    git: 'git version 2',
    packages: { restate: ['a@1'] },
    absent: {},
    failed: {},
    tables: [{ id: 'steps-1', rows: [...ours, row('Restate', 10, 20)] }],
  };
  const shown = (results: Results) =>
    reportOf(results, 0)?.figures.map(({ name, verdict, measured }) => [name, verdict, measured]);

  test('are held by the ratios within a round', () => {
    expect(shown(base)).toEqual([
      ['JSON: step / Restate', 'pass', 4.25],
      ['SQLite: step / Restate', 'miss', 3.95],
      ['PostgreSQL: step / Restate', 'pass', 2],
    ]);
    expect(reportOf(base, 0)).toMatchObject({ bench: 'peers', passed: false });
  });

  test('are not met when one side could not be measured, which is said', () => {
    const failing = { ...row('Restate'), failed: 'no server' };
    const failed = reportOf({ ...base, tables: [{ id: 'steps-1', rows: [...ours, failing] }] }, 0)!;
    const absent = reportOf(
      { ...base, packages: {}, absent: { restate: 'no server' }, tables: [{ id: 'steps-1', rows: ours }] },
      0,
    )!;
    for (const report of [failed, absent]) {
      expect(report.passed).toBe(false);
      expect(report.figures.map(({ verdict, error }) => [verdict, error])).toEqual(
        Array.from({ length: 3 }, () => ['failed', 'no server']),
      );
    }
  });

  test('are left out when the peer or the section was not asked for, and are not on the page', () => {
    expect(reportOf({ ...base, packages: { dbos: ['a@1'] } }, 0)).toBeNull();
    expect(reportOf({ ...base, tables: [] }, 0)).toBeNull();
    expect(pageOf(base)).not.toContain('miss');
  });
});

test('only a whole run may be written', () => {
  expect(parseOptions([]).whole).toBe(true);
  expect(parseOptions(['--quick']).whole).toBe(false);
  expect(parseOptions(['--rounds', '3'])).toMatchObject({ whole: false, sizes: { rounds: 3, fewRounds: 3 } });
  expect(() => parseOptions(['--rounds', 'many'])).toThrow('many');
  expect(parseOptions(['--only', 'langgraph'])).toMatchObject({ whole: false, peers: ['langgraph'] });
  expect(() => parseOptions(['--only', 'nobody'])).toThrow('nobody');
});
