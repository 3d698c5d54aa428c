/** What `doctor` notices of a damaged store, and that one `--repair` is enough. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { createStorageFromConfig } from '../../src/storage/opening/factory.ts';
import { SOURCES } from '../crash/mutants.ts';
import { openShell } from '../damage/shell.ts';
import type { Answered } from '../damage/worker.ts';
import { makeWorld, type World } from '../damage/world.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const shell = openShell(SOURCES);
afterAll(() => shell.close());

let world: World;
beforeAll(async () => {
  world = await makeWorld({
    ...{ src: SOURCES, store: 'json', scratch: tempDir(), shell, encrypted: false, git: true },
    rows: () => Promise.reject(new Error('There are none.')),
  });
});
beforeEach(() => world.restore());

const run = async (...args: string[]): Promise<Answered> => {
  const ran = await shell.run({ args, cwd: world.dir, env: world.env() });
  if ('broke' in ran) throw new Error(ran.broke);
  return ran;
};
const inStore = (...names: string[]) => join(world.dir, '.vibe-engine', ...names);
const inTask = (...names: string[]) => inStore('tasks', world.task, ...names);
const flip = (path: string, at = 0.5): void => {
  const bytes = readFileSync(path);
  bytes[Math.floor(bytes.length * at)]! ^= 4;
  writeFileSync(path, bytes);
};
const withStorage = async (work: (storage: Storage) => Promise<unknown>): Promise<void> => {
  const { config, project_dir } = loadConfig({ project_dir: world.dir });
  const storage = await createStorageFromConfig(config, { project_dir });
  await work(storage);
  await storage.close();
};
const repairs = () => run('doctor', '--repair', '--yes');

test.for(['state.json', 'head.json', 'views.index'])(
  'a flip in %s is noticed, and repaired',
  async (name) => {
    flip(inTask(name));
    const damaged = readFileSync(inTask(name));
    expect(await run('doctor')).toMatchObject({ exit: 5, out: expect.stringContaining(name) });
    const { exit, out } = await repairs();
    const [, aside] = /The damaged data is in (\S+)\./.exec(out) ?? [];
    expect(exit).toBe(0);
    expect(readFileSync(join(aside!, `0-${name}`)).equals(damaged)).toBe(true);
    if (existsSync(inTask(name))) expect(readFileSync(inTask(name)).equals(damaged)).toBe(false);
    expect((await run('doctor')).exit).toBe(0);
  },
);

test('a file that shows another state than the journal has is noticed', async () => {
  const text = readFileSync(inTask('state.json'), 'utf8');
  writeFileSync(inTask('state.json'), text.replace('"failed"', '"cancelled"'));
  expect((await run('doctor')).exit).toBe(5);
  expect((await run('tasks')).out).toContain('failed');
  expect((await repairs()).exit).toBe(0);
  expect(readFileSync(inTask('state.json'), 'utf8')).toBe(text);
});

test.for([
  { what: 'gone', damage: () => rmSync(inStore('store.json')) },
  { what: 'damaged', damage: () => writeFileSync(inStore('store.json'), '{ "format": "vibe-eng') },
])('store.json is $what: every command says so, and doctor makes it again', async ({ damage }) => {
  damage();
  for (const args of [['tasks'], ['show', world.task], ['resume', world.task], ['undo'], ['clean']]) {
    const { exit, err } = await run(...args);
    expect([exit, err]).toEqual([1, expect.stringMatching(/store\.json[\s\S]*vibe-engine doctor --repair/)]);
  }
  expect(await run('doctor')).toMatchObject({
    exit: 5,
    out: expect.stringMatching(/store\.json[\s\S]*vibe-engine doctor --repair/),
  });
  expect(await repairs()).toMatchObject({ exit: 0, out: expect.stringContaining('No problems found') });
  expect((await run('tasks')).out).toContain('job');
  expect((await run('resume', world.task)).exit).toBe(0);
});

test('an empty directory is no store that has lost something', async () => {
  rmSync(inStore('store.json'));
  rmSync(inStore('tasks'), { recursive: true });
  expect((await run('tasks')).exit).toBe(0);
});

test('one repair is enough for all of it', async () => {
  const lines = readFileSync(inTask('journal.log'), 'utf8').split('\n');
  const at = Math.floor(lines.length / 2);
  lines[at] = lines[at]!.replace('"at":"2', '"at":"3');
  writeFileSync(inTask('journal.log'), lines.join('\n'));
  flip(inTask('head.json'), 0.9);
  flip(inTask('state.json'));
  if (existsSync(inStore('records.log'))) flip(inStore('records.log'));
  expect(await repairs()).toMatchObject({ exit: 0, out: expect.stringContaining('No problems found') });
});

test('a task whose state cannot be read is not passed over in silence', async () => {
  await withStorage((storage) =>
    storage.commit({
      task: world.task,
      records: [{ category: 'tasks', key: `${world.task}/state`, data: { is: 'no state' } }],
    }),
  );
  const { out } = await run('tasks');
  expect(out).toMatch(new RegExp(`${world.task} cannot be read[^\\n]*vibe-engine doctor --repair`));
  expect(out).not.toContain('no tasks');
  expect((await repairs()).exit).toBe(0);
  expect((await run('tasks')).out).not.toContain('cannot be read');
});

test('content that git has is not missing, whatever refers to it', async () => {
  const snapshot = /snapshot\/[0-9a-f]{64}/.exec(JSON.stringify(world.entries))![0];
  const file = `file/${createHash('sha256').update('begins\n').digest('hex')}`;
  expect(existsSync(inStore('blobs', file))).toBe(false);
  // As a restore that was cut off names it.
  await withStorage((storage) => storage.save('restores', 'cut-off', { needs: [snapshot, file] }));
  expect(await run('doctor')).toMatchObject({ exit: 0, err: '' });
});
