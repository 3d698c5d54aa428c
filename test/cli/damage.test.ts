/** The verbs on a damaged task: each works on what is whole, or says in one sentence what to type, and that works. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { createStorageFromConfig } from '../../src/storage/opening/factory.ts';
import { SOURCES } from '../crash/mutants.ts';
import type { StoreName } from '../crash/stores.ts';
import { postgresRows, sqliteRows } from '../damage/rows.ts';
import { openShell } from '../damage/shell.ts';
import type { Answered } from '../damage/worker.ts';
import { expected, makeWorld, type World } from '../damage/world.ts';
import { freshDatabase } from '../support/postgres.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const shell = openShell(SOURCES);
afterAll(() => shell.close());

const newWorld = (store: StoreName, url?: string): Promise<World> =>
  makeWorld({
    ...{ src: SOURCES, store, scratch: tempDir(), shell, encrypted: false, git: false },
    rows: (dir) => (url ? postgresRows(url) : sqliteRows(dir)),
    ...(url ? { url } : {}),
  });

let world: World;
interface Listed {
  readonly data: { readonly checkpoints: readonly { readonly id: string; readonly snapshot: string }[] };
}
const run = async (...args: string[]): Promise<Answered> => {
  const ran = await shell.run({ args, cwd: world.dir, env: world.env() });
  if ('broke' in ran) throw new Error(ran.broke);
  return ran;
};
const BACK = ['--on-modified', 'use_checkpoint', '--on-deleted', 'restore'];
const files = () => [0, 1].map((n) => readFileSync(join(world.dir, `file${n}.txt`), 'utf8'));
const once = () => [0, 1].map((n) => expected('').files[`file${n}.txt`]);
const WHAT_TO_TYPE = /^error \w+: [^\n]+\nhint: [^\n]*vibe-engine (?:resume|doctor|checkpoints)[^\n]*\n$/m;

/** It did what was asked, or said in one sentence what to type instead. */
function expectToHelp({ exit, err, out }: Answered): void {
  expect(err).not.toMatch(/\n\s+at |THROWN|\w+Error:/);
  if (exit !== 0) expect(`${out}${err}`).toMatch(WHAT_TO_TYPE);
}

