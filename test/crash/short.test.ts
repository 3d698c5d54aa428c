/** A short run of every crash campaign; `npm run test:crash` is the long one. */
import { test } from 'vitest';
import { unlessFull } from '../support/full.ts';
import { CAMPAIGNS } from './campaigns.ts';
import { SOURCES } from './mutants.ts';
import { runCampaign } from './run.ts';

const SEED = 20_261_115;

/** Sealing comes before all of this: fewer of each are enough to see that it changes nothing. */
const ALIKE = unlessFull(['replay', 'flips'], ['replay', 'flips', 'kills', 'postgresKills']);
const SEALED = CAMPAIGNS.filter(({ name }) => ALIKE.includes(name));
const RUNS = [
  ...CAMPAIGNS.map(({ name, short }) => ({
    name,
    title: name,
    size: Math.ceil(short / unlessFull(16, 1)),
    encrypted: false,
  })),
  ...SEALED.map(({ name, short }) => ({
    ...{ name, title: `${name}, encrypted,`, size: Math.ceil(short / unlessFull(32, 4)), encrypted: true },
  })),
];

test.concurrent.for(RUNS)(
  '$title breaks no promise',
  async ({ name, size, encrypted }, { expect, signal }) => {
    const options = { campaign: name, src: SOURCES, seed: SEED, size, encrypted };
    const report = await runCampaign(options, undefined, signal);
    for (const reason of report.skipped) console.log(`${name} skipped: ${reason}`);
    expect(report.violations).toEqual([]);
    const done = Object.values(report.counts).reduce((sum, count) => sum + count, 0);
    expect(done > 0 || report.skipped.length > 0).toBe(true);
  },
);
