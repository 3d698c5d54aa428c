/** A short run of the campaigns with random repositories; `npm run test:drift` is the long one. */
import { test } from 'vitest';
import { unlessFull } from '../support/full.ts';
import { CAMPAIGNS } from './campaigns.ts';

const SEED = 20_261_115;

test.concurrent.for(CAMPAIGNS)('$name: no promise is broken', async ({ run, short }, { expect }) => {
  const report = await run({ seed: SEED, size: Math.ceil(short / unlessFull(4, 1)) });
  expect(report.violations).toEqual([]);
});
