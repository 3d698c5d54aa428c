/** The same stories told by several processes at once, each a share of their numbers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Report } from '../crash/report.ts';
import { type StoriesOptions, tellStories } from './campaign.ts';

export async function tellTogether(options: StoriesOptions, jobs: number): Promise<Report> {
  const { first = 0, count, progress = () => {} } = options;
  const share = Math.ceil(count / jobs);
  const shares = Array.from({ length: jobs }, (_, job) => ({
    first: first + job * share,
    count: Math.min(share, count - job * share),
  })).filter((one) => one.count > 0);
  const reports = await Promise.all(shares.map((one) => tellShare({ ...options, ...one }, progress)));
  const counts: Record<string, number> = {};
  for (const report of reports)
    for (const [name, number] of Object.entries(report.counts)) counts[name] = (counts[name] ?? 0) + number;
  return { ...reports[0]!, counts, violations: reports.flatMap(({ violations }) => violations) };
}

async function tellShare(options: StoriesOptions, progress: (line: string) => void): Promise<Report> {
  const { progress: _, ...job } = options;
  const program = fileURLToPath(import.meta.url);
  const child = spawn(process.execPath, [program, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let report: Report | undefined;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said = JSON.parse(line) as { progress?: string; report?: Report };
    if (said.progress !== undefined) progress(`from ${options.first}: ${said.progress}`);
    report ??= said.report;
  });
  const [code] = await once(child, 'close');
  if (!report) throw new Error(`The stories from ${options.first} on ended with ${code}.`);
  return report;
}

if (import.meta.main) {
  const say = (said: object): void => console.log(JSON.stringify(said));
  const options = JSON.parse(process.argv[2]!) as StoriesOptions;
  const report = await tellStories({ ...options, progress: (line) => say({ progress: line }) });
  say({ report });
}
