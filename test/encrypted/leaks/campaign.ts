/**
 * A task with a secret in everything it stores, killed and resumed, rewound and forked, cleaned up and in part removed. Looked
 * for after every stage: nothing of it may be in the store, below the engine's temporary directories, or in what was said.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Engine, openEngine } from '../../../src/engine/engine.ts';
import { ConversationPersistence } from '../../../src/persistence/conversations.ts';
import type { Report } from '../../crash/report.ts';
import { newRepository } from '../../engine/file-world.ts';
import { whenFree } from '../../kill/free.ts';
import type { Job } from './child.ts';
import { needlesFor, type Searched, searchBelow, searchBytes } from './search.ts';
import { openLeakStore, type StoreName, together } from './stores.ts';
import { leaky } from './task.ts';

export interface LeakOptions {
  readonly store: StoreName;
  readonly steps: number;
  /** A new directory. */
  readonly dir: string;
  readonly encrypted?: boolean;
  /** Look at the end alone, since looking takes longer than all the rest. */
  readonly only_at_end?: boolean;
  /** Killed once, rewound and forked: each in one process. */
  readonly brief?: boolean;
  readonly progress?: (line: string) => void;
}

const CHILD = fileURLToPath(new URL('child.ts', import.meta.url));
const TASK = 'leaky-task';
const GONE = 'gone-task';
const AT_LAST = 'answered, cleaned up and in part removed';

export async function lookForLeaks(options: LeakOptions): Promise<Report> {
  const {
    store: name,
    steps,
    encrypted = true,
    only_at_end = false,
    brief = false,
    progress = () => {},
  } = options;
  const [dir, temp] = ['project', 'temp'].map((part) => join(options.dir, part)) as [string, string];
  for (const one of [dir, temp]) mkdirSync(one, { recursive: true });
  newRepository(dir, { 'notes-0.txt': 'empty\n' });
  const [secret, named, key] = [16, 16, 32].map((bytes) => randomBytes(bytes).toString('hex')) as [
    string,
    string,
    string,
  ];
  const env = { ...process.env, VIBE_ENGINE_KEY: key, TMPDIR: temp };
  const store = await openLeakStore(name, dir);
  const config = { persistence: store.persistence, encryption: { enabled: encrypted } };
  const input = { secret, name: named, steps };
  const log: string[] = [];
  const counts: Record<string, number> = { steps, kills: 0, searches: 0, files: 0, bytes: 0, streams: 0 };
  const violations: Report['violations'] = [];

  const told = new Map([...needlesFor('the secret', secret), ...needlesFor('the key', key)]);
  const stored = new Map([...told, ...needlesFor('the name', named)]);
  const search = async (after: string): Promise<void> => {
    progress(`${name}: ${after}`);
    if (only_at_end && after !== AT_LAST) return;
    const searched: Searched = together([await store.search(stored), searchBelow(temp, stored)]);
    const said = searchBytes(Buffer.from(log.splice(0).join('')), told).found.map(
      (form) => `what was said: ${form}`,
    );
    for (const found of new Set([...searched.found, ...said]))
      violations.push({ what: `${name}, ${after}: ${found}`, recipe: `--only ${name}` });
    for (const part of ['files', 'bytes', 'streams'] as const) counts[part]! += searched[part];
    counts.searches!++;
  };

  /** A process that works on the task until it has reached a step, and is killed there; or until it rests. */
  const work = async (task: string, until: number | null): Promise<void> => {
    const job: Job = { dir, config, task, input, until };
    const child = spawn(process.execPath, [CHILD, JSON.stringify(job)], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stderr.on('data', (text: Buffer) => log.push(text.toString('latin1')));
    const end = once(child, 'close');
    await reached(child, until, (line) => log.push(`${line}\n`));
    const [code, signal] = (await end) as [number | null, string | null];
    if (signal === 'SIGKILL') counts.kills!++;
    else if (code !== 0)
      throw new Error(`The process ended with ${code ?? signal}: ${log.slice(-5).join('')}`);
    await search(until === null ? `${task} rests` : `${task} was killed at step ${until}`);
  };

  const withEngine = async (what: string, run: (engine: Engine) => Promise<void>): Promise<void> => {
    const before = { TMPDIR: process.env.TMPDIR, VIBE_ENGINE_KEY: process.env.VIBE_ENGINE_KEY };
    Object.assign(process.env, { TMPDIR: temp, VIBE_ENGINE_KEY: key });
    try {
      const engine = await openEngine({
        ...{ project_dir: dir, config, tasks: [leaky(() => {})], workspace: true, signals: false },
        notify: (lines) => log.push(...lines),
      });
      await run(engine);
      await engine.storage.flush();
      await search(`${what}, still open`);
      await engine.close();
    } finally {
      for (const [variable, value] of Object.entries(before))
        if (value === undefined) delete process.env[variable];
        else process.env[variable] = value;
    }
    await search(what);
  };

  const at = (part: number): number => Math.max(1, Math.round(steps * part));
  try {
    if (!brief) await work(TASK, at(0.25));
    await work(TASK, at(0.5));
    await withEngine('rewound, redone and rewound', async (engine) => {
      const checkpoint = await nearest(engine, TASK, 0.6);
      const anyhow = { on_modified: 'use_checkpoint', on_deleted: 'restore' } as const;
      await whenFree(() => engine.rollback(checkpoint, anyhow));
      await engine.redo(TASK);
      await engine.rollback(checkpoint, anyhow);
    });
    if (!brief) await work(TASK, at(0.75));
    await store.crash();
    let fork = '';
    await withEngine('forked', async (engine) => {
      fork = (await whenFree(async () => engine.fork(await nearest(engine, TASK, 0.5)))).id;
      await new ConversationPersistence(engine.storage).save('talk', { text: secret });
    });
    if (!brief) await work(fork, at(0.9));
    await work(TASK, null);
    if (!brief) await work(GONE, at(0.1));
    await withEngine(AT_LAST, async (engine) => {
      // It has not run, and is paused already, where all this is brief.
      if (!brief) await whenFree(async () => engine.pause(fork, `because of ${secret}`, secret));
      await engine.answer(TASK, `yes, ${secret}`);
      const { result } = await whenFree(() => engine.resume(TASK, { on_environment: 'continue' }));
      await result;
      await whenFree(() => engine.storage.removeTask(brief ? fork : GONE));
      const policy = { grace_hours: 0, max_per_task: 3 };
      await engine.clean({ policy });
      await engine.clean({ policy });
      for await (const { message } of engine.storage.verify())
        violations.push({ what: `${name}: ${message}`, recipe: `--only ${name}` });
    });
  } finally {
    await store.close();
  }
  return { campaign: `leaks ${name}`, counts, violations, skipped: [] };
}

/** Kills it once it says that it has reached the step. */
async function reached(
  child: ChildProcess,
  until: number | null,
  said: (line: string) => void,
): Promise<void> {
  for await (const line of createInterface({ input: child.stdout! })) {
    said(line);
    if (until !== null && line === `at ${until}`) child.kill('SIGKILL');
  }
}

/** The checkpoint that lies so far into those that are kept. */
async function nearest(engine: Engine, task: string, part: number): Promise<string> {
  const records = await engine.checkpoints.listCheckpoints(task);
  return records[Math.floor((records.length - 1) * part)]!.id;
}
