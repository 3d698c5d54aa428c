/** A project with a task that stopped half-way: made once, put back as it was before every damage. */
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Storage } from '../../src/storage/contract.ts';
import { importFrom, type StoreName } from '../crash/stores.ts';
import { trustProject } from '../support/trust.ts';
import { makeRepository } from './git.ts';
import { resultOf, STEPS } from './job-steps.ts';
import type { Rows } from './rows.ts';
import type { Shell } from './shell.ts';

export interface World {
  readonly store: StoreName;
  readonly dir: string;
  readonly task: string;
  readonly encrypted: boolean;
  readonly git: boolean;
  readonly past: Past;
  /** Its journal in a JSON store, as it was made. */
  readonly log: Buffer;
  /** What tells how long that is. */
  readonly index: Buffer;
  /** Of a database: its rows, as they are past the store. */
  readonly rows: Rows | null;
  readonly entries: readonly SampleEntry[];
  /** Every blob, with the first entry that speaks of it; infinite where only something else does. */
  readonly blobs: ReadonlyMap<string, number>;
  /** Blobs of what the task was given. */
  readonly input: ReadonlySet<string>;
  env(stop?: boolean): Record<string, string>;
  /** What steps really ran since the last time. */
  ran(): string[];
  restore(): Promise<void>;
  close(): Promise<void>;
}

export interface SampleEntry {
  readonly seq: number;
  readonly data: { readonly t: string; readonly name?: string };
}

export interface WorldOptions {
  readonly src: string;
  readonly store: StoreName;
  readonly scratch: string;
  readonly shell: Shell;
  readonly encrypted: boolean;
  readonly git: boolean;
  /** What happened to the task after it stopped. */
  readonly past?: Past;
  /** Of a database: by what it is reached past the store. */
  rows(dir: string): Promise<Rows>;
  readonly url?: string;
}

/** Rolled back and run to the same place again, or its changes to files taken back. */
export type Past = 'plain' | 'rolled' | 'undone';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const BLOB = /\b[a-z][a-z0-9_]*\/[0-9a-f]{64}\b/g;

