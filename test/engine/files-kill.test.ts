/** A rollback, an undo and a redo are killed at their changes to the disk: the next resume finds the task where its files are. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { emptyExamination, examineStore } from '../../src/engine/doctor/doctor.ts';
import { type EngineOptions, openEngine } from '../../src/engine/engine.ts';
import { loadHead } from '../../src/engine/task/records/head.ts';
import { loadUnfinished } from '../../src/engine/task/records/rollback-in-progress.ts';
import { unlessFull } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';
import { stepsOf, untilStatus } from './letters.ts';

const tempDir = tempDirs();
/** Every point takes a process; a few of them show most, `KILL_STEP=1` tries all. */
const STEP = Number(process.env.KILL_STEP ?? unlessFull(29, 10));
const CHILD = join(import.meta.dirname, 'files-child.ts');

let target = '';
const work = defineTask(
  'work',
  async (task) => {
    target = await task.checkpoint();
    await task.files.write('a.txt', 'task\n');
    await task.shell('echo made > made.txt; rm gone.txt');
    await task.waitFor('user_input');
  },
  { version: '1' },
);

const BACK = { 'a.txt': 'a\n', 'gone.txt': 'gone\n', 'made.txt': null, 'mine.txt': 'later\n' };
const FORWARD = { 'a.txt': 'task\n', 'gone.txt': null, 'made.txt': 'made\n', 'mine.txt': 'later\n' };

test.each(['rollback', 'redo'] as const)(
  'a %s that is killed is finished or not begun',
  async (verb) => {
    const dir = tempDir();
    for (const name of ['a.txt', 'gone.txt', 'mine.txt'])
      writeFileSync(join(dir, name), `${name.split('.')[0]}\n`);
    const engine = await open(dir);
    const { id: task, outcome } = await engine.start(work, undefined);
    await untilStatus(engine, task, 'waiting');
    await engine.pause(task);
    await outcome;
    writeFileSync(join(dir, 'mine.txt'), 'a person\n');
    if (verb === 'redo') await engine.rollback(target);
    await engine.close();

    const copy = () => {
      const to = tempDir();
      cpSync(dir, to, { recursive: true });
      return to;
    };
    const checkpoint = verb === 'redo' ? null : target;
    const whole = await run({ dir: copy(), task, checkpoint, deadly: -1 });
    const points = Number(whole.stdout);
    expect(points).toBeGreaterThan(30);
    const ends = { BACK: 0, FORWARD: 0 };
    for (let deadly = 1; deadly <= points; deadly += STEP) {
      const place = copy();
      await run({ dir: place, task, checkpoint, deadly }).catch((error: { signal?: string }) =>
        expect(error.signal).toBe('SIGKILL'),
      );
      writeFileSync(join(place, 'mine.txt'), 'later\n'); // By someone else, whichever process finishes the rollback.
      const beforeRecovery = () => ({ veto: 'only looking' });
      const after = await open(place, { hooks: { beforeRecovery } });
      await expect(after.resume(task)).rejects.toMatchObject({ code: 'HOOK_VETO' });
      const forward = (await stepsOf(after, task)).length > 0;
      ends[forward ? 'FORWARD' : 'BACK']++;
      expect(filesIn(place), `killed at ${deadly} of ${points}`).toEqual(forward ? FORWARD : BACK);
      expect(await after.storage.list('restores')).toEqual([]);
      if (!forward) {
        await after.redo(task);
        expect(filesIn(place)).toEqual(FORWARD);
        expect((await stepsOf(after, task)).length).toBe(2);
      }
      await after.close();
      rmSync(place, { recursive: true });
    }
    expect(Math.min(ends.BACK, ends.FORWARD)).toBeGreaterThan(0);
  },
  600_000,
);

const done = defineTask(
  'done',
  async (task) => {
    await task.files.write('a.txt', 'task\n');
    await task.shell('echo made > made.txt; rm gone.txt');
  },
  { version: '1' },
);

test.each(['undo', 'redo'] as const)(
  '%s of a completed task that is killed is finished or not begun, though nobody ever resumes it',
  async (verb) => {
    const dir = tempDir();
    for (const name of ['a.txt', 'gone.txt', 'mine.txt'])
      writeFileSync(join(dir, name), `${name.split('.')[0]}\n`);
    const engine = await open(dir);
    const { id: task, outcome } = await engine.start(done, undefined);
    await outcome;
    if (verb === 'redo') await engine.undo(task);
    await engine.close();
    const copy = () => {
      const to = tempDir();
      cpSync(dir, to, { recursive: true });
      return to;
    };
    const job = verb === 'undo' ? { task, checkpoint: null, undo: true } : { task, checkpoint: null };
    const points = Number((await run({ dir: copy(), ...job, deadly: -1 })).stdout);
    expect(points).toBeGreaterThan(20);
    const seen = { unfinished: 0, whole: 0 };
    for (let deadly = 1; deadly <= points; deadly += 2 * STEP) {
      const place = copy();
      await run({ dir: place, ...job, deadly }).catch((error: { signal?: string }) =>
        expect(error.signal).toBe('SIGKILL'),
      );
      writeFileSync(join(place, 'mine.txt'), 'later\n');
      const after = await open(place);
      const at = `killed at ${deadly} of ${points}`;
      const problems = [];
      for await (const found of examineStore(after, emptyExamination())) problems.push(found.code);
      const unfinished = (await loadUnfinished(after.storage, task)) !== null;
      expect(problems, at).toEqual(unfinished ? ['RESTORE_UNFINISHED'] : []);
      seen[unfinished ? 'unfinished' : 'whole']++;
      // Whatever is asked for next finishes it first: asked for again, it is not done twice.
      const undone = (await loadHead(after.storage, task))!.files_undone !== undefined;
      if (unfinished || undone === (verb === 'redo')) await after[verb](task);
      expect(filesIn(place), at).toEqual(verb === 'undo' ? BACK : FORWARD);
      expect(await loadUnfinished(after.storage, task)).toBeNull();
      expect(await after.storage.list('restores')).toEqual([]);
      await after[verb === 'undo' ? 'redo' : 'undo'](task);
      expect(filesIn(place), at).toEqual(verb === 'undo' ? FORWARD : BACK);
      expect((await after.state(task))?.status).toBe('completed');
      await after.close();
      rmSync(place, { recursive: true });
    }
    expect(Math.min(seen.unfinished, seen.whole)).toBeGreaterThan(0);
  },
  600_000,
);

function open(dir: string, options: EngineOptions = {}) {
  const quiet = { signals: false, automatic_cleanup: false };
  return openEngine({ project_dir: dir, workspace: true, tasks: [work], ...quiet, ...options });
}

function filesIn(dir: string): Record<string, string | null> {
  const names = ['a.txt', 'gone.txt', 'made.txt', 'mine.txt'];
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : null);
  return Object.fromEntries(names.map((name) => [name, read(join(dir, name))]));
}

function run(job: object): Promise<{ stdout: string }> {
  return promisify(execFile)(process.execPath, [CHILD, JSON.stringify(job)], { cwd: import.meta.dirname });
}
