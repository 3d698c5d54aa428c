/** A long conversation: what it takes on the disk, and how soon it is there again. */
import { TURN_BYTES } from '../../engine/turns.ts';
import type { Row, Table } from '../results.ts';
import { reasonOf, type Side, takeRounds, threeDigits } from '../rounds.ts';
import { type Opened, openAll, type Site, workerOf } from './site.ts';

/** Nobody may take all evening; who is stopped says how far it came. */
const LIMIT_MS = 150_000;

export async function growthTables(site: Site): Promise<Table[]> {
  const { opened, left } = await openAll(site, 'converse');
  const growth: Row[] = [];
  const kept: (Opened & { turns: number })[] = [];
  try {
    for (const each of opened) {
      const { name, peer } = each.contender;
      site.tell(`${site.sizes.turns} turns: ${name}`);
      const row = { name, ours: peer === null };
      try {
        const { turns, bytes } = await converse(each, site.sizes.turns);
        const note =
          turns < site.sizes.turns ? { note: `stopped after ${LIMIT_MS / 1000} s, at turn ${turns}` } : {};
        growth.push({ ...row, samples: [threeDigits(bytes / (turns * TURN_BYTES))], ...note });
        kept.push({ ...each, turns });
      } catch (error) {
        growth.push({ ...row, samples: [], failed: reasonOf(error) });
      }
    }
    site.tell('load');
    const load = await loadRows(kept, site.sizes.fewRounds);
    return [
      { id: 'growth', rows: [...growth, ...left] },
      { id: 'load', rows: load },
    ];
  } finally {
    for (const { place } of opened) await place.remove();
  }
}

/** The bytes at their most: while it is open, or once it is closed and everything is written. */
async function converse(each: Opened, wanted: number): Promise<{ turns: number; bytes: number }> {
  const before = await each.place.bytes();
  const worker = workerOf(each);
  try {
    const turns = await worker.call('converse', wanted, LIMIT_MS);
    const whileOpen = await each.place.bytes();
    await worker.close();
    return { turns, bytes: Math.max(whileOpen, await each.place.bytes()) - before };
  } finally {
    await worker.close();
  }
}

/** By processes that did not write it. */
async function loadRows(kept: readonly (Opened & { turns: number })[], rounds: number): Promise<Row[]> {
  const able = kept.filter(({ contender }) => contender.does.load === true);
  const workers = able.map((each) => ({ ...each, worker: workerOf(each) }));
  const sides = workers.map(
    ({ contender, worker, turns }): Side => ({
      name: contender.name,
      ours: contender.peer === null,
      measure: () => worker.call('load', turns),
    }),
  );
  try {
    const rows = await takeRounds(sides, rounds);
    const left = kept.flatMap(({ contender: { name, does } }): Row[] =>
      typeof does.load === 'string' ? [{ name, ours: false, samples: [], failed: does.load }] : [],
    );
    return [...rows, ...left];
  } finally {
    for (const { worker } of workers) await worker.close();
  }
}
