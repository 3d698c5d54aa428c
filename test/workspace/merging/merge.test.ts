/** What a fork did in a workspace of its own is taken into the one it came from. */
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openWorkspace } from '../../../src/workspace/workspace.ts';
import { tempDirs } from '../../support/temp.ts';
import { filesIn, grounds, put } from '../ground.ts';

const newGround = grounds();
const tempDir = tempDirs();
const LINES = Array.from({ length: 20 }, (_, line) => `line ${line}`);
const text = (changes: Record<number, string> = {}) =>
  `${LINES.map((line, at) => changes[at] ?? line).join('\n')}\n`;

/** Two workspaces on one store; `ours` and `theirs` change a copy each of what `start` makes. */
async function forked(
  start: (root: string) => void,
  ours: (root: string) => void,
  theirs: (root: string) => void,
) {
  const { root, storage, open } = newGround();
  start(root);
  const workspace = await open();
  const { id: base } = await workspace.snapshot();
  const elsewhere = join(tempDir(), 'fork');
  mkdirSync(elsewhere);
  cpSync(root, elsewhere, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !path.includes('.vibe-engine'),
  });
  const fork = await openWorkspace({ root: elsewhere, storage: await storage() });
  theirs(elsewhere);
  const { id } = await fork.snapshot();
  await fork.close();
  ours(root);
  return {
    root,
    workspace,
    base,
    theirs: id,
    read: (path: string) => readFileSync(join(root, path), 'utf8'),
  };
}

test('takes in what was changed, moved, made and removed elsewhere, and can be undone', async () => {
  const { root, workspace, base, theirs, read } = await forked(
    (root) => {
      put(root, 'shared.txt', text());
      put(root, 'old/moved.txt', text({ 0: 'another file' }));
      put(root, 'gone.txt', 'gone\n');
      put(root, 'mine.txt', 'mine\n');
    },
    (root) => {
      put(root, 'shared.txt', text({ 2: 'ours' }));
      put(root, 'old/moved.txt', text({ 0: 'another file', 5: 'ours' }));
      put(root, 'mine.txt', 'mine, changed\n');
    },
    (root) => {
      put(root, 'shared.txt', text({ 15: 'theirs' }));
      put(root, 'new/moved.txt', text({ 0: 'another file' }), 0o600);
      rmSync(join(root, 'old'), { recursive: true });
      rmSync(join(root, 'gone.txt'));
      put(root, 'made/by/them.txt', 'made\n', 0o755);
    },
  );
  const before = filesIn(root);
  const result = await workspace.merge({ base, theirs });
  expect(result).toMatchObject({ done: true, conflicts: [], left: [], displaced: [] });
  expect(read('shared.txt')).toBe(text({ 2: 'ours', 15: 'theirs' }));
  expect(read('new/moved.txt')).toBe(text({ 0: 'another file', 5: 'ours' }));
  expect(read('mine.txt')).toBe('mine, changed\n');
  const after = filesIn(root);
  expect([...after.keys()]).toEqual([
    ...['made', 'made/by', 'made/by/them.txt', 'mine.txt', 'new', 'new/moved.txt', 'shared.txt'],
  ]);
  expect(after.get('new/moved.txt')).toMatchObject({ mode: 0o600 });
  expect(after.get('made/by/them.txt')).toMatchObject({ mode: 0o755 });
  await workspace.undo(result.undo!);
  expect(filesIn(root)).toEqual(before);
});

const conflicting = () =>
  forked(
    (root) => {
      put(root, 'f.txt', text());
      put(root, 'kept.txt', text());
      put(root, 'free.txt', 'free\n');
    },
    (root) => {
      put(root, 'f.txt', text({ 3: 'ours' }));
      put(root, 'kept.txt', text({ 3: 'ours' }));
    },
    (root) => {
      put(root, 'f.txt', text({ 3: 'theirs' }));
      rmSync(join(root, 'kept.txt'));
      put(root, 'free.txt', 'theirs\n');
    },
  );

test('changes nothing where both want different things, unless it is said which side to keep', async () => {
  const { root, workspace, base, theirs, read } = await conflicting();
  const before = filesIn(root);
  const result = await workspace.merge({ base, theirs });
  expect(result).toMatchObject({ done: false, undo: null });
  expect(result.conflicts.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
    'text f.txt',
    'modify/delete kept.txt',
  ]);
  expect(filesIn(root)).toEqual(before);
  await workspace.merge({ base, theirs, on_conflict: 'ours' });
  expect([read('f.txt'), read('free.txt')]).toEqual([text({ 3: 'ours' }), 'theirs\n']);
  expect(filesIn(root).has('kept.txt')).toBe(true);
});

test('what is taken in holds when told, and resolvers are asked first', async () => {
  const { root, workspace, base, theirs, read } = await conflicting();
  const prompts: string[] = [];
  const resolver = {
    name: 'both',
    resolve: async ({ agent_intent }: { agent_intent: string }) => {
      prompts.push(agent_intent);
      return Buffer.from(text({ 3: 'both' }));
    },
  };
  const result = await workspace.merge({
    base,
    theirs,
    resolvers: [resolver],
    intent: 'ours',
    on_conflict: 'theirs',
  });
  expect(prompts).toEqual(['ours']);
  expect(result.conflicts.map(({ path }) => path)).toEqual(['kept.txt']);
  expect(read('f.txt')).toBe(text({ 3: 'both' }));
  expect(filesIn(root).has('kept.txt')).toBe(false);
});

test('a directory in the place of a file can be taken in, and links that lead out cannot', async () => {
  const { root, workspace, base, theirs } = await forked(
    (root) => put(root, 'f', text()),
    (root) => put(root, 'f', text({ 3: 'ours' })),
    (root) => {
      rmSync(join(root, 'f'));
      put(root, 'f/in', 'inside\n');
      symlinkSync('../../outside', join(root, 'link'));
    },
  );
  const asked = await workspace.merge({ base, theirs });
  expect(asked.conflicts.map(({ path, kind }) => `${kind} ${path}`)).toContain('symlink link');
  await workspace.merge({ base, theirs, on_conflict: 'theirs' });
  expect([...filesIn(root).keys()]).toEqual(['f', 'f/in']);
});

test('what was not captured is not overwritten', async () => {
  const { root, workspace, base, theirs, read } = await forked(
    (root) => put(root, 'a', 'a'),
    (root) => {
      put(root, '.gitignore', 'secret.txt\n');
      put(root, 'secret.txt', 'mine\n');
    },
    (root) => put(root, 'secret.txt', 'theirs\n'),
  );
  expect((await workspace.merge({ base, theirs })).conflicts).toMatchObject([
    { path: 'secret.txt', kind: 'add/add' },
  ]);
  await workspace.merge({ base, theirs, on_conflict: 'theirs' });
  expect(read('secret.txt')).toBe('mine\n');
  expect(filesIn(root).size).toBe(3);
});
