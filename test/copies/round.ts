/** One round: two workers run the tasks of a store, one copies all that lies below the project, and both are killed again and again. */
import { type ChildProcess, fork } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import type { Random } from '../crash/random.ts';
import { openStore, type StoreName } from '../crash/stores.ts';
import { freshDatabase } from '../support/postgres.ts';
import type { CopyJob } from './child.ts';
import { judge } from './witness.ts';

export interface RoundOptions {
  readonly src: string;
  readonly store: StoreName;
  readonly tasks: number;
  readonly kills: number;
  readonly rng: Random;
}

export interface Round {
  readonly problems: readonly string[];
  readonly kills: number;
  readonly steps: number;
}

const CHILD = join(import.meta.dirname, 'child.ts');
/** Nobody moves for so long: something is wrong. Longer than a lease. */
const STANDSTILL_MS = 60_000;

export async function copyRound({ src, store, tasks, kills, rng }: RoundOptions): Promise<Round> {
  const dir = mkdtempSync(join(tmpdir(), 'vibe-engine-copies-'));
  const project_dir = join(dir, 'project');
  const target = join(project_dir, '.vibe-engine', 'store');
  mkdirSync(target, { recursive: true });
  for (let n = 0; n < 20; n++) writeFileSync(join(project_dir, `file-${n}.txt`), `${n}\n`.repeat(100));
  const witness = join(dir, 'witness');
  writeFileSync(witness, '');
  const database = store === 'postgres' ? await freshDatabase() : null;
  const place = { src, store, target: database?.url ?? target, lease_ms: 10_000 };
  const storage = await openStore(place);
  const engine = await openEngine({ project_dir, storage, signals: false, automatic_cleanup: false });
  const job = defineTask('job', () => {}, { version: '1' });
  const workers: ChildProcess[] = [];
  const start = async (at: number): Promise<void> => {
    const given: CopyJob = { place, project_dir, witness, copy_to: at === 0 ? join(dir, 'copy') : null };
    const child = fork(CHILD, [JSON.stringify(given)], { execArgv: [] });
    workers[at] = child;
    await new Promise((resolve) => {
      child.once('message', resolve);
      child.once('exit', resolve);
    });
  };
  const kill = async (at: number): Promise<void> => {
    const child = workers[at]!;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode !== null) throw new Error(`A worker ended by itself, code ${child.exitCode}.`);
    appendFileSync(witness, `kill ${child.pid}\n`);
    child.kill('SIGKILL');
    await gone;
  };
  const lines = (): string[] => readFileSync(witness, 'utf8').trim().split('\n');
  try {
    const ids: string[] = [];
    for (let n = 0; n < tasks; n++) ids.push(await engine.enqueue(job, undefined));
    await Promise.all([start(0), start(1)]);
    let killed = 0;
    for (; killed < kills; killed++) {
      await sleep(200 + rng.below(800));
      const at = rng.below(2);
      await kill(at);
      await start(at);
    }
    let count = 0;
    let moved = performance.now();
    const isOver = async (): Promise<boolean> => {
      for (const id of ids) if ((await engine.state(id))?.status !== 'completed') return false;
      return true;
    };
    while (!(await isOver()) && performance.now() - moved < STANDSTILL_MS) {
      await sleep(250);
      if (lines().length !== count) moved = performance.now();
      count = lines().length;
    }
    for (const at of [0, 1]) await kill(at);
    const problems = judge(lines(), ids);
    for (const id of ids) {
      const status = (await engine.state(id))?.status;
      if (status !== 'completed') problems.push(`${id} is ${status}`);
    }
    for await (const problem of storage.verify()) problems.push(`corrupt: ${JSON.stringify(problem)}`);
    const steps = lines().filter((line) => line.startsWith('done')).length;
    return { problems, kills: killed, steps };
  } finally {
    for (const child of workers) child.kill('SIGKILL');
    await engine.close();
    await storage.close();
    await database?.drop();
    rmSync(dir, { recursive: true, force: true });
  }
}
