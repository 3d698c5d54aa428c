/** Sessions in two worktrees of one repository: the same path is another file there, also where both have one store. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Attached } from '../../src/engine/api/attaching.ts';
import { type Engine, openEngine } from '../../src/engine/engine.ts';
import { NO_UPKEEP } from '../support/git-files.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const opened: Engine[] = [];
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
});

/** A repository with a.txt, and a worktree of it. */
function worktrees() {
  const root = tempDir();
  const [main, other] = [join(root, 'main'), join(root, 'other')];
  const me = ['-c', 'user.name=test', '-c', 'user.email=test@localhost'];
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', main, ...args], { env: { ...process.env, ...NO_UPKEEP }, stdio: 'ignore' });
  mkdirSync(main);
  writeFileSync(join(main, 'a.txt'), 'base\n');
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git(...me, 'commit', '-q', '-m', 'Begin');
  git('worktree', 'add', '-q', '-b', 'other', other);
  return { main, other, store: join(root, 'store') };
}

async function openIn(project_dir: string, path: string | null): Promise<Engine> {
  const engine = await openEngine({
    project_dir,
    workspace: true,
    signals: false,
    automatic_cleanup: false,
    config: { persistence: { storage_type: 'json', path } },
  });
  opened.push(engine);
  return engine;
}

const begin = (session: Attached, dir: string) =>
  session.record({
    type: 'tool_call',
    id: 'c-1',
    name: 'Write',
    danger: 'file_change',
    writes: [join(dir, 'a.txt')],
  });

test.each([
  ['each with its own store', false],
  ['with one store', true],
])('%s', async (_, shared) => {
  const { main, other, store } = worktrees();
  const [one, two] = [await openIn(main, shared ? store : null), await openIn(other, shared ? store : null)];
  const first = one.attach({ client: 'claude', session: 's-1' });
  const second = two.attach({ client: 'codex', session: 's-2' });
  const third = one.attach({ client: 'gemini', session: 's-3' });
  for (const session of [first, second, third]) await session.record({ type: 'turn', content: 'Change a.' });
  const read = (dir: string) => readFileSync(join(dir, 'a.txt'), 'utf8');
  const write = (session: Attached, dir: string, text: string) => {
    writeFileSync(join(dir, 'a.txt'), text);
    return session.record({ type: 'tool_result', id: 'c-1', output: 'ok' });
  };

  expect(await begin(first, main)).toBeNull();
  expect(await begin(second, other)).toBeNull();
  expect(await begin(third, main)).toMatchObject({ code: 'FILE_RESERVED', data: { owner: first.task } });
  await write(first, main, 'first\n');
  await write(second, other, 'second\n');
  for (const session of [first, second, third]) await session.endTurn();

  await one.undo(first.task!);
  expect([read(main), read(other)]).toEqual(['base\n', 'second\n']);
  await one.redo(first.task!);
  await two.undo(second.task!);
  expect([read(main), read(other)]).toEqual(['first\n', 'base\n']);
});
