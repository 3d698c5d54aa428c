import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { demo } from '../../src/cli/demo/demo.ts';
import { FULL } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';
import { misfits } from '../verbs/shapes.ts';
import { ask, cli, MAIN } from './cli.ts';

const tempDir = tempDirs();

/** A user whose own settings would spoil it. */
function environment(TMPDIR: string, PATH = process.env.PATH): NodeJS.ProcessEnv {
  const { NODE_COMPILE_CACHE } = process.env;
  return {
    PATH,
    TMPDIR,
    NODE_COMPILE_CACHE,
    GIT_DIR: '/nowhere',
    VIBE_ENGINE_CHECKPOINTS_DURABILITY: 'exit',
  };
}

function run(args: string[], env: NodeJS.ProcessEnv): Promise<{ exit: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], { env }, (error, out, err) => {
      resolve({ exit: error ? Number(error.code) : 0, out, err });
    });
  });
}

test.concurrent('a killed task is resumed, merged with what others did, and finished; what is left can be looked into', async () => {
  const scratch = tempDir();
  const { exit, out, err } = await run(
    ['demo', '--keep', '--storage', 'sqlite', '--lang', 'zh-Hant'],
    environment(scratch),
  );
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  expect(out).toMatch(/\$ kill -9 \d+\n\$ vibe-engine tasks --lang zh-Hant\n +\w{6} /);
  expect(out).toMatch(/13 個步驟，各執行一次，其中 \d+ 個在終止之前/);
  expect(out).toContain('要在 4 個檔案中把 getPrice 改名為 priceOf 嗎？');
  expect(out).not.toMatch(/think about|renamed it|Rename/);

  const shop = / --project (\S+)/.exec(out)![1]!;
  const price = readFileSync(join(shop, 'src/price.js'), 'utf8');
  expect(price).toMatch(/soup: 580[\s\S]*priceOf[\s\S]*€/);
  const { tasks } = await ask<{ tasks: { id: string; status: string }[] }>(shop, 'tasks');
  expect(tasks).toMatchObject([{ status: 'completed' }]);
  const next = [
    ...out.matchAll(/vibe-engine (show|conversations|checkpoints list|history) (\w{6}) --project/g),
  ];
  expect(next.map(([, words]) => words)).toEqual(['show', 'conversations', 'checkpoints list', 'history']);
  for (const [, words, id] of next)
    expect(
      await cli(scratch, [...words!.split(' '), id!, '--project', shop], environment(scratch)),
    ).toMatchObject({ exit: 0 });
});

test.concurrent('nothing is left behind unless asked for; as JSON it is one document', async () => {
  const scratch = tempDir();
  const { exit, out } = await run(['demo', '--json'], environment(scratch));
  expect(exit).toBe(0);
  expect(readdirSync(scratch)).toEqual([]);
  const { data } = JSON.parse(out) as { data: unknown };
  expect(misfits(data, demo.data)).toEqual([]);
  expect(data).toMatchObject({ steps: 13, steps_before_kill: expect.any(Number), folder: null });
});

test.runIf(FULL).concurrent('a reader that leaves early does not stop it half-way', async () => {
  const scratch = tempDir();
  const child = spawn(process.execPath, [MAIN, 'demo'], { env: environment(scratch) });
  let err = '';
  child.stderr.on('data', (text: Buffer) => {
    err += text.toString();
  });
  child.stdout.once('data', () => child.stdout.destroy());
  const exit = await new Promise((resolve) => child.once('close', resolve));
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  expect(readdirSync(scratch)).toEqual([]);
});

test.concurrent('Ctrl-C ends it, and takes the folder away', async () => {
  const scratch = tempDir();
  const child = spawn(process.execPath, [MAIN, 'demo'], { env: environment(scratch) });
  let out = '';
  let interrupted = false;
  child.stdout.on('data', (text: Buffer) => {
    out += text.toString();
    if (!interrupted && out.includes('run agent.ts')) interrupted = child.kill('SIGINT');
  });
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(130);
  expect(readdirSync(scratch)).toEqual([]);
});

test.concurrent('without git it says so', async () => {
  const scratch = tempDir();
  mkdirSync(join(scratch, 'bin'));
  symlinkSync(process.execPath, join(scratch, 'bin', 'node'));
  const { exit, out, err } = await run(['demo'], environment(scratch, join(scratch, 'bin')));
  expect({ exit, out }).toEqual({ exit: 1, out: '' });
  expect(err).toMatch(/^error MISSING_DEPENDENCY: .*git is not installed\.\nhint: Install git 2\.38/);
});

test.concurrent('a failure is a code, a sentence and a hint; the stack only with --debug', async () => {
  const scratch = tempDir();
  const file = join(scratch, 'file');
  writeFileSync(file, '');
  const plain = await run(['demo'], environment(file));
  expect({ exit: plain.exit, out: plain.out }).toEqual({ exit: 1, out: '' });
  expect(plain.err).toMatch(/^error IO_FAILED: .+\nhint: .+\n$/);
  const debug = await run(['demo', '--debug'], environment(file));
  expect(debug.exit).toBe(1);
  expect(debug.err).toMatch(/\n +at .*\.js/);
});
