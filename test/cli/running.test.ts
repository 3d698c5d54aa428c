/** Running tasks from the command line: killed, interrupted, resumed, and asked for in the wrong way. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { run } from '../../src/cli/running/run.ts';
import { resume } from '../../src/verbs/run/resume.ts';
import { tempDirs } from '../support/temp.ts';
import { misfits } from '../verbs/shapes.ts';
import { ask, cli, command, MAIN } from './cli.ts';

const INDEX = fileURLToPath(new URL('../../dist/index.js', import.meta.url));
const tempDir = tempDirs();

/** Counts in steps; the third takes as long as there is no file `go`. */
const TASK = `import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTask } from ${JSON.stringify(INDEX)};
export default defineTask<{ steps: number }>('count', async (task, { steps }) => {
  let sum = 0;
  for (let i = 1; i <= steps; i++) {
    sum += await task.step(\`count \${i}\`, async () => {
      appendFileSync('ran.txt', \`\${i}\\n\`);
      while (i === 3 && !existsSync('go')) await sleep(10);
      return i;
    });
  }
  return { sum };
});
`;

function project(): string {
  const dir = tempDir();
  writeFileSync(join(dir, 'count.ts'), TASK);
  return dir;
}

/** Runs until a line fits; then what is done to the process is done, and its end awaited. */
async function runUntil(dir: string, fits: RegExp, act: (pid: number) => void) {
  const args = [MAIN, 'run', 'count.ts', '--input', '{"steps":5}'];
  const child = spawn(process.execPath, args, {
    cwd: dir,
    env: { ...process.env, npm_command: '', LC_ALL: 'C' },
  });
  const ended = once(child, 'close') as Promise<[code: number | null, signal: string | null]>;
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (fits.test(line)) act(child.pid!);
  }
  const [code, signal] = await ended;
  return { lines, code, signal };
}

test('a task that is killed goes on with resume, and repeats nothing that was done', async () => {
  const dir = project();
  const killed = await runUntil(dir, /count 2/, (pid) => process.kill(pid, 'SIGKILL'));
  expect(killed.signal).toBe('SIGKILL');
  writeFileSync(join(dir, 'go'), '');
  const data = await ask<{ status: string; output: unknown }>(dir, 'resume');
  expect(misfits(data, resume.data)).toEqual([]);
  expect(data).toMatchObject({ status: 'completed', output: { sum: 15 } });
  const ran = readFileSync(join(dir, 'ran.txt'), 'utf8').trim().split('\n');
  expect(ran.filter((step) => step !== '3')).toEqual(['1', '2', '4', '5']);
});

test('Ctrl-C pauses it after the step in progress, and says how to resume', async () => {
  const dir = project();
  let interrupted = false;
  const { lines, code } = await runUntil(dir, /count 2|Pausing/, (pid) => {
    if (interrupted) writeFileSync(join(dir, 'go'), '');
    else process.kill(pid, 'SIGINT');
    interrupted = true;
  });
  expect(code).toBe(130);
  const task = /Resume with: vibe-engine resume (\w+)/.exec(lines.at(-1)!)![1]!;
  const { exit, out } = await command(dir, ['resume', task.slice(-8)]);
  expect(exit).toBe(0);
  expect(out).toContain(`Task ${task.slice(-6)} is completed.`);
  expect(readFileSync(join(dir, 'ran.txt'), 'utf8')).toBe('1\n2\n3\n4\n5\n');
});

test('input comes from a file too; what is wrong is said', async () => {
  const dir = project();
  writeFileSync(join(dir, 'go'), '');
  writeFileSync(join(dir, 'input.json'), '{"steps":3}');
  const data = await ask(dir, 'run', 'count.ts', '--input', '@input.json');
  expect(misfits(data, run.data)).toEqual([]);
  expect(data).toMatchObject({ status: 'completed', output: { sum: 6 } });
  writeFileSync(join(dir, 'none.ts'), 'export default 1;\n');
  for (const [args, said] of [
    [['run', 'count.ts', '--input', '{'], 'The input is not JSON'],
    [['run', 'count.ts', '--input', '@nowhere.json'], 'There is no file nowhere.json'],
    [['run', 'nowhere.ts'], 'There is no file nowhere.ts'],
    [['run', 'none.ts'], 'The default export of none.ts is not a task'],
    [['resume', '--on-modified', 'mrge'], 'Did you mean "merge"?'],
  ] as const) {
    const { exit, err } = await cli(dir, args);
    expect([exit, err]).toEqual([2, expect.stringContaining(said)]);
  }
  const over = await cli(dir, ['resume']);
  expect([over.exit, over.err]).toEqual([1, expect.stringContaining('NOT_RESUMABLE')]);
});

test('a task that fails over a conflict says where both versions are', async () => {
  const dir = tempDir();
  writeFileSync(join(dir, 'a.txt'), 'one\n');
  const source = `import { writeFileSync } from 'node:fs';
import { defineTask } from ${JSON.stringify(INDEX)};
export default defineTask('clash', async (task) => {
  await task.files.edit('a.txt', (old) => {
    writeFileSync('a.txt', 'theirs\\n');
    return old.replace('one', 'ours');
  });
});
`;
  writeFileSync(join(dir, 'clash.ts'), source);
  const { exit, out } = await command(dir, ['run', 'clash.ts']);
  expect(exit).toBe(1);
  const copy = /^The file is as the others left it\. Both versions are in (\S+):/m.exec(out)![1]!;
  expect(readFileSync(copy, 'utf8')).toMatch(/ours[\s\S]*theirs/);
  expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('theirs\n');
});
