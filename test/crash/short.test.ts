/** A short run of every crash campaign; `npm run test:crash` is the long one. */
import { test } from 'vitest';
import { CAMPAIGNS } from './campaigns.ts';
import { SOURCES } from './mutants.ts';
import { runCampaign } from './run.ts';

const SEED = 20_261_115;

test.concurrent.for(CAMPAIGNS)(
  '$name breaks no promise',
  { timeout: 300_000 },
  async ({ name, short }, { expect, signal }) => {
    const report = await runCampaign(
      { campaign: name, src: SOURCES, seed: SEED, size: short },
      undefined,
      signal,
    );
    for (const reason of report.skipped) console.log(`${name} skipped: ${reason}`);
    expect(report.violations).toEqual([]);
    const done = Object.values(report.counts).reduce((sum, count) => sum + count, 0);
    expect(done > 0 || report.skipped.length > 0).toBe(true);
  },
);
