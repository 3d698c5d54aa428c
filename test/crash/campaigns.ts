/** All campaigns by name, with the sizes of the short run in `npm test` and of `npm run test:crash`. */
import { faults } from './faults.ts';
import { flips } from './flips.ts';
import { forget } from './forget.ts';
import { fullDisk } from './full-disk.ts';
import { kills } from './kills.ts';
import { owners } from './owners.ts';
import { postgresKills } from './postgres-kills.ts';
import { replay } from './replay.ts';
import type { Campaign } from './report.ts';
import { syscalls } from './syscalls.ts';

export interface Entry {
  readonly name: string;
  readonly run: Campaign;
  readonly short: number;
  readonly long: number;
}

export const CAMPAIGNS: readonly Entry[] = [
  { name: 'replay', run: replay, short: 400, long: 120_000 },
  { name: 'flips', run: flips, short: 200, long: 55_000 },
  { name: 'owners', run: owners, short: 2, long: 100 },
  { name: 'faults', run: faults, short: 80, long: 8000 },
  { name: 'fullDisk', run: fullDisk, short: 1, long: 50 },
  { name: 'syscalls', run: syscalls, short: 4, long: 250 },
  { name: 'kills', run: kills, short: 8, long: 1000 },
  { name: 'forget', run: forget, short: 5, long: 1000 },
  { name: 'postgresKills', run: postgresKills, short: 5, long: 1000 },
];
