/** What a campaign hands back: how much it did, what it found, what it could not do here and why. */
import { join } from 'node:path';

export interface Report {
  readonly campaign: string;
  readonly counts: Record<string, number>;
  /** The first few of each kind; `counts.violations` has them all. */
  readonly violations: Violation[];
  readonly skipped: string[];
}

export interface Violation {
  /** What was promised and did not hold. */
  readonly what: string;
  /** How to see it again: seed, store and the place in the campaign. */
  readonly recipe: string;
}

export interface CampaignOptions {
  /** The engine's sources: `src/` of the project, or a copy with a bug seeded into it. */
  readonly src: string;
  readonly seed: number;
  /** How large the campaign is; each says what one unit means to it. */
  readonly size: number;
  /** Ends a campaign at its first violation, when only the verdict matters. */
  readonly stopAtFirst?: boolean;
  /** Where the stores of violations are put, as they were found. */
  readonly keep?: string;
  readonly progress?: (line: string) => void;
}

export type Campaign = (options: CampaignOptions) => Promise<Report>;

/** So many violations tell no more than the first few; nor do so many of one kind. */
const MANY = 500;
const MANY_OF_A_KIND = 3;

/** Collects a report while a campaign runs. */
export class Notes {
  readonly report: Report;
  readonly #options: CampaignOptions;

  constructor(campaign: string, options: CampaignOptions) {
    this.report = { campaign, counts: {}, violations: [], skipped: [] };
    this.#options = options;
  }

  count(what: string, by = 1): void {
    this.report.counts[what] = (this.report.counts[what] ?? 0) + by;
  }

  /** `keep` puts the store that shows it into a directory. */
  violation(what: string, recipe: string, keep?: (dir: string) => void): void {
    const { campaign, violations } = this.report;
    this.count('violations');
    if (violations.filter((other) => kindOf(other.what) === kindOf(what)).length >= MANY_OF_A_KIND) return;
    violations.push({ what, recipe: `${campaign} seed=${this.#options.seed} ${recipe}` });
    this.#options.progress?.(`VIOLATION ${what} [${recipe}]`);
    if (this.#options.keep) keep?.(join(this.#options.keep, `${campaign}-${violations.length}`));
  }

  skip(reason: string): void {
    this.report.skipped.push(reason);
    this.#options.progress?.(`skipped: ${reason}`);
  }

  progress(line: string): void {
    this.#options.progress?.(`${this.report.campaign}: ${line}`);
  }

  /** Whether there is no point in going on. */
  get over(): boolean {
    return (this.report.counts.violations ?? 0) >= (this.#options.stopAtFirst ? 1 : MANY);
  }
}

/** What is left of a sentence without its paths and numbers. */
function kindOf(what: string): string {
  return what
    .replace(/\S*\/\S*/g, '')
    .replace(/\d+/g, '')
    .slice(0, 80);
}
