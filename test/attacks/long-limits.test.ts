/** A time limit longer than a timer holds is as long as it says: it neither fires at once nor is refused. */
import { expect, test } from 'vitest';
import { openEngine } from '../../src/engine/engine.ts';
import { defineTask } from '../../src/index.ts';
import { runGit } from '../../src/system/git/git.ts';
import { runProgram } from '../../src/system/process/program.ts';
import { sleepFor, timeLimit } from '../../src/system/time-limit.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const LONG = [2 ** 31, 2 ** 32, 1e12];

test.each(LONG)('%d ms for a step, a command and git', async (timeout_ms) => {
  const dir = tempDir();
  const engine = await openEngine({ project_dir: dir, workspace: true, signals: false });
  const task = defineTask('long', async (t) => {
    const step = await t.step('s', () => 'done', { timeout_ms });
    const { stdout, timed_out } = await t.shell('sleep 0.05; echo done', { timeout_ms });
    return { step, stdout, timed_out };
  });
  expect(await engine.run(task, undefined)).toEqual({ step: 'done', stdout: 'done\n', timed_out: false });
  await engine.close();
  expect(await runGit(dir, ['--version'], { timeout_ms })).toMatchObject({ code: 0, timed_out: false });
  const { code } = await runProgram(['sh', '-c', 'sleep 0.05'], { input: null, timeout_ms });
  expect(code).toBe(0);
});

test.each(LONG)('%d ms until something is done: it waits, and warns of nothing', async (ms) => {
  const warnings: string[] = [];
  const hear = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', hear);
  const stop = new AbortController();
  const slept = sleepFor(ms, stop.signal).then(
    () => 'over',
    () => 'stopped',
  );
  const limit = timeLimit(ms);
  await new Promise((turn) => setTimeout(turn, 20));
  expect(limit.aborted).toBe(false);
  stop.abort();
  expect(await slept).toBe('stopped');
  process.off('warning', hear);
  expect(warnings).toEqual([]);
});
