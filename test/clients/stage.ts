/** A client with a home, a project, a fake model and a file of recorded events of its own, for one session. */
import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ask, Place } from './drive/driver.ts';
import { type ClientName, install } from './install.ts';
import type { Scripts } from './model/script.ts';
import { type Model, startModel } from './model/server.ts';
import { DRIVERS, environment, type Ran, type Running, run, start } from './run.ts';

export interface Stage extends AsyncDisposable {
  readonly client: ClientName;
  readonly place: Place;
  readonly model: Model;
  /** Where all of it lies; nothing outside is written. */
  readonly root: string;
  /** Runs one prompt to its end. Throws with what the client said when it fails. */
  ask(prompt: string, more?: Partial<Ask>): Promise<Ran & { session: string }>;
  start(prompt: string, more?: Partial<Ask>): Promise<Running>;
  /** Runs a command of the client's own, `plugin list`, or another program, in the project with the client's environment. */
  own(...args: string[]): Promise<Said>;
  other(program: string, ...args: string[]): Promise<Said>;
  /** What the recording hooks have written so far. */
  events(): Promise<unknown[]>;
}

/** What a program said, and how it ended. */
export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A file in the root that is there until the stage is taken down: what a shell of a script waits for. */
export const HOLD = 'hold';

/**
 * The project is a git repository with one file, `base.txt`, if `git` is not false; with `record` the recording hooks are installed.
 * `beside` another stage it works in the same project. `scripts` is told the root, since a command may have to name a file there.
 */
export async function setStage(
  client: ClientName,
  scripts: (root: string) => Scripts,
  { record = true, git = true, beside }: { record?: boolean; git?: boolean; beside?: Stage } = {},
): Promise<Stage> {
  const root = realpathSync(await mkdtemp(join(tmpdir(), `ve-${client}-`)));
  const place = {
    home: join(root, 'home'),
    project: beside?.place.project ?? join(root, 'project'),
    bin: join(root, 'bin'),
  };
  await mkdir(place.home);
  await mkdir(place.bin);
  await nameProgram(place.bin, client);
  await writeFile(join(root, HOLD), '');
  if (!beside) await mkdir(place.project);
  if (git && !beside) await makeRepository(place.project);
  const model = await startModel(client, place.project, scripts(root));
  const driver = DRIVERS[client];
  const file = join(root, 'events.jsonl');
  await driver.setUp(place, model.url);
  if (record) await driver.record(place, file);
  const asking = (prompt: string, { more = [], ...rest }: Partial<Ask> = {}): Ask => ({
    ...rest,
    prompt,
    more: [...more, ...((record && driver.recording?.(place)) || [])],
  });
  const other = (program: string, ...args: string[]) =>
    said(program, args, place.project, environment(client, place, model.url));
  return {
    client,
    place,
    model,
    root,
    async ask(prompt, more) {
      const ran = await run(client, place, model.url, asking(prompt, more));
      const { session } = ran;
      if (ran.code !== 0 || session === undefined)
        throw new Error(`${client} ended with ${ran.code ?? ran.signal}: ${ran.stdout}${ran.stderr}`);
      return { ...ran, session };
    },
    start: (prompt, more) => start(client, place, model.url, asking(prompt, more)),
    async own(...args) {
      const [program, ...before] = await install(client);
      return await other(program, ...before, ...args);
    },
    other,
    async events() {
      if (!existsSync(file)) return [];
      const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line) as unknown);
    },
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      // A client that was just killed may have left something that still writes.
      await rm(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

/** Some are not a program by themselves: each is there by the name that people type. */
async function nameProgram(bin: string, client: ClientName): Promise<void> {
  const words = (await install(client)).map((word) => `'${word}'`);
  await writeFile(join(bin, client), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`, { mode: 0o755 });
}

/** Resolves however it ends, since a test may be about the failure. */
function said(program: string, args: string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Said> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { cwd, env }, (error, stdout, stderr) =>
      resolve({ code: error ? (child.exitCode ?? 1) : 0, stdout, stderr }),
    );
    child.stdin!.end();
  });
}

async function makeRepository(dir: string): Promise<void> {
  await writeFile(join(dir, 'base.txt'), 'base\n');
  const me = ['-c', 'user.name=test', '-c', 'user.email=test@localhost'];
  const steps = [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    [...me, 'commit', '-q', '-m', 'Begin'],
  ];
  for (const step of steps) {
    const { code, stderr } = await said('git', step, dir, process.env);
    if (code !== 0) throw new Error(`git ${step.join(' ')}: ${stderr}`);
  }
}
