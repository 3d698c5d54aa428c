/** A rolling deploy: workers are told to end (SIGTERM) one after the other and new ones take their places, while tasks run. */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { openStore, type StoreName } from '../crash/stores.ts';
import { freshDatabase } from '../support/postgres.ts';
import { type RollJob, STEPS } from './roll-child.ts';

export interface Rolled {
  /** How many tasks ended in which status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** In what way the workers ended that were told to. */
  readonly ends: Readonly<Record<string, number>>;
  /** How runs ended, each of a task in one worker. */
  readonly runs: Readonly<Record<string, number>>;
  /** Steps that ran more than once. */
  readonly again: readonly string[];
}

export interface RollOptions {
  readonly src: string;
  readonly store: StoreName;
  readonly tasks: number;
  readonly workers: number;
  /** Between two of them. */
  readonly every_ms: number;
  readonly step_ms: number;
}

const CHILD = join(import.meta.dirname, 'roll-child.ts');

export async function roll({ src, store, tasks, workers, every_ms, step_ms }: RollOptions): Promise<Rolled> {
  const dir = mkdtempSync(join(tmpdir(), 'vibe-engine-roll-'));
  const project_dir = join(dir, 'project');
  mkdirSync(project_dir);
  const witness = join(dir, 'witness');
  const endings = join(dir, 'ends');
  for (const file of [witness, endings]) writeFileSync(file, '');
  const database = store === 'postgres' ? await freshDatabase() : null;
  const place = { src, store, target: database?.url ?? join(dir, 'store'), lease_ms: 5000 };
  if (!database) mkdirSync(place.target);
  const storage = await openStore(place);
  const engine = await openEngine({ project_dir, storage, signals: false, automatic_cleanup: false });
  const job = defineTask('job', () => {}, { version: '1' });
  const ids: string[] = [];
  const ended: string[] = [];
  const running = new Set<ChildProcess>();
  const start = async (): Promise<void> => {
    const given: RollJob = { place, project_dir, witness, ends: endings, step_ms };
    const child = fork(CHILD, [JSON.stringify(given)], { execArgv: [] });
    running.add(child);
    await new Promise((resolve) => child.once('message', resolve));
  };
  const end = async (child: ChildProcess): Promise<void> => {
    const gone = new Promise<string>((resolve) =>
      child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`)),
    );
    child.kill('SIGTERM');
    ended.push(await gone);
    running.delete(child);
  };
  const statuses = async (): Promise<Record<string, number>> => {
    return counted(await Promise.all(ids.map(async (id) => (await engine.state(id))!.status)));
  };
  const isOver = ({ queued = 0, in_progress = 0, waiting = 0 }: Record<string, number>): boolean =>
    queued + in_progress + waiting === 0;
  try {
    await Promise.all(Array.from({ length: workers }, start));
    for (let n = 0; n < tasks; n++) ids.push(await engine.enqueue(job, undefined));
    // Each is replaced once, the oldest first; those of the last round work until nothing is left.
    const starting: Promise<void>[] = [];
    for (const child of [...running]) {
      await sleep(every_ms);
      await end(child);
      starting.push(start());
    }
    await Promise.all(starting);
    let found = await statuses();
    for (let idle = 0; !isOver(found) && idle < 40; idle++) {
      await sleep(250);
      const now = await statuses();
      if (JSON.stringify(now) !== JSON.stringify(found)) idle = 0;
      found = now;
    }
    const ran = readFileSync(witness, 'utf8').trim().split('\n');
    const again = ran.filter((step, i) => ran.indexOf(step) !== i);
    if (found.completed === tasks && ran.length < tasks * STEPS) again.push('some steps never ran');
    const runs = counted(readFileSync(endings, 'utf8').trim().split('\n'));
    return { statuses: found, ends: counted(ended), runs, again };
  } finally {
    for (const child of running) child.kill('SIGKILL');
    await engine.close();
    await storage.close();
    await database?.drop();
    rmSync(dir, { recursive: true, force: true });
  }
}

function counted(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
