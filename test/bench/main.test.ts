/** A bench's process leaves nothing behind, however it ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { ROOT } from '../house/sources.ts';

const MAIN = pathToFileURL(join(ROOT, 'bench', 'harness', 'main.ts')).href;

/** Its body runs in a bench's process, with something open that would keep it; it says first which directory it has. */
function start(body: string) {
  const code = `import { mkdirSync } from 'node:fs';
import { exitAfter } from '${MAIN}';
await exitAfter(async (scratch) => {
  setInterval(() => {}, 1000);
  mkdirSync(scratch.fresh('store'));
  console.log(scratch.directory);
  ${body}
});`;
  return spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

test.each([
  ['is done', 'return 1;', false],
  ['throws', 'throw new Error();', false],
  ['is stopped', 'await new Promise(() => {});', true],
])('its directory is gone when it %s', async (_, body, stop) => {
  const child = start(body);
  const gone = once(child, 'exit');
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const directory = line.split('\n')[0]!;
  if (stop) child.kill('SIGTERM');
  expect(await gone).toEqual([1, null]);
  expect(directory).toContain('vibe-engine-bench-');
  expect(existsSync(directory)).toBe(false);
});
