/** Files that no snapshot has, as ignored ones, secrets and large ones: changed by a task, they are not lost. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { TaskContext } from '../../src/engine/api/context.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import { type Engine, openEngine } from '../../src/engine/engine.ts';
import { newRepository } from '../engine/file-world.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
afterEach(() => vi.unstubAllEnvs());
const LARGE = 'x'.repeat(1024 * 1024 + 1);

const FILES = {
  'a.txt': 'a\n',
  'kept.log': 'log\n',
  '.gitignore': 'dist/\n*.cache\n',
};
const UNCAPTURED = {
  '.env': 'TOKEN=of-a-person\n',
  'dist/out.js': 'built\n',
  'some.cache': 'cached\n',
  'private/notes.txt': 'mine\n',
  'large.bin': LARGE,
};

function project(): string {
  const dir = join(tempDir(), 'project');
  mkdirSync(dir);
  newRepository(dir, FILES);
  for (const [path, text] of Object.entries(UNCAPTURED)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text, { mode: 0o600 });
  }
  return dir;
}

const open = (project_dir: string): Promise<Engine> =>
  openEngine({ project_dir, workspace: { exclude: ['private/'], max_file_mb: 1 } });

/** Runs it, then rolls it back to its beginning, by an engine that knows nothing of what the first one saw. */
async function undone(dir: string, body: (task: TaskContext) => Promise<unknown>) {
  const first = await open(dir);
  const { id, outcome } = await first.start(defineTask('works', body), undefined);
  await outcome;
  await first.close();
  const engine = await open(dir);
  const result = await engine.undo(id);
  return { engine, id, result };
}

describe('task.files', () => {
  const paths = Object.keys(UNCAPTURED);
  const read = (dir: string, path: string) => readFileSync(join(dir, path), 'utf8');

  test('what it overwrites is put back, and again what it wrote', async () => {
    const dir = project();
    const { engine, id, result } = await undone(dir, async ({ files }) => {
      for (const path of paths) await files.write(path, 'by the task\n');
    });
    for (const [path, text] of Object.entries(UNCAPTURED)) expect(read(dir, path) === text).toBe(true);
    expect(result.files).toEqual([...paths].sort());
    expect(statSync(join(dir, '.env')).mode & 0o777).toBe(0o600);
    await engine.redo(id);
    for (const path of paths) expect(read(dir, path).slice(0, 20)).toBe('by the task\n');
    await engine.close();
  });

  test('in a sealed store what it overwrites is kept sealed, and put back', async () => {
    vi.stubEnv('VIBE_ENGINE_KEY', 'ab'.repeat(32));
    vi.stubEnv('VIBE_ENGINE_ENCRYPTION_ENABLED', 'true');
    vi.stubEnv('VIBE_ENGINE_ENCRYPTION_KEY_FROM', 'environment');
    const dir = project();
    const { engine } = await undone(dir, ({ files }) => files.write('.env', 'by the task\n'));
    expect(read(dir, '.env')).toBe(UNCAPTURED['.env']);
    const store = join(dir, '.vibe-engine');
    const kept = readdirSync(store, { recursive: true, encoding: 'utf8' }).map((name) => join(store, name));
    const stored = kept.filter((path) => statSync(path).isFile()).map((path) => readFileSync(path));
    expect(stored.length).toBeGreaterThan(0);
    expect(stored.some((bytes) => bytes.includes('of-a-person'))).toBe(false);
    await engine.close();
  });

  test('what it deletes is put back', async () => {
    const dir = project();
    const { engine, result } = await undone(dir, async ({ files }) => {
      for (const path of paths) await files.delete(path);
    });
    for (const [path, text] of Object.entries(UNCAPTURED)) expect(read(dir, path) === text).toBe(true);
    expect(result.files).toEqual([...paths].sort());
    await engine.close();
  });

  test('what it makes there is removed, and nothing beside it is', async () => {
    const dir = project();
    const { engine } = await undone(dir, async ({ files }) => {
      await files.write('dist/new.js', 'new\n');
      await files.write('deep/.env.local', 'x\n');
    });
    expect(existsSync(join(dir, 'dist/new.js'))).toBe(false);
    expect(existsSync(join(dir, 'deep'))).toBe(false);
    expect(read(dir, 'dist/out.js')).toBe('built\n');
    await engine.close();
  });

  test('what a person did to it since is not overwritten', async () => {
    const dir = project();
    const first = await open(dir);
    const { id, outcome } = await first.start(
      defineTask('works', ({ files }) => files.write('.env', 'by the task\n')),
      undefined,
    );
    await outcome;
    await first.close();
    writeFileSync(join(dir, '.env'), 'newer\n');
    const engine = await open(dir);
    await engine.undo(id, { on_modified: 'use_current' });
    expect(read(dir, '.env')).toBe('newer\n');
    await engine.close();
  });
});

describe('a command', () => {
  test('what it did to what is not captured is told', async () => {
    const dir = project();
    const { engine, result } = await undone(dir, (task) =>
      task.shell(
        'echo b > a.txt; echo changed > .env; rm some.cache; echo more >> dist/out.js; rm large.bin',
      ),
    );
    expect(result.files).toEqual(['a.txt']);
    expect(result.notes.left).toEqual(
      ['.env', 'dist', 'large.bin', 'some.cache'].map((path) => ({ path, why: 'not_captured' })),
    );
    await engine.close();
  });

  test('what it did is told also where it did nothing else', async () => {
    const dir = project();
    const engine = await open(dir);
    const run = async (body: (task: TaskContext) => Promise<unknown>) => {
      const { id, outcome } = await engine.start(defineTask('works', body), undefined);
      await outcome;
      return id;
    };
    const alone = await run((task) => task.shell('echo changed > .env; rm some.cache'));
    await expect(engine.undo(alone)).rejects.toMatchObject({
      code: 'NOTHING_TO_UNDO',
      data: {
        kept: expect.arrayContaining([expect.objectContaining({ path: '.env', why: 'not_captured' })]),
      },
    });
    const beside = await run(async (task) => {
      await task.shell('echo again > .env');
      await task.files.write('a.txt', 'b');
      await task.files.write('.env', 'by the task');
    });
    const { files, notes } = await engine.undo(beside);
    expect(files).toEqual(['.env', 'a.txt']);
    // It is as the command left it: what was there before nobody knows.
    expect(notes.left).toContainEqual({ path: '.env', why: 'not_captured' });
    await engine.close();
  });

  test('what was not touched is not told', async () => {
    const dir = project();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const { engine, result } = await undone(dir, (task) => task.shell('echo b > a.txt'));
    expect(result.notes.left).toEqual([]);
    await engine.close();
  });

  test('that has files ignored which were captured, and changes them, is taken back', async () => {
    const dir = project();
    mkdirSync(join(dir, 'data'));
    writeFileSync(join(dir, 'data/table.csv'), '1\n');
    const { engine } = await undone(dir, async (task) => {
      await task.shell('true');
      await task.shell('echo "data/\n*.csv" >> .gitignore');
      await task.shell('echo 2 > data/table.csv; echo 3 > data/other.csv');
    });
    expect(readFileSync(join(dir, 'data/table.csv'), 'utf8')).toBe('1\n');
    expect(readFileSync(join(dir, '.gitignore'), 'utf8')).toBe(FILES['.gitignore']);
    await engine.close();
  });
});
