/** A project with all that a store can hold, and what of it must be the same in whichever store it lies. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { ConfigInput } from '../../src/config/types.ts';
import { defineTask, type TaskDefinition } from '../../src/engine/api/definition.ts';
import { type Engine, openEngine } from '../../src/engine/engine.ts';
import type { TaskHandle } from '../../src/engine/lifecycle/handle.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { createStorageFromConfig } from '../../src/storage/opening/factory.ts';
import { encode } from '../../src/storage/serialize.ts';
import { configure } from '../cli/world.ts';
import { edit, editor, newRepository } from '../engine/file-world.ts';
import { untilStatus } from '../engine/letters.ts';
import type { Store } from '../engine/stores.ts';

export const SECRET = 'hunter2-moves-house';
export const ENCRYPT = ['keys', 'encrypt', '--from', 'environment'];
export const KEY = 'c0ffee'.padEnd(64, '0');

/** Of the commands and of what opens the store here; answers it as commands are given it. */
export function keyInEnvironment(): { readonly VIBE_ENGINE_KEY: string } {
  beforeEach(() => void vi.stubEnv('VIBE_ENGINE_KEY', KEY));
  afterEach(() => void vi.unstubAllEnvs());
  return { VIBE_ENGINE_KEY: KEY };
}

export const talker: TaskDefinition<{ large: string }, string> = defineTask(
  'talker',
  async (task, { large }: { large: string }) => {
    await task.message('user', `${SECRET} ${large}`);
    await task.step('first', () => `${SECRET} ${large}`);
    await task.set('count', 1n);
    const name = await task.waitFor<string>('user_input', { prompt: 'Which name?' });
    return `${name} ${large.length}`;
  },
  { version: '1' },
);

export interface Tasks {
  readonly talk: string;
  readonly fork: string;
  /** Has changed a file twice, and was taken back behind the second change. */
  readonly edits: string;
  /** Was taken back and ran again, and what it did the first time is cut out of its journal. */
  readonly twice: string;
}

/** As the files of settings say. */
export function openProject(project_dir: string, config: ConfigInput = {}): Promise<Engine> {
  const quiet = { signals: false, automatic_cleanup: false, auto_save: false, telemetry: false };
  return openEngine({ project_dir, ...quiet, config, tasks: [talker, editor], workspace: true });
}

async function talkTwice(dir: string): Promise<string> {
  const engine = await openProject(dir, { cleanup: { grace_hours: 0 } });
  const untilPaused = async ({ id, outcome }: Pick<TaskHandle, 'id' | 'outcome'>): Promise<string> => {
    await untilStatus(engine, id, 'waiting');
    await engine.pause(id);
    await outcome;
    return id;
  };
  const twice = await untilPaused(await engine.start(talker, { large: 'twice' }));
  const [first] = await engine.checkpoints.listCheckpoints(twice);
  await engine.rollback(first!.id);
  await untilPaused(await engine.resume(twice));
  await engine.clean();
  const { seq } = await engine.storage.position(twice);
  const entries = await Array.fromAsync(engine.storage.read(twice));
  expect(entries.length).toBeLessThan(seq);
  await engine.close();
  return twice;
}

export async function populate(store: Store): Promise<Tasks> {
  const { dir } = store;
  newRepository(dir, { 'a.txt': 'first\n', 'b.txt': 'in git\n' });
  configure(store);
  const twice = await talkTwice(dir);
  const engine = await openProject(dir);
  const { id: talk, outcome } = await engine.start(
    talker,
    { large: 'x'.repeat(60_000) },
    { task_name: 'talk' },
  );
  await untilStatus(engine, talk, 'waiting');
  await engine.pause(talk, 'lunch');
  await outcome;
  const { id: fork } = await engine.fork((await engine.checkpoints.listCheckpoints(talk)).at(-1)!.id);
  const changes = [
    ['a.txt', `second ${SECRET}\n`],
    ['a.txt', 'third\n'],
  ] as const;
  const edits = await edit(engine, { dir, changes, end: 'pause' });
  const [before] = await engine.checkpoints.listCheckpoints(edits);
  await engine.rollback(before!.id);
  const { storage } = engine;
  await storage.save('my-notes', 'deep/down', { text: SECRET, at: new Date(0) });
  const after = await storage.position('by-hand');
  const entries = Array.from({ length: 12 }, (_, n) => ({ n, text: `${SECRET} ${n}` }));
  await storage.commit({ task: 'by-hand', append: { after, entries } });
  await storage.commit({ task: 'by-hand', cut: { from: 3, to: 5 } });
  await storage.commit({ task: 'by-hand', cut: { from: 12, to: 12 } });
  await storage.save('tasks', 'by-hand/note', SECRET);
  await engine.close();
  return { talk, fork, edits, twice };
}

/** The store that the settings name, as a process that works there opens it. */
export function openNamed(project_dir: string): Promise<Storage> {
  return createStorageFromConfig(loadConfig({ project_dir }).config, { project_dir });
}

/** Everything, in a form that can be compared; without what is a store's own: hashes of journals, revisions, times. */
export async function contentOf(project_dir: string): Promise<Record<string, string>> {
  const storage = await openNamed(project_dir);
  const content: Record<string, string> = {};
  try {
    for (const category of ['tasks', ...(await storage.categories())]) {
      if (category === 'keys') continue;
      for (const key of await storage.list(category))
        content[`${category}/${key}`] = withoutHashes(encode(await storage.load(category, key)));
    }
    for (const task of [null, ...(await storage.tasks({ limit: 1000 })).keys]) {
      for await (const { id } of storage.listBlobs(task))
        content[`${task} ${id}`] = `${(await storage.getBlob(task, id))!.length}`;
      if (task === null) continue;
      for await (const { seq, data } of storage.read(task)) content[`${task} ${seq}`] = encode(data);
      content[`${task} end`] = `${(await storage.position(task)).seq}`;
    }
    return content;
  } finally {
    await storage.close();
  }
}

function withoutHashes(text: string): string {
  return text.replaceAll(/"(hash|checksum)":"[0-9a-f]{64}"/g, '"$1":""');
}

/** Whole, and no move is left half done. */
export async function expectHealthy(project_dir: string): Promise<void> {
  const engine = await openProject(project_dir);
  try {
    const { examineStore } = await import('../../src/engine/doctor/doctor.ts');
    const problems: unknown[] = [];
    for await (const problem of examineStore(engine)) problems.push(problem);
    expect(problems).toEqual([]);
  } finally {
    await engine.close();
  }
}

/** Files of the project's own directory that have the text. */
export function holding(project_dir: string, text: string): string[] {
  const dir = join(project_dir, '.vibe-engine');
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const file = join(dir, name);
    return statSync(file).isFile() && readFileSync(file).includes(text);
  });
}

export function configFileOf(project_dir: string): string {
  return join(project_dir, '.vibe-engine', 'config.json');
}
