/**
 * `npm run test:fuzz`: a million mutated inputs to everything that reads what can come from outside. Exits with 1 when one
 * of them was answered by anything but a value or an error with a code, took a second, or changed the language.
 *
 *   --only head,import    these targets only
 *   --size 1000           so many inputs in all
 *   --seed 7              another course; default: the date's number
 *   --number 123          this input alone, of one target: what was found is seen again
 */
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { Report } from '../crash/report.ts';
import { clockFrom, tableOf } from '../crash/tables.ts';
import { fuzz } from './campaign.ts';
import { TARGETS } from './targets.ts';

interface Job {
  readonly only: readonly string[];
  readonly seed: number;
  readonly size: number;
  readonly first: number;
}

/** What the worker says: a report at the end, a violation at once, and every now and then where it is. */
type Said = { readonly reports: Report[] } | { readonly line: string } | { readonly at: string };

/** One that is at the same input for so long will not come back. */
const HANGS_AFTER_MS = 60_000;
const TOLD_EVERY_MS = 500;

if (isMainThread) await main();
else await work(workerData as Job);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: TARGETS.map(({ name }) => name).join(',') },
      size: { type: 'string', default: '1000000' },
      seed: { type: 'string', default: String(Math.floor(Date.now() / 86_400_000)) },
      number: { type: 'string' },
    },
  });
  const clock = clockFrom(performance.now());
  const say = (line: string): void => console.log(`${clock()} ${line}`);
  const only = values.only.split(',').filter((name) => TARGETS.some((target) => target.name === name));
  const first = Number(values.number ?? 0);
  const size = values.number === undefined ? Number(values.size) : 1;
  say(`seed ${values.seed}, ${size} inputs to ${only.length} targets`);
  const reports = await watched({ only, size, first, seed: Number(values.seed) }, say);
  console.log(`\n${tableOf(reports)}\n`);
  for (const { violations } of reports)
    for (const { what, recipe } of violations) console.log(`VIOLATION ${what}\n  again: ${recipe}\n`);
  const inputs = reports.reduce((sum, { counts }) => sum + (counts.taken ?? 0) + (counts.refused ?? 0), 0);
  const broken = reports.length === 0 || reports.some(({ violations }) => violations.length > 0);
  say(`${inputs} inputs: ${broken ? 'broken promises, see above.' : 'no promise was broken.'}`);
  process.exitCode = broken ? 1 : 0;
}

/** In a thread of its own, so that somebody is left to say where it hangs. */
function watched(job: Job, say: (line: string) => void): Promise<Report[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: job, argv: [] });
    let at = 'the beginning';
    let since = performance.now();
    const end = (settle: () => void): void => {
      clearInterval(timer);
      settle();
    };
    const timer = setInterval(() => {
      if (performance.now() - since < HANGS_AFTER_MS) return;
      const what = `hangs after ${at} (inputs of the next ${TOLD_EVERY_MS} ms)`;
      end(() => resolve([{ campaign: at, counts: {}, violations: [{ what, recipe: at }], skipped: [] }]));
      void worker.terminate();
    }, 1_000);
    worker.on('message', (said: Said) => {
      since = performance.now();
      if ('at' in said) at = said.at;
      else if ('line' in said) say(said.line);
      else end(() => resolve(said.reports));
    });
    worker.on('error', (error) => end(() => reject(error)));
  });
}

async function work({ only, ...job }: Job): Promise<void> {
  const say = (said: Said): void => parentPort!.postMessage(said);
  let told = 0;
  const reports = await fuzz({
    ...job,
    targets: TARGETS.filter(({ name }) => only.includes(name)),
    progress: (line) => say({ line }),
    reading: (target, number) => {
      if (performance.now() - told < TOLD_EVERY_MS) return;
      told = performance.now();
      say({ at: `${target} seed=${job.seed} number=${number}` });
    },
  });
  say({ reports });
}
