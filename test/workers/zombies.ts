/**
 * Workers that are stopped for longer than their lease while another takes their task over, then go on: nothing of the
 * task may begin there any more. One is stopped at each commit of a task in turn, with the answer waiting in the socket.
 */
import { fork } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { openPostgresStorage } from '../../src/storage/postgres/open.ts';
import { freshDatabase } from '../support/postgres.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { everyKind, FILE } from './job.ts';
import type { ZombieJob } from './zombie-child.ts';

export interface Zombie {
  readonly stop_at: number;
  /** Whether it was stopped at all: a task has only so many commits. */
  readonly stopped: boolean;
  /** What it began after another had the task. */
  readonly begun: readonly string[];
  /** How its run ended. */
  readonly ended: string;
}

const CHILD = join(import.meta.dirname, 'zombie-child.ts');
const LEASE_MS = 1000;
/** Until whatever else was asked of the server is answered, too. */
const SETTLED_MS = 50;

export async function zombie(src: string, stop_at: number): Promise<Zombie> {
  await using database = await freshDatabase();
  const dir = mkdtempSync(join(tmpdir(), 'vibe-engine-zombie-'));
  const project_dir = join(dir, 'project');
  mkdirSync(project_dir);
  const witness = join(dir, 'witness');
  writeFileSync(witness, '');
  const begins = (what: string): void => writeFileSync(witness, `other ${what}\n`, { flag: 'a' });
  const storage = await openPostgresStorage({ url: database.url, lease_seconds: LEASE_MS / 1000 });
  const task = everyKind(defineTask, 'other', begins, witness);
  const other = await openEngine({
    project_dir,
    storage,
    workspace: true,
    signals: false,
    automatic_cleanup: false,
    tasks: [task],
  });
  const id = await other.enqueue(task, undefined);
  const { hostname, port } = new URL(database.url);
  const proxy = await startTcpProxy({ host: hostname, port: Number(port) });
  const target = Object.assign(new URL(database.url), { port: String(proxy.port) }).href;
  const place = { src, store: 'postgres', target, lease_ms: LEASE_MS } as const;
  const job: ZombieJob = { place, project_dir, witness, task: id, stop_at };
  const child = fork(CHILD, [JSON.stringify(job)], { execArgv: [] });
  const exit = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let ended = 'crashed';
  const commits = new Promise<true>((resolve) => {
    child.on('message', (said: { type: string; ended?: string }) => {
      if (said.type === 'commits') resolve(true);
      else ended = said.ended!;
    });
  });
  try {
    const stopped = (await Promise.race([commits, exit])) === true;
    if (stopped) {
      // It waits for an answer when it is stopped, and has it when it goes on: it reads it before any timer fires.
      const answer = proxy.hold();
      child.send('go on');
      await answer.arrived;
      await sleep(SETTLED_MS);
      child.kill('SIGSTOP');
      answer.pass();
      await untilDone(other, id);
    }
    const before = readFileSync(witness, 'utf8').length;
    child.kill('SIGCONT');
    await exit;
    const begun = readFileSync(witness, 'utf8').slice(before).split('\n').filter(Boolean);
    // The last thing that the other did to the file was to remove it.
    if (stopped && existsSync(join(project_dir, FILE))) begun.push(`zombie wrote ${FILE}`);
    return { stop_at, stopped, begun: stopped ? begun : [], ended };
  } finally {
    child.kill('SIGKILL');
    await exit;
    await other.close();
    await storage.close();
    await proxy.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

type Engine = Awaited<ReturnType<typeof openEngine>>;

async function untilDone(engine: Engine, id: string): Promise<void> {
  for (;;) {
    await engine.work();
    const { status } = (await engine.state(id))!;
    if (status === 'completed') return;
    if (status === 'failed') throw new Error(`The task that was taken over is ${status}.`);
    await sleep(50);
  }
}
