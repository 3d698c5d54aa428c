/** How far ahead we have to be in the same run. Printed at its end; the page says what was measured, not what was hoped for. */
import type { Report } from '../harness/report.ts';
import { type FigureResult, resultOf, type Sample } from '../harness/rounds.ts';
import { type BackEndType, NAMES } from '../storage/back-ends.ts';
import type { Results, Row, TableId } from './results.ts';
import { PEERS, type PeerName } from './versions.ts';

interface PeerBars {
  readonly table: TableId;
  readonly what: string;
  readonly peer: PeerName;
  readonly atLeast: Readonly<Record<BackEndType, number>>;
}

const BARS: readonly PeerBars[] = [
  {
    table: 'steps-1',
    what: 'step',
    peer: 'restate',
    atLeast: { json: 4, sqlite: 4, postgres: 2 },
  },
  {
    table: 'steps-16',
    what: 'steps of 16 tasks',
    peer: 'restate',
    atLeast: { json: 3, sqlite: 5, postgres: 2.5 },
  },
];

/** Null where nothing that has a bar was measured. */
export function reportOf(results: Results, load_at_end: number): Report | null {
  const figures = BARS.flatMap((bars) => figuresOf(results, bars));
  if (figures.length === 0) return null;
  const { date, machine } = results;
  const passed = figures.every(({ verdict }) => verdict === 'pass');
  return { bench: 'peers', date, machine, load_at_end, passed, figures };
}

/** None where the peer was not asked for. */
function figuresOf({ tables, packages, absent }: Results, bars: PeerBars): FigureResult[] {
  const { table, what, peer, atLeast } = bars;
  const rows = tables.find(({ id }) => id === table)?.rows;
  if (!rows || !(packages[peer] ?? absent[peer])) return [];
  const { title } = PEERS[peer];
  const theirs = rowOf(rows, title, absent[peer]);
  return (Object.keys(NAMES) as BackEndType[]).map((type) => {
    const ours = rowOf(rows, `Vibe Engine, ${NAMES[type]}`);
    return resultOf(
      {
        name: `${NAMES[type]}: ${what} / ${title}`,
        how: 'steps per second relative to theirs, within each round',
        bar: { atLeast: atLeast[type] },
      },
      ours.failed ?? theirs.failed ?? ratios(ours, theirs),
    );
  });
}

function rowOf(rows: readonly Row[], name: string, failed = 'not measured'): Row {
  return rows.find((row) => row.name === name) ?? { name, ours: false, samples: [], failed };
}

/** Of the rounds that both have. */
function ratios(ours: Row, theirs: Row): Sample[] {
  return ours.samples.slice(0, theirs.samples.length).map((subject, round) => ({
    value: subject / theirs.samples[round]!,
    floor: theirs.samples[round]!,
    subject,
  }));
}
