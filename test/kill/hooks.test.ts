/** Some of the kills of `npm run test:kill -- --only json,sqlite,hooks`: the host or the client of a session dies in a hook. */
import { expect, test } from 'vitest';
import { SOURCES } from '../crash/mutants.ts';
import { unlessFull } from '../support/full.ts';
import { spread } from './campaigns.ts';
import { hookKills } from './hooks/campaign.ts';

/** What is the store's own in it is shown by the matrix. */
const STORES = unlessFull(['json'] as const, ['json', 'sqlite'] as const);

test.for(STORES)('nothing that was answered is lost with a host or a client on %s', async (store) => {
  const report = await hookKills(store, {
    src: SOURCES,
    seed: 0,
    choose: (kills) => spread(kills, unlessFull(4, 60)),
  });
  expect(report.violations).toEqual([]);
  expect(report.counts.sessions).toBeGreaterThan(1);
});
