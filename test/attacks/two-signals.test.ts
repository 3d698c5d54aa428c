/** Ctrl-C or SIGTERM, once or again and again: the process ends by it, without a stack trace, and the task resumes. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEngine } from '../../src/engine/engine.ts';
import { unlessFull } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const INDEX = new URL('../../dist/index.js', import.meta.url).href;

/** A program of the user's own, which awaits the result as the documents do; its steps do not listen to anybody. */
const PROGRAM = `import { defineTask, openEngine } from ${JSON.stringify(INDEX)};
const engine = await openEngine({ workspace: true });
const task = defineTask('slow', async (t) => {
  for (let n = 0; ; n++) await t.step('s' + n, () => {
    console.log('in a step');
    return new Promise((done) => setTimeout(done, 300));
  });
});
await engine.run(task, undefined);
`;

function run(
  dir: string,
  signals: readonly NodeJS.Signals[],
): Promise<{ signal: string | null; err: string }> {
  const child = spawn(process.execPath, ['program.ts'], { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] });
  let err = '';
  child.stderr.on('data', (part: Buffer) => {
    err += part;
  });
  child.stdout.once('data', () => {
    for (const [at, signal] of signals.entries()) setTimeout(() => child.kill(signal), at * 50);
  });
  return new Promise((resolve) => child.once('close', (_code, signal) => resolve({ signal, err })));
}

test.concurrent.each<[NodeJS.Signals[]]>([
  [['SIGINT']],
  [['SIGINT', 'SIGTERM']],
  ...unlessFull<[NodeJS.Signals[]][]>([], [[['SIGINT', 'SIGINT']], [['SIGTERM', 'SIGTERM']]]),
  [['SIGTERM', 'SIGTERM', 'SIGTERM', 'SIGTERM']],
])('%j', async (signals) => {
  const dir = tempDir();
  writeFileSync(join(dir, 'program.ts'), PROGRAM);
  const { signal, err } = await run(dir, signals);
  expect(err).not.toMatch(/^\s+at |Error/m);
  expect(signals).toContain(signal);
  const engine = await openEngine({ project_dir: dir });
  expect((await engine.tasks({ resumable: true })).map(({ task_name }) => task_name)).toEqual(['slow']);
  await engine.close();
});
