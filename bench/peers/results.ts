/** What a run comes to: numbers only. The page and the README are made of it (`page/`). */
import type { MachineFacts } from '../harness/machine.ts';
import type { Sizes } from './options.ts';
import type { PeerName } from './versions.ts';

export interface Results {
  /** ISO 8601. */
  readonly date: string;
  readonly machine: MachineFacts;
  readonly sizes: Sizes;
  readonly git: string;
  /** The packages that were measured. */
  readonly packages: Readonly<Partial<Record<PeerName, readonly string[]>>>;
  /** Peers that could not be installed or started, and why. */
  readonly absent: Readonly<Partial<Record<PeerName, string>>>;
  /** Sections that could not be measured at all, and why. */
  readonly failed: Readonly<Record<string, string>>;
  readonly tables: readonly Table[];
}

export interface Table {
  readonly id: TableId;
  readonly rows: readonly Row[];
}

export const TABLE_IDS = [
  'steps-1',
  'steps-16',
  'growth',
  'load',
  'recovery',
  'snapshot-first',
  'snapshot-same',
  'snapshot-ten',
  'snapshot-watched',
  'restore-ten',
  'merge-source',
  'merge-braces',
  'merge-real',
] as const;
export type TableId = (typeof TABLE_IDS)[number];

export interface Row {
  readonly name: string;
  readonly ours: boolean;
  /** One per round, those of the same round at the same index in every row. */
  readonly samples: readonly number[];
  /** What else there is to know, such as what was lost. */
  readonly note?: string;
  /** Why there are no samples. */
  readonly failed?: string;
}
