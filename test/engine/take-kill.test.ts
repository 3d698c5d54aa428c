/** A take is killed at its changes to the disk: the next owner of the task finishes it, or it was not begun. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { emptyExamination, examineStore } from '../../src/engine/doctor/doctor.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { liveEntries } from '../../src/engine/task/journal.ts';
import { loadHead } from '../../src/engine/task/records/head.ts';
import { loadUnfinished } from '../../src/engine/task/records/rollback-in-progress.ts';
import { unlessFull } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';
import { errorOf } from './undo-ground.ts';

const tempDir = tempDirs();
const STEP = Number(process.env.KILL_STEP ?? unlessFull(17, 5));
const CHILD = join(import.meta.dirname, 'files-child.ts');
const NINE = '1\n2\n3\n4\n5\n6\n7\n8\n9\n';

const start = defineTask('start', async (task) => void (await task.checkpoint()), { version: '1' });
const work = defineTask(
  'work',
  async (task) => {
    await task.files.edit('a.txt', (text) => text.replace('2\n', 'two\n'));
    await task.shell('echo made > made.txt; rm gone.txt');
  },
  { version: '1' },
);

const BEFORE = {
  'a.txt': NINE.replace('9', 'nine'),
  'gone.txt': 'gone\n',
  'made.txt': null,
  'mine.txt': 'later\n',
};
const AFTER = {
  ...BEFORE,
  'a.txt': BEFORE['a.txt'].replace('2\n', 'two\n'),
  'gone.txt': null,
  'made.txt': 'made\n',
};

test('a take that is killed is finished or not begun, and is taken back as a whole', async () => {
  const [dir, elsewhere] = [tempDir(), tempDir()];
  for (const at of [dir, elsewhere]) {
    writeFileSync(join(at, 'a.txt'), NINE);
    writeFileSync(join(at, 'gone.txt'), 'gone\n');
  }
  const engine = await open(dir);
  const { id: task, outcome } = await engine.start(start, undefined);
  await outcome;
  const other = await engine.start(work, undefined, { working_dir: elsewhere });
  await other.outcome;
  const from = other.id;
  // A person's own lines, in a file that is merged.
  writeFileSync(join(dir, 'a.txt'), BEFORE['a.txt']);
  await engine.close();
  const copy = () => {
    const to = tempDir();
    cpSync(dir, to, { recursive: true });
    return to;
  };
  const points = Number((await run({ dir: copy(), task, from, deadly: -1 })).stdout);
  expect(points).toBeGreaterThan(20);
  const seen = { unfinished: 0, begun: 0, done: 0 };
  for (let deadly = 1; deadly <= points; deadly += STEP) {
    const place = copy();
    await run({ dir: place, task, from, deadly }).catch((error: { signal?: string }) =>
      expect(error.signal).toBe('SIGKILL'),
    );
    writeFileSync(join(place, 'mine.txt'), 'later\n');
    const at = `killed at ${deadly} of ${points}`;
    const after = await open(place);
    const unfinished = (await loadUnfinished(after.storage, task)) !== null;
    const problems = [];
    for await (const found of examineStore(after, emptyExamination())) problems.push(found);
    expect(
      problems.map(({ code }) => code),
      at,
    ).toEqual(unfinished ? ['RESTORE_UNFINISHED'] : []);
    if (unfinished) {
      expect(problems[0]!.message).toContain(`vibe-engine finish ${task}`);
      expect((await after.reader.view(task)).unfinished).toBe('finish');
      expect(await after.finish(task)).toMatchObject({ verb: 'take', result: { task, from, done: true } });
      seen.unfinished++;
    } else if ((await takes(after, task)) === 0) {
      expect(filesIn(place), at).toEqual(BEFORE);
      await after.take(from, task);
      seen.begun++;
    } else seen.done++;
    expect(filesIn(place), at).toEqual(AFTER);
    expect(await takes(after, task)).toBe(1);
    expect(await errorOf(after.take(from, task))).toMatchObject({ code: 'NOTHING_TO_TAKE' });
    expect(await after.storage.list('restores')).toEqual([]);
    const { id: checkpoint } = (await after.checkpoints.listCheckpoints(task)).at(-1)!;
    await after.rollback(checkpoint, { only: 'files' });
    expect(filesIn(place), at).toEqual(BEFORE);
    await after.redo(task);
    expect(filesIn(place), at).toEqual(AFTER);
    await after.undo(task);
    expect(filesIn(place), at).toEqual(BEFORE);
    expect((await after.state(task))?.status).toBe('completed');
    await after.close();
    rmSync(place, { recursive: true });
  }
  expect(Math.min(seen.unfinished, seen.begun)).toBeGreaterThan(0);
}, 600_000);

async function takes(engine: Awaited<ReturnType<typeof open>>, task: string): Promise<number> {
  let found = 0;
  const head = (await loadHead(engine.storage, task))!;
  for await (const { entry } of liveEntries(engine.storage, head)) if (entry.t === 'take') found += 1;
  return found;
}

function open(dir: string) {
  const quiet = { signals: false, automatic_cleanup: false };
  return openEngine({ project_dir: dir, workspace: true, tasks: [start, work], ...quiet });
}

function filesIn(dir: string): Record<string, string | null> {
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : null);
  return Object.fromEntries(Object.keys(BEFORE).map((name) => [name, read(join(dir, name))]));
}

function run(job: object): Promise<{ stdout: string }> {
  const given = { checkpoint: null, ...job };
  return promisify(execFile)(process.execPath, [CHILD, JSON.stringify(given)], { cwd: import.meta.dirname });
}
