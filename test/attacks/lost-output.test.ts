/** Output that cannot be written, and a directory that is gone, are one sentence each, not a stack trace. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MAIN } from '../cli/cli.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const NODE = `'${process.execPath}' '${MAIN}'`;

function shell(script: string): { code: number | null; err: string } {
  const { status, stderr } = spawnSync('/bin/sh', ['-c', script], { cwd: tempDir(), encoding: 'utf8' });
  return { code: status, err: stderr };
}

const isFull = existsSync('/dev/full');
if (!isFull) console.log('no /dev/full: a full disk cannot be had here');

test.skipIf(!isFull).each(['--version', '--help', 'tasks', 'tasks --json'])('a full disk (%s)', (words) => {
  const { code, err } = shell(`${NODE} ${words} >/dev/full`);
  expect(err).toMatch(/^.*The output could not be written.*ENOSPC.*$/m);
  expect(err).not.toMatch(/^\s+at /m);
  expect(code).toBe(1);
});

test.skipIf(!isFull)('an error output that is full ends in nothing worse', () => {
  expect(shell(`${NODE} nonsense 2>/dev/full`).code).toBe(2);
});

test('a reader that leaves is no error', () => {
  expect(shell(`${NODE} --help | head -1`)).toEqual({ code: 0, err: '' });
});

test('a working directory that was deleted', () => {
  const gone = (words: string) => shell(`mkdir gone && cd gone && rmdir ../gone && ${NODE} ${words}`);
  const { code, err } = gone('tasks');
  expect({ code, lines: err.trimEnd().split('\n') }).toEqual({
    code: 1,
    lines: [expect.stringContaining('deleted')],
  });
  expect(gone('--version')).toEqual({ code: 0, err: '' });
  expect(execFileSync('/bin/sh', ['-c', `LANG=zh_TW ${NODE} --version`], { encoding: 'utf8' })).toMatch(
    /^\d/,
  );
});
