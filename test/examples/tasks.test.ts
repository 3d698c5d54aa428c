/** The examples as people run them: by the command line, in a repository of their own. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { ask, command as cli, MAIN } from '../cli/cli.ts';
import { newRepository } from '../engine/file-world.ts';
import { ROOT } from '../house/sources.ts';
import { tempDirs } from '../support/temp.ts';
import { until } from '../support/until.ts';

const tempDir = tempDirs();
const example = (name: string): string => join(ROOT, 'examples', name);

interface Outcome<T> {
  readonly task: string;
  readonly status: string;
  readonly output: T;
}

function repository(files: Record<string, string>): {
  dir: string;
  file: (name: string) => string;
  log: () => string;
} {
  const dir = tempDir();
  newRepository(dir, files);
  return {
    dir,
    file: (name) => readFileSync(join(dir, name), 'utf8'),
    log: () =>
      execFileSync('git', ['log', '-1', '--format=%s', '--name-only'], { cwd: dir, encoding: 'utf8' }),
  };
}

/** Runs it, and does what is to be done upon its lines; answers them. */
async function runWatched(
  dir: string,
  args: string[],
  upon: (line: string, kill: () => boolean) => unknown,
): Promise<string[]> {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: dir, env: { ...process.env, LC_ALL: 'C' } });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    await upon(line, () => child.kill('SIGKILL'));
  }
  return lines;
}

test('a refactoring asks first, is killed between two files, and commits what the tests allow', async () => {
  // So many that it cannot have come to the last one when it is killed after the first.
  const names = Array.from({ length: 40 }, (_, n) => `${String(n).padStart(2, '0')}.js`);
  const last = names.at(-1)!;
  const { dir, file, log } = repository({
    ...Object.fromEntries(names.map((name) => [name, 'getUser();\n'])),
    'other.js': 'other;\n',
  });
  const input = JSON.stringify({ from: 'getUser', to: 'findUser', test: `grep -q findUser ${last}` });
  let asked = 0;
  await runWatched(dir, ['run', example('refactor.ts'), '--input', input], async (line, kill) => {
    if (line.includes(`${last}?`)) {
      asked++;
      expect((await cli(dir, ['answer', 'refactor', 'true'])).exit).toBe(0);
    }
    if (line.includes('files.edit 00.js')) kill();
  });
  writeFileSync(join(dir, last), '// a person was here\n\ngetUser();\n');
  const { status } = await ask<Outcome<unknown>>(dir, 'resume');
  expect([status, asked]).toEqual(['completed', 1]);
  expect(file('00.js')).toBe('findUser();\n');
  expect(file(last)).toBe('// a person was here\n\nfindUser();\n');
  expect(log()).toBe(`Rename getUser to findUser\n\n${names.join('\n')}\n`);
});

test('a flaky API is asked again for what failed, and for nothing else', async () => {
  const { dir } = repository({ 'a.txt': '' });
  const asked: number[] = [];
  let broken = true;
  const server = createServer((request, response) => {
    const page = Number(new URL(request.url!, 'http://x').searchParams.get('page'));
    asked.push(page);
    const times = asked.filter((one) => one === page).length;
    response.statusCode = (page === 2 && times === 1) || (page === 3 && broken) ? 503 : 200;
    if (page === 4 && broken) response.statusCode = 404;
    response.end(JSON.stringify([`item ${page}`]));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/items`;
    const failed = await cli(dir, [
      'run',
      example('flaky-api.ts'),
      '--input',
      JSON.stringify({ url, pages: 4 }),
    ]);
    expect(failed.exit).toBe(1);
    expect(failed.out).toMatch(/✗ page 2, attempt 1: .*503[\s\S]*✓ page 2[\s\S]*✗ page 3: /);
    expect(asked).toEqual([1, 2, 2, 3, 3, 3, 3]);
    broken = false;
    const { output } = await ask<Outcome<object>>(dir, 'resume');
    expect(output).toEqual({ items: 4, last: 'item 4' });
    expect(asked.slice(7)).toEqual([3, 4]);
  } finally {
    server.close();
  }
});

test('two agents share a repository, are killed, and neither loses what it wrote', async () => {
  const { dir, file, log } = repository({ 'CHANGELOG.md': '# Changes\n' });
  await runWatched(
    dir,
    ['run', example('two-agents.ts'), '--input', '{"feature":"search"}'],
    (line, kill) => line.includes('files.write') && kill(),
  );
  const { output } = await ask<Outcome<{ files: string[] }>>(dir, 'resume');
  expect(output.files).toEqual(['src/search.js', 'docs/search.md', 'CHANGELOG.md']);
  const lines = file('CHANGELOG.md').trimEnd().split('\n');
  expect(lines.toSorted()).toEqual(['# Changes', '- search: the code', '- search: the page']);
  expect(log()).toMatch(/^Add search\n\nCHANGELOG\.md\ndocs\/search\.md\nsrc\/search\.js\n$/);
});

test('a wrapped agent is killed after its keeper, and goes on with its own session', async () => {
  const texts = { 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n' };
  const { dir, file } = repository({ ...texts, '.gitignore': '.agent-session\n' });
  const agent = ['node', example('wrapped-agent.js')];
  const again = `${agent.map((word) => `'${word}'`).join(' ')} --continue`;
  const child = spawn(
    process.execPath,
    [MAIN, 'exec', '--name', 'agent', '--resume-with', again, '--', ...agent],
    {
      cwd: dir,
      env: { ...process.env, AGENT_THINKS_MS: '120000' },
      stdio: 'ignore',
    },
  );
  await until(() => expect(file('a.txt')).toBe('ONE\n'));
  // Its process is known from the first checkpoint on that is made while it runs.
  const made = async () =>
    (await ask<{ checkpoints: { trigger: string }[] }>(dir, 'checkpoints', 'list', 'agent')).checkpoints;
  await expect.poll(async () => (await made()).map(({ trigger }) => trigger)).toContain('manual');
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  // The agent has outlived its keeper, and is not run a second time beside itself.
  const { err } = await cli(dir, ['resume', 'agent', '--yes']);
  const agentPid = Number(/is still running, as process (\d+)/.exec(err)![1]);
  process.kill(agentPid, 'SIGKILL');
  await until(() => expect(() => process.kill(agentPid, 0)).toThrow());
  const resumed = await cli(dir, ['resume', 'agent', '--yes'], { AGENT_THINKS_MS: '1' });
  expect(resumed).toMatchObject({ exit: 0, out: 'b.txt is done\nc.txt is done\n' });
  expect([file('a.txt'), file('b.txt'), file('c.txt')]).toEqual(['ONE\n', 'TWO\n', 'THREE\n']);
});