export async function makeWorld(options: WorldOptions): Promise<World> {
  const { store, scratch, shell, src, encrypted, git, url } = options;
  const [dir, saved, log] = [join(scratch, 'project'), join(scratch, 'saved'), join(scratch, 'ran')];
  mkdirSync(join(dir, '.vibe-engine'), { recursive: true });
  const persistence = url
    ? { storage_type: store, url, schema: SCHEMA, allow_unsafe_server: true }
    : { storage_type: store };
  const config = {
    persistence,
    checkpoints: { blob_over_kb: 1, keep_messages: 2 },
    ...(encrypted ? { encryption: { enabled: true } } : {}),
  };
  writeFileSync(join(dir, '.vibe-engine/config.json'), JSON.stringify(config));
  trustProject(dir);
  for (const [name, text] of Object.entries(BEFORE)) writeFileSync(join(dir, name), text);
  const job = join(scratch, 'job.ts');
  for (const name of ['job.ts', 'job-steps.ts']) copyFileSync(join(HERE, name), join(scratch, name));
  if (git) makeRepository(dir);
  const env = (stop = false) => ({ DAMAGE_RAN: log, ...(stop ? { DAMAGE_STOP: '1' } : {}) });
  const input = JSON.stringify({ start: 'from the start '.repeat(150) });
  const first = await shell.run({ args: ['run', job, '--input', input, '--json'], cwd: dir, env: env(true) });
  if (!('out' in first)) throw new Error(`The sample could not be made: ${first.broke}`);
  const task = (JSON.parse(first.out) as { data?: { task: string } }).data?.task;
  if (task === undefined || !first.out.includes('stopped here'))
    throw new Error(`The sample could not be made: ${first.out}${first.err}`);

  const run = async (stops: boolean, ...args: string[]): Promise<string> => {
    const ran = await shell.run({ args: [...args, '--json'], cwd: dir, env: env(stops) });
    const done = 'out' in ran && (stops ? ran.out.includes('stopped here') : ran.exit === 0);
    if (!done) throw new Error(`The sample could not be made: ${args} ${JSON.stringify(ran)}`);
    return ran.out;
  };
  if (options.past === 'rolled') {
    const listed = JSON.parse(await run(false, 'checkpoints', 'list', task)) as Listed;
    const { id } = listed.data.checkpoints.at(listed.data.checkpoints.length >> 1)!;
    await run(false, 'rollback', id, '--yes', ...BACK);
    await run(true, 'resume', task, ...BACK);
  }
  if (options.past === 'undone') await run(false, 'undo', task, '--yes', ...BACK);

  const storage = await openAs(src, dir);
  const { input: given, dead } = (await storage.load('tasks', `${task}/head`)) as StoredHead;
  const all = (await Array.fromAsync(storage.read(task))) as unknown as SampleEntry[];
  const entries = all.filter(({ seq }) => !dead.some(([from, to]) => seq >= from && seq <= to));
  const blobs = new Map<string, number>();
  for await (const { id } of storage.listBlobs(task)) blobs.set(id, Number.POSITIVE_INFINITY);
  for (const { seq, data } of entries)
    for (const [id] of JSON.stringify(data).matchAll(BLOB))
      if ((blobs.get(id) ?? 0) > seq) blobs.set(id, seq);
  const head = JSON.stringify(given);
  await storage.close();

  const rows = store === 'json' ? null : await options.rows(dir);
  await rows?.save();
  cpSync(dir, saved, { recursive: true });
  rmSync(log, { force: true });
  const made = (name: string): Buffer =>
    store === 'json' ? readFileSync(join(dir, '.vibe-engine/tasks', task, name)) : Buffer.alloc(0);
  return {
    ...{ store, dir, task, encrypted, git, rows, entries, blobs, env },
    past: options.past ?? 'plain',
    log: made('journal.log'),
    index: made('views.index'),
    input: new Set([...head.matchAll(BLOB)].map(([id]) => id)),
    ran() {
      try {
        return readFileSync(log, 'utf8').split('\n').filter(Boolean);
      } catch {
        return [];
      }
    },
    async restore() {
      rmSync(dir, { recursive: true, force: true });
      rmSync(log, { force: true });
      cpSync(saved, dir, { recursive: true });
      await rows?.restore();
    },
    close: async () => rows?.close(),
  };
}

const BACK = ['--on-modified', 'use_checkpoint', '--on-deleted', 'restore'];

interface Listed {
  readonly data: { readonly checkpoints: readonly { readonly id: string }[] };
}

interface StoredHead {
  readonly input: unknown;
  readonly dead: readonly (readonly [number, number])[];
}

export const SCHEMA = 'damage';

const BEFORE: Record<string, string> = {
  'theirs.txt': 'not the task’s\n',
  'file0.txt': 'begins\n',
  'file1.txt': 'begins\n',
};

/** What the task answers when all is done, and its files. */
export function expected(start: string): { before: string; files: Record<string, string> } {
  let before = start;
  const files = { ...BEFORE };
  for (const name of STEPS) {
    const at = Number(name.slice(1));
    before = resultOf(name, before);
    if (at % 3 === 2) files[`file${at % 2}.txt`] += `${name}\n`;
  }
  return { before, files };
}

async function openAs(src: string, dir: string): Promise<Storage> {
  const { loadConfig } = await importFrom<typeof import('../../src/config/load.ts')>(src, 'config/load.ts');
  const { createStorageFromConfig } = await importFrom<typeof import('../../src/storage/opening/factory.ts')>(
    src,
    'storage/opening/factory.ts',
  );
  const { config, project_dir } = loadConfig({ project_dir: dir });
  return createStorageFromConfig(config, { project_dir });
}
