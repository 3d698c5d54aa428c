/** The store at a path inside the project, as the documents' config.json has it: no part of the files, nor of git's. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { everyEntry } from '../../src/workspace/tree/tree.ts';
import { openWorkspace } from '../../src/workspace/workspace.ts';
import { unlessFull } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';
import { git, put } from '../workspace/ground.ts';
import { newRepository } from './file-world.ts';
import { checkpointsOf, untilStatus } from './letters.ts';
import { benches } from './setup.ts';

const newBench = benches();
const tempDir = tempDirs();

const echoes = defineTask(
  'echoes',
  async (task, times: number) => {
    for (let n = 0; n < times; n++) await task.shell('echo line >> log.txt');
    await task.waitFor('user_input', { prompt: 'more?' });
    await task.shell('echo last >> log.txt');
    return times;
  },
  { version: '1' },
);

function settings(dir: string, persistence: Record<string, string>): void {
  put(dir, '.vibe-engine/config.json', JSON.stringify({ persistence }));
}

/** By a path or below a directory; on either store. */
const INSIDE = [
  { storage_type: 'sqlite', path: '.cache/tiny-claude-code/data.db' },
  { storage_type: 'json', base_dir: 'stores' },
];
const MORE = [
  { storage_type: 'sqlite', base_dir: 'stores' },
  { storage_type: 'json', path: 'stores/records' },
];

test.each([...INSIDE, ...unlessFull([], MORE)])(
  '%j is in no snapshot, asks nothing on resume, and git does not see it',
  async (persistence) => {
    const { dir, open } = newBench();
    newRepository(dir, { 'a.txt': 'a\n' });
    settings(dir, persistence);
    const engine = await open({ workspace: true, tasks: [echoes] });
    const { id, outcome } = await engine.start(echoes, 15);
    await untilStatus(engine, id, 'waiting');
    await engine.pause(id);
    await outcome;
    expect(await engine.storage.size()).toBeLessThan(2_000_000);
    expect(git(dir, 'status', '--porcelain', '--ignored=no').trim()).toBe('?? log.txt');
    await engine.close();

    const again = await open({ workspace: true, tasks: [echoes] });
    const resumed = await again.resume(id);
    await untilStatus(again, id, 'waiting');
    await again.answer(id, 'no');
    expect(await resumed.outcome).toMatchObject({ status: 'completed' });
    const to = tempDir();
    await again.fork((await checkpointsOf(again, id))[0]!, { working_dir: to });
    expect(existsSync(join(to, 'a.txt'))).toBe(true);
    for (const part of ['.cache/tiny-claude-code', 'stores/records'])
      expect(existsSync(join(to, part))).toBe(false);
  },
);

test('what the user puts beside a database that was alone is captured, and git sees it', async () => {
  const { dir, open } = newBench();
  newRepository(dir, { 'a.txt': 'a\n' });
  settings(dir, { storage_type: 'sqlite', path: 'data/store.db' });
  const engine = await open({ workspace: true });
  const workspace = await openWorkspace({ root: dir, storage: engine.storage });
  const paths = async () => {
    const { id } = await workspace.snapshot();
    return [...everyEntry(await workspace.tree(id))].map(([path]) => path);
  };
  expect(await paths()).toEqual(['a.txt']);
  expect(existsSync(join(dir, 'data/store.db-wal'))).toBe(true);
  put(dir, 'data/mine.csv', '1\n');
  expect(await paths()).toEqual(['a.txt', 'data', 'data/mine.csv']);
  expect(git(dir, 'status', '--porcelain', '-uall').trim()).toBe('?? data/mine.csv');
  await workspace.close();
});

test('a database beside files of the user keeps itself out of git, and no .gitignore of theirs is touched', async () => {
  const { dir, open } = newBench();
  newRepository(dir, { '.gitignore': '*.log\n', 'a.txt': 'a\n' });
  settings(dir, { storage_type: 'sqlite', path: 'data.db' });
  const engine = await open({ workspace: true });
  await engine.storage.save('state', 'x', { y: 1 });
  expect(git(dir, 'status', '--porcelain')).toBe('');
  expect(readFileSync(join(dir, '.gitignore'), 'utf8')).toBe('*.log\n');
  const exclude = readFileSync(join(dir, '.git/info/exclude'), 'utf8');
  expect(exclude).toMatch(/\n\/data\.db\n\/data\.db-\*\n/);
  await engine.close();
  await (await open()).close();
  expect(readFileSync(join(dir, '.git/info/exclude'), 'utf8')).toBe(exclude);
  expect(statSync(join(dir, 'data.db')).size).toBeGreaterThan(0);
});
