/** What the README promises of its task: killed, run again, answered, committed. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { cli, MAIN } from './cli/cli.ts';
import { newRepository } from './engine/file-world.ts';
import { ROOT } from './house/sources.ts';
import { tempDirs } from './support/temp.ts';

const tempDir = tempDirs();
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

test('the task of the README is killed, goes on, is answered and commits', async () => {
  const dir = tempDir();
  newRepository(dir, { 'CHANGELOG.md': 'Old things\n' });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, encoding: 'utf8' }).trim();
  git('tag', 'v1.2');
  const [, task] = /^```typescript\n([\s\S]*?)^```$/m.exec(readme)!;
  expect(task!.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
  writeFileSync(join(dir, 'changelog.ts'), task!);
  // The first time the model does not answer for as long as the process lives.
  writeFileSync(
    join(dir, 'model.ts'),
    `import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
export async function model(log: string) {
  const again = existsSync('asked.txt');
  appendFileSync('asked.txt', 'asked\\n');
  if (again) return \`New: \${log.trim()}\`;
  console.log('the model is asked');
  await sleep(60_000);
}
`,
  );
  git('add', '.');
  git('commit', '--quiet', '-m', 'Add a task');

  const input = /--input '([^']+)'/.exec(readme)![1]!;
  const first = spawn(process.execPath, [MAIN, 'run', 'changelog.ts', '--input', input], { cwd: dir });
  const killed = once(first, 'close');
  for await (const line of createInterface({ input: first.stdout })) {
    if (line === 'the model is asked') first.kill('SIGKILL');
  }
  expect(await killed).toEqual([null, 'SIGKILL']);

  const second = spawn(process.execPath, [MAIN, 'resume'], {
    cwd: dir,
    env: { ...process.env, LC_ALL: 'C' },
  });
  const ended = once(second, 'close');
  const lines: string[] = [];
  for await (const line of createInterface({ input: second.stdout })) {
    lines.push(line);
    if (line.includes('Commit it?')) expect((await cli(dir, ['answer', 'changelog', 'true'])).exit).toBe(0);
  }
  expect(await ended).toEqual([0, null]);
  expect(lines.join('\n')).not.toContain('tool:shell');
  expect(git('log', '--format=%s', 'v1.2..')).toBe('Update the changelog\nAdd a task');
  expect(readFileSync(join(dir, 'CHANGELOG.md'), 'utf8')).toBe('New: Add a task\nOld things\n');
});

test('every command of the README is one that there is', async () => {
  const { CLI_VERBS } = await import('../src/cli/verbs.ts');
  const used = [...readme.matchAll(/^(?:npx )?vibe-engine (\w+)(?: (\w+))?/gm)];
  expect(used.length).toBeGreaterThan(6);
  const unknown = used.filter(
    ([, word, second]) => !CLI_VERBS.has(word!) && !CLI_VERBS.has(`${word} ${second}`),
  );
  expect(unknown.map(([line]) => line)).toEqual([]);
});
