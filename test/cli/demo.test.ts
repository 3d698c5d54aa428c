import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { expectedResult, recordedSteps, STEPS } from '../../src/cli/demo-task.ts';
import { createStorageFromConfig } from '../../src/storage/factory.ts';
import { loadState } from '../../src/storage/state-records.ts';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
let scratch: string;

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 've-demo-'));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

function run(args: string[], folder = scratch): Promise<{ exit: number; out: string; err: string }> {
  const env = { PATH: process.env.PATH, TMPDIR: folder };
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], { env }, (error, out, err) => {
      resolve({ exit: error ? Number(error.code) : 0, out, err });
    });
  });
}

test.each(['json', 'sqlite'])('on %s a killed task goes on and comes to the same result', async (storage) => {
  const { exit, out, err } = await run(['demo', '--storage', storage, '--keep']);
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  expect(out).toMatch(/killed with SIGKILL during step \d+/);
  const [, found, acknowledged] = /(\d+) of (\d+) acknowledged steps are there/.exec(out)!;
  expect(found).toBe(acknowledged);
  expect(Number(found)).toBeGreaterThanOrEqual(4);
  expect(out).toContain('Its state on the disk is "in_progress"');
  expect(out).toContain(`Its result ${expectedResult()} is`);

  const folder = /left at (.*)/.exec(out)![1]!;
  const store = await createStorageFromConfig(
    { persistence: { storage_type: storage } },
    { project_dir: folder },
  );
  const [task] = (await store.tasks()).keys;
  expect((await recordedSteps(store, task!)).map(({ step }) => step)).toEqual(
    Array.from({ length: STEPS }, (_, i) => i + 1),
  );
  expect(await loadState(store, task!)).toMatchObject({
    status: 'completed',
    data: { final_output: { result: expectedResult() } },
  });
  await store.close();
});

test('nothing is left behind unless asked for', async () => {
  expect((await run(['demo'])).exit).toBe(0);
  expect(readdirSync(scratch)).toEqual([]);
});

test('a reader that leaves early does not stop it half-way', async () => {
  const child = spawn(process.execPath, [MAIN, 'demo'], { env: { PATH: process.env.PATH, TMPDIR: scratch } });
  let err = '';
  child.stderr.on('data', (text: Buffer) => {
    err += text.toString();
  });
  child.stdout.once('data', () => child.stdout.destroy());
  const exit = await new Promise((resolve) => child.once('close', resolve));
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  expect(readdirSync(scratch)).toEqual([]);
});

test('a failure is a code, a sentence and a hint; the stack only with --debug', async () => {
  const file = join(scratch, 'file');
  writeFileSync(file, '');
  const plain = await run(['demo'], file);
  expect({ exit: plain.exit, out: plain.out }).toEqual({ exit: 1, out: '' });
  expect(plain.err).toMatch(/^error IO_FAILED: .+\nhint: .+\n$/);
  const debug = await run(['demo', '--debug'], file);
  expect(debug.exit).toBe(1);
  expect(debug.err).toMatch(/\n +at .*demo\.ts/);
});
