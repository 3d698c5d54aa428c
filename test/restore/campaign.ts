/** Many rounds one after another. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report, Violation } from '../crash/report.ts';
import { playRound } from './round.ts';

export interface RoundsOptions {
  readonly src: string;
  readonly seed: number;
  readonly first?: number;
  readonly count: number;
  readonly stop_at_first?: boolean;
  readonly progress?: (line: string) => void;
}

export async function playRounds(options: RoundsOptions): Promise<Report> {
  const { src, seed, first = 0, count, progress = () => {} } = options;
  const base = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 've-restore-'));
  const counts: Record<string, number> = { rounds: 0, events: 0 };
  const violations: Violation[] = [];
  try {
    for (let number = first; number < first + count; number++) {
      const { events, problems } = await playRound({ src, seed, number, dir: join(base, `round-${number}`) });
      counts.rounds!++;
      counts.events! += events.length;
      if (problems.length > 0) {
        const what = `round ${number}: ${problems.join('; ')}\n    ${events.join('\n    ')}`;
        violations.push({ what, recipe: `npm run test:restore -- --seed ${seed} --only ${number}` });
        progress(what);
        if (options.stop_at_first) break;
      }
      if (counts.rounds! % 100 === 0) progress(`${counts.rounds} rounds, ${violations.length} violations`);
    }
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
  return { campaign: 'restore', counts, violations, skipped: [] };
}
