/** Some of the kills of `npm run test:kill -- --only json,sqlite,hooks`: the host or the client of a session dies in a hook. */
import { expect, test } from 'vitest';
import { SOURCES } from '../crash/mutants.ts';
import { unlessFull } from '../support/full.ts';
import { spread } from './campaigns.ts';
import { hookKills } from './hooks/campaign.ts';

test.for([
  ['json', 4],
  ['sqlite', 2],
] as const)('nothing that was answered is lost with a host or a client on %s', async ([store, count]) => {
  const report = await hookKills(store, {
    src: SOURCES,
    seed: 0,
    choose: (kills) => spread(kills, unlessFull(count, 60)),
  });
  expect(report.violations).toEqual([]);
  expect(report.counts.sessions).toBeGreaterThan(1);
});
