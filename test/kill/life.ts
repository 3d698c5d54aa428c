/** One process after the other works on a task, each killed as planned, until the task is done. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openEngine } from '../../src/engine/engine.ts';
import { Broken } from '../crash/oracle.ts';
import type { Job, Said } from './child.ts';
import type { Site } from './ground.ts';
import { ANSWER } from './task.ts';
import type { Point } from './trap.ts';
import { type Line, linesIn } from './witness.ts';

/** A point at which the process kills itself; or `{n} ms`, the time after which it is killed from outside. */
export type Kill = Point;

export interface Life {
  readonly task: string;
  readonly lines: readonly Line[];
  /** How the runs but the last one ended: by which kill, or by losing the claim. */
  readonly ends: readonly (Kill | 'lost')[];
  /** What the last process passed. */
  readonly passed: readonly Point[];
  /** How long the last process worked, in milliseconds. */
  readonly took: number;
}

export interface LifeOptions {
  readonly site: Site;
  readonly task: string;
  /** Where compiled code is kept between processes, which is most of what starting one takes; else where all tests keep it. */
  readonly cache: string;
  /** How to kill this run (from 1 on); null lets it live. */
  readonly plan: (run: number) => Kill | null;
  /** How long the driver takes to answer, in milliseconds. */
  readonly thinking?: number;
}

/** So long means that it hangs. */
const PATIENCE_MS = 600_000;
/** Far more than any plan has kills, even where leases get lost on a busy machine. */
const MOST_RUNS = 100;
const CHILD = fileURLToPath(new URL('child.ts', import.meta.url));

export async function live({ site, task, cache, plan, thinking = 0 }: LifeOptions): Promise<Life> {
  const witness = join(site.dir, 'witness.log');
  const ends: (Kill | 'lost')[] = [];
  let answering: Promise<void> | undefined;
  const onWaiting = (): void => {
    answering ??= sleep(thinking).then(() => answer(site, task));
    answering.catch(() => {}); // Awaited at the end.
  };
  for (let run = 1; ; run++) {
    const kill = plan(run);
    const job = { place: site.place, project_dir: site.dir, witness, task, run, kill: ownKill(kill) };
    const end = await oneRun(job, cache, timeOf(kill), onWaiting);
    if (end.type === 'done') {
      await answering;
      return { task, lines: linesIn(witness), ends, passed: end.passed, took: end.took };
    }
    ends.push(end.type === 'lost' ? 'lost' : kill!);
    if (run === MOST_RUNS) throw new Broken(`the task is not done after ${run} runs: ${ends.join('; ')}`);
  }
}

async function answer({ dir, withStorage }: Site, task: string): Promise<void> {
  await withStorage(async (storage) => {
    const engine = await openEngine({ project_dir: dir, storage, signals: false, automatic_cleanup: false });
    await engine.answer(task, ANSWER, { by: 'driver' });
    await engine.close();
  });
}

type End = { type: 'killed' } | { type: 'lost' } | { type: 'done'; passed: readonly Point[]; took: number };

async function oneRun(
  job: Job,
  cache: string,
  after: number | undefined,
  onWaiting: () => void,
): Promise<End> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', CHILD, JSON.stringify(job)],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? cache },
    },
  );
  let errors = '';
  let hung = false;
  let said: Said | undefined;
  let began = 0;
  let timer: NodeJS.Timeout | undefined;
  const patience = setTimeout(() => {
    hung = true;
    child.kill('SIGKILL');
  }, PATIENCE_MS);
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors = (errors + chunk).slice(0, 4000);
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    said = JSON.parse(line) as Said;
    if (said.type === 'waiting') onWaiting();
    if (said.type !== 'ready') return;
    began = performance.now();
    if (after !== undefined) timer = setTimeout(() => child.kill('SIGKILL'), after);
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  clearTimeout(timer);
  clearTimeout(patience);
  if (hung) throw new Broken(`run ${job.run} did not end in ${PATIENCE_MS} ms; last said: ${said?.type}`);
  if (said?.type === 'done') return { ...said, took: performance.now() - began };
  if (said?.type === 'lost') return said;
  if (signal === 'SIGKILL') return { type: 'killed' };
  throw new Broken(`run ${job.run} ended with ${code ?? signal}: ${errors}`);
}

function timeOf(kill: Kill | null): number | undefined {
  const ms = /^([\d.]+) ms$/.exec(kill ?? '')?.[1];
  return ms === undefined ? undefined : Number(ms);
}

function ownKill(kill: Kill | null): Point | null {
  return timeOf(kill) === undefined ? kill : null;
}
