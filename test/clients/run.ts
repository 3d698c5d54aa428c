/** Runs a real client without a screen, in a home of its own, against the fake model. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { claude } from './drive/claude.ts';
import { codex } from './drive/codex.ts';
import type { Ask, Driver, Place } from './drive/driver.ts';
import { gemini } from './drive/gemini.ts';
import { opencode } from './drive/opencode.ts';
import { type ClientName, install } from './install.ts';

export const DRIVERS: Readonly<Record<ClientName, Driver>> = { claude, codex, gemini, opencode };

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The client's id of the session, where it said it. */
  readonly session: string | undefined;
}

/** A client under way. */
export interface Running {
  readonly pid: number;
  readonly done: Promise<Ran>;
  /** Resolves once the file is there; throws with what the client said when it ends before. */
  until(file: string): Promise<void>;
  /** kill -9 of the client alone: what it started lives on. */
  kill(): Promise<Ran>;
}

export async function start(client: ClientName, place: Place, url: string, ask: Ask): Promise<Running> {
  const driver = DRIVERS[client];
  const [program, ...before] = await install(client);
  const child = spawn(program, [...before, ...driver.args(ask, place)], {
    cwd: place.project,
    env: environment(client, place, url),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const done = outcome(child, driver);
  return {
    pid: child.pid!,
    done,
    async until(file) {
      while (!existsSync(file)) {
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`${client} ended before ${file} was there: ${JSON.stringify(await done)}`);
        await sleep(20);
      }
    },
    async kill() {
      child.kill('SIGKILL');
      return await done;
    },
  };
}

/** Runs the client to its end; a client that says nothing for five minutes is killed. */
export async function run(client: ClientName, place: Place, url: string, ask: Ask): Promise<Ran> {
  const running = await start(client, place, url, ask);
  const limit = setTimeout(() => void running.kill(), 300_000);
  try {
    return await running.done;
  } finally {
    clearTimeout(limit);
  }
}

/** Nothing of ours but what a program needs: variables of a client that runs this would reach the one under test. */
export function environment(client: ClientName, place: Place, url: string): NodeJS.ProcessEnv {
  const { LANG, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const PATH = [place.bin, dirname(process.execPath), process.env.PATH].join(delimiter);
  const kept = Object.entries({ PATH, LANG, TMPDIR, NODE_COMPILE_CACHE }).filter(
    ([, value]) => value !== undefined,
  );
  return {
    ...Object.fromEntries(kept),
    HOME: place.home,
    TERM: 'dumb',
    NO_COLOR: '1',
    ...DRIVERS[client].env(place, url),
  };
}

async function outcome(child: ChildProcess, driver: Driver): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  child.stdout!.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr!.on('data', (chunk) => {
    stderr += String(chunk);
  });
  // Not 'close': a shell that outlives a killed client holds the pipes open.
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  await sleep(50);
  return { code, signal, stdout, stderr, session: driver.session(stdout) };
}