describe('JSON', () => {
  beforeAll(async () => {
    world = await newWorld('json');
  });
  beforeEach(() => world.restore());

  const inTask = (...names: string[]) => join(world.dir, '.vibe-engine/tasks', world.task, ...names);
  const spoil = (seq: number): void => {
    const lines = readFileSync(inTask('journal.log'), 'utf8').split('\n');
    const at = lines.findIndex((line) => Number(/"s":(\d+)/.exec(line)?.[1] ?? 0) >= seq);
    lines[at] = lines[at]!.replace('"at":"2', '"at":"3');
    writeFileSync(inTask('journal.log'), lines.join('\n'));
  };
  const cutOff = (): void =>
    writeFileSync(inTask('journal.log'), readFileSync(inTask('journal.log')).subarray(0, 20_000));
  const last = () => world.entries.at(-1)!.seq;
  const half = () => Math.floor(last() / 2);
  const loseResults = (): void => {
    for (const { name, parentPath } of readdirSync(inTask(), { recursive: true, withFileTypes: true }))
      if (parentPath.endsWith('step_results')) rmSync(join(parentPath, name));
  };
  const changeState = async (data: object | null): Promise<void> => {
    const { config, project_dir } = loadConfig({ project_dir: world.dir });
    const storage = await createStorageFromConfig(config, { project_dir });
    const at = { category: 'tasks', key: `${world.task}/state` };
    await storage.commit({ task: world.task, records: [data ? { ...at, data } : { ...at, remove: true }] });
    await storage.close();
  };

  test.for([
    { what: 'the beginning of the journal', damage: () => spoil(1) },
    { what: 'its middle', damage: () => spoil(half()) },
    { what: 'its end', damage: () => spoil(last()) },
    {
      what: 'its tail, cut off',
      damage: () => cutOff(),
    },
    { what: 'results of steps', damage: loseResults },
    { what: 'the state', damage: () => changeState({ is: 'no state' }) },
    { what: 'the state, removed', damage: () => changeState(null) },
  ])('$what: every verb helps, and resume resumes', async ({ damage }) => {
    const { task } = world;
    for (const args of [
      ['tasks'],
      ['show', task],
      ['history', task],
      ['checkpoints', 'list', task],
      ['checkpoints', 'inspect', `${task}-3`],
      ['export', task, 'out.ve'],
      ['undo', task, '--dry-run'],
      ['rollback', `${task}-3`, '--dry-run'],
      ['fork', `${task}-3`],
      ['clean', '--keep', '1', '--yes'],
      ['undo', task, '--yes', ...BACK],
      ['rollback', `${task}-3`, '--yes', ...BACK],
    ]) {
      await world.restore();
      await damage();
      const ran = await run(...args);
      // What is aside after mending is no longer there to be forked.
      if (ran.err.includes('CHECKPOINT_NOT_FOUND'))
        expect(ran.err).toContain('Skipped, because after the damage');
      else expectToHelp(ran);
    }
    await world.restore();
    await damage();
    const answer = await run('answer', task, 'yes');
    expect(answer.err).toMatch(/has no open question|hint: .*vibe-engine/);
    await world.restore();
    await damage();
    expect((await run('resume', task, ...BACK)).exit).toBe(0);
    expect(files()).toEqual(once());
  });

  test.for([
    ['the beginning', () => spoil(1)],
    ['the middle', () => spoil(half())],
    ['the end', () => spoil(last())],
  ] as const)('show offers what works on a damaged task: %s', async ([, damage]) => {
    damage();
    const { out } = await run('show', world.task, '--json');
    const { next } = (JSON.parse(out) as { data: { next: string[] } }).data;
    expect(next.map((command) => command.split(' ')[1])).toEqual([
      'resume',
      'retry',
      'doctor',
      'checkpoints',
    ]);
    for (const command of next) {
      await world.restore();
      damage();
      const yes = command.includes('doctor') ? ['--yes'] : [];
      expect([command, (await run(...command.split(' ').slice(1), ...yes)).exit]).toEqual([command, 0]);
    }
  });

  test('doctor --repair forgets nothing: edits are made once, and can be undone', async () => {
    spoil(half());
    const told = await run('history', world.task);
    expect(told.err).toContain('vibe-engine doctor --repair');
    expect(await run('doctor', '--repair', '--yes')).toMatchObject({
      exit: 0,
      out: expect.stringContaining('No problems found'),
    });
    expect((await run('resume', world.task, ...BACK)).exit).toBe(0);
    expect(files()).toEqual(once());

    await world.restore();
    spoil(half());
    await run('doctor', '--repair', '--yes');
    expect((await run('undo', world.task, '--yes', ...BACK)).exit).toBe(0);
    expect(files()).toEqual(['begins\n', 'begins\n']);
  });

  test('doctor makes a state again', async () => {
    await changeState(null);
    expect(await run('doctor')).toMatchObject({ exit: 5, out: expect.stringContaining('is missing') });
    expect((await run('doctor', '--repair', '--yes')).exit).toBe(0);
    expect((await run('show', world.task)).exit).toBe(0);
  });

  test('a fork from before the damage is made, and leaves the other task alone', async () => {
    spoil(half());
    const before = readFileSync(inTask('journal.log'));
    const { exit, out } = await run('fork', `${world.task}-3`);
    expect([exit, out]).toEqual([0, expect.stringMatching(/is not known: [\s\S]*The new task is/)]);
    expect(readFileSync(inTask('journal.log')).equals(before)).toBe(true);
  });

  test('a fork whose parent is damaged before it says what is left', async () => {
    const { out } = await run('fork', `${world.task}-15`, '--json');
    const fork = (JSON.parse(out) as { data: { task: string } }).data.task;
    spoil(half());
    expect((await run('resume', fork)).err).toContain('vibe-engine doctor --repair');
    await run('doctor', '--repair', '--yes');
    const list = `vibe-engine checkpoints list ${world.task.slice(-6)}`;
    expect((await run('resume', fork)).err).toContain(list);
    expect((await run('fork', `${world.task}-3`)).exit).toBe(0);
  });

  test.for([
    ['the beginning', () => spoil(1)],
    ['the middle', () => spoil(half())],
    ['near the end', () => spoil(last() - 3)],
    ['the end', () => spoil(last())],
    ['a cut tail', () => cutOff()],
  ] as const)('clean-up passes over a damaged task, says so, and does the rest: %s', async ([, damage]) => {
    await run('fork', `${world.task}-3`); // Another task, with nothing to do with the damage.
    damage();
    const before = readFileSync(inTask('journal.log'));
    const { exit, out } = await run('clean', '--keep', '1', '--yes');
    expect([exit, out]).toEqual([0, expect.stringContaining('is skipped: it is damaged')]);
    expect(readFileSync(inTask('journal.log')).equals(before)).toBe(true);
    expect((await run('resume', world.task, ...BACK)).exit).toBe(0);
    expect(files()).toEqual(once());
  });

  describe('files are taken back as far as they are known', () => {
    const lose = (id: string) => rmSync(join(world.dir, '.vibe-engine/blobs', id));
    /** Before the first edit, and after each of the three. */
    const snapshot = (at: number): string => {
      const all = world.entries.flatMap(
        ({ data }) => JSON.stringify(data).match(/snapshot\/[0-9a-f]{64}/g) ?? [],
      );
      return [...new Set(all)].at(at)!;
    };

    test('the first snapshot is lost: what came since is taken back', async () => {
      lose(snapshot(0));
      const { exit, err } = await run('undo', world.task, '--yes');
      expect([exit, err]).toEqual([
        0,
        expect.stringMatching(/cannot be read: snapshot[\s\S]*they stay as they are/),
      ]);
      expect(files()).toEqual(['begins\ns2\n', 'begins\n']);
      expect((await run('redo', world.task)).exit).toBe(0);
      expect(files()).toEqual(once());
    });

    test('the last snapshot is lost: what others may have changed since is asked about', async () => {
      lose(snapshot(3));
      const asked = await run('undo', world.task, '--yes');
      expect([asked.exit, asked.err]).toEqual([3, expect.stringContaining('--on-modified')]);
      expect(files()).toEqual(once());
      const { exit, err } = await run('undo', world.task, '--yes', ...BACK);
      expect([exit, err]).toEqual([0, expect.stringContaining('cannot be read')]);
      expect(files()).toEqual(['begins\n', 'begins\n']);
    });

    test('all snapshots are lost: it says so, and changes nothing', async () => {
      for (const at of [0, 1, 2, 3]) lose(snapshot(at));
      const { exit, err } = await run('undo', world.task, '--yes');
      expect([exit, err]).toEqual([1, expect.stringContaining(`does not have all of ${snapshot(0)}`)]);
      expect(files()).toEqual(once());
    });

    test('the content of one file is lost: it stays, and the other is taken back', async () => {
      const { out: list } = await run('checkpoints', 'list', world.task, '--json');
      const { checkpoints } = (JSON.parse(list) as Listed).data;
      const between = checkpoints.find((one) => one.snapshot === snapshot(1))!;
      const hash = createHash('sha256').update('begins\ns2\n').digest('hex');
      writeFileSync(join(world.dir, '.vibe-engine/blobs/file', hash), 'damaged');
      const { exit, out } = await run('rollback', between.id, '--yes', '--only', 'files');
      expect([exit, out]).toEqual([
        0,
        expect.stringContaining('file0.txt stays as it is: the store has lost'),
      ]);
      expect(files()).toEqual([once()[0], 'begins\n']);
    });
  });

  test('where git has lost what was there before, nothing is done again unasked', async () => {
    const plain = world;
    world = await makeWorld({
      ...{ src: SOURCES, store: 'json', scratch: tempDir(), shell, encrypted: false, git: true },
      rows: () => Promise.reject(new Error('There are none.')),
    });
    try {
      spoil(half());
      // The second names that the store keeps of git's files, too.
      for (const place of ['.git/objects', '.vibe-engine/.workspace/git'])
        rmSync(join(world.dir, place), { recursive: true });
      const { exit, err } = await run('resume', world.task, ...BACK);
      expect([exit, err]).toEqual([1, expect.stringContaining('--on-modified use_current')]);
      expect(files()).toEqual(once());
      expect(world.ran()).toEqual([]);
    } finally {
      world = plain;
    }
  });

  test('where no snapshot from before is left, nothing is done again unasked', async () => {
    expect((await run('clean', '--keep', '1', '--yes')).exit).toBe(0);
    spoil(2);
    for (const _ of [1, 2]) {
      const { exit, err } = await run('resume', world.task, ...BACK);
      expect([exit, err]).toEqual([1, expect.stringContaining('--on-modified use_current')]);
      expect(files()).toEqual(once());
      expect(world.ran()).toEqual([]);
    }
    expect(await run('resume', world.task, '--on-modified', 'use_current')).toMatchObject({
      exit: 0,
      err: expect.stringContaining('The files stay as they are'),
    });
  });
});

describe.for(['sqlite', 'postgres'] as const)('%s', (store) => {
  test('what is damaged in the middle: verbs help, doctor repairs, edits are made once', async () => {
    const database = store === 'postgres' ? await freshDatabase() : null;
    world = await newWorld(store, database?.url);
    try {
      const rows = await world.rows!.list(world.task);
      const seq = Math.floor(world.entries.at(-1)!.seq / 2);
      await world.rows!.spoil(rows.find(({ table, of }) => table === 'journal' && of === seq)!, 'flip');
      for (const args of [
        ['show', world.task],
        ['history', world.task],
        ['fork', `${world.task}-3`],
        ['undo', world.task, '--dry-run'],
        ['clean', '--keep', '1', '--yes'],
      ])
        expectToHelp(await run(...args));
      expect((await run('doctor', '--repair', '--yes')).exit).toBe(0);
      expect((await run('resume', world.task, ...BACK)).exit).toBe(0);
      expect(files()).toEqual(once());
    } finally {
      await world.close();
      await database?.drop();
    }
  });
});
