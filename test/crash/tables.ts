/** How the long runs show what they did. */
import type { Report } from './report.ts';

export function tableOf(all: readonly Report[]): string {
  const lines = all.flatMap(({ campaign, counts, violations, skipped }) => [
    ...Object.entries(counts)
      .filter(([what]) => what !== 'violations')
      .map(([what, count]) => row(campaign, what, count.toLocaleString('en'))),
    ...skipped.map((reason) => row(campaign, `skipped: ${reason}`, '-')),
    row(campaign, 'violations', String(counts.violations ?? violations.length)),
  ]);
  return [row('campaign', 'what', 'count'), ...lines].join('\n');
}

function row(campaign: string, what: string, count: string): string {
  return `${campaign.padEnd(14)} ${what.padEnd(44)} ${count.padStart(10)}`;
}

/** Minutes and seconds since then. */
export function clockFrom(started: number): () => string {
  return () => {
    const seconds = Math.round((performance.now() - started) / 1000);
    return `[${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}]`;
  };
}
