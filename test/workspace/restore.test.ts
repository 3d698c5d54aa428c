import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FileQuestion } from '../../src/workspace/restore/decide.ts';
import { onPlatform, WAYS } from '../support/platform.ts';
import { filesIn, git, grounds, put } from './ground.ts';

const newGround = grounds();

/** A checkpoint, then what the task does, then what others do. */
async function story(
  start: (root: string) => void,
  task: (root: string) => void,
  others: (root: string) => void,
) {
  const { root, open } = newGround();
  start(root);
  const workspace = await open();
  const { id: checkpoint } = await workspace.snapshot();
  const before = filesIn(root);
  task(root);
  const { id: end } = await workspace.snapshot();
  others(root);
  return { root, workspace, before, to: checkpoint, own: [{ from: checkpoint, to: end }] };
}

const text = (root: string, path: string) => readFileSync(join(root, path), 'utf8');

describe.each(WAYS)('restore, %s', (_, way) => {
  onPlatform(way);

  test('brings back exactly what was, and touches no other file', async () => {
    const { root, workspace, before, ...request } = await story(
      (root) => {
        put(root, 'changed', 'one', 0o640);
        put(root, 'untouched', 'same');
        put(root, 'deleted/by/task', 'gone');
        put(root, 'mode', 'mode', 0o755);
        put(root, 'becomes-dir', 'file');
        put(root, 'was-dir/inside', 'x');
        mkdirSync(join(root, 'empty'));
        symlinkSync('changed', join(root, 'link'));
      },
      (root) => {
        put(root, 'changed', 'two');
        rmSync(join(root, 'deleted'), { recursive: true });
        chmodSync(join(root, 'mode'), 0o600);
        put(root, 'new/file', 'new');
        rmSync(join(root, 'empty'), { recursive: true });
        rmSync(join(root, 'becomes-dir'));
        put(root, 'becomes-dir/inside', 'y');
        rmSync(join(root, 'was-dir'), { recursive: true });
        put(root, 'was-dir', 'file now');
        rmSync(join(root, 'link'));
        symlinkSync('untouched', join(root, 'link'));
      },
      () => {},
    );
    const time = lstatSync(join(root, 'untouched')).mtimeMs;
    const after = filesIn(root);
    const result = await workspace.restore(request);
    expect(filesIn(root)).toEqual(before);
    expect(lstatSync(join(root, 'untouched')).mtimeMs).toBe(time);
    expect(result).toMatchObject({ left: [], displaced: [], kept: [], merged: [] });
    await workspace.undo(result.undo);
    expect(filesIn(root)).toEqual(after);
  });

  test('leaves what was ignored before the task changed what is ignored', async () => {
    const { root, workspace, ...request } = await story(
      (root) => {
        put(root, '.gitignore', 'data/\nlocal.txt\n');
        put(root, 'data/deep/file', 'precious');
        put(root, 'local.txt', 'precious');
      },
      (root) => {
        rmSync(join(root, '.gitignore'));
        put(root, 'made', 'new');
      },
      () => {},
    );
    const diff = await workspace.diff(request.to, request.own[0]!.to);
    const ignored = { kind: 'omitted', why: 'ignored' };
    expect(diff).toContainEqual(expect.objectContaining({ path: 'data/deep/file', before: ignored }));
    const after = filesIn(root);
    const result = await workspace.restore(request);
    expect(result.restored).toEqual(['made', '.gitignore']);
    expect(result.kept).toContainEqual({ path: 'data/deep/file', why: 'not_captured' });
    expect([text(root, 'data/deep/file'), text(root, 'local.txt')]).toEqual(['precious', 'precious']);
    await workspace.undo(result.undo);
    expect(filesIn(root)).toEqual(after);
  });

  test('refuses a choice that there is not, and changes nothing', async () => {
    const { root, workspace, ...request } = await story(
      (root) => put(root, 'file', 'start'),
      (root) => put(root, 'file', 'task'),
      (root) => put(root, 'file', 'a person'),
    );
    for (const wrong of [{ on_modified: 'use-current' }, { files: { file: 'keep' } }] as object[]) {
      const refused = workspace.restore({ ...request, ...wrong });
      await expect(refused).rejects.toMatchObject({ code: 'USAGE' });
    }
    expect(text(root, 'file')).toBe('a person');
    const { kept } = await workspace.restore({
      ...request,
      on_modified: 'use_current',
      files: { file: 'skip' },
    });
    expect(kept).toEqual([{ path: 'file', why: 'chosen' }]);
  });

  test('keeps what others changed, deleted and created', async () => {
    const { root, workspace, ...request } = await story(
      (root) => {
        put(root, 'both', 'one\n');
        put(root, 'theirs', 'one');
        put(root, 'gone', 'one');
        put(root, 'mine', 'one');
      },
      (root) => {
        put(root, 'both', 'one\ntask\n');
        put(root, 'mine', 'two');
        put(root, 'dir/made-by-task', 'x');
      },
      (root) => {
        put(root, 'both', 'theirs\n');
        put(root, 'theirs', 'two');
        rmSync(join(root, 'gone'));
        put(root, 'dir/made-by-others', 'y');
      },
    );
    const result = await workspace.restore({ ...request, on_modified: 'use_current' });
    expect(text(root, 'both')).toBe('theirs\n');
    expect(text(root, 'theirs')).toBe('two');
    expect(text(root, 'mine')).toBe('one');
    expect([...filesIn(root).keys()]).toEqual(['both', 'dir', 'dir/made-by-others', 'mine', 'theirs']);
    expect(result.kept).toContainEqual({ path: 'both', why: 'chosen' });
    expect(result.left).toEqual([{ path: 'dir', why: 'blocked' }]);
  });

  const lines = (changed: Record<number, string>) =>
    Array.from({ length: 20 }, (_, n) => `${changed[n] ?? `line ${n}`}\n`).join('');

  test('merges: what the task changed goes, what others changed stays', async () => {
    const { root, workspace, ...request } = await story(
      (root) => put(root, 'f', lines({})),
      (root) => put(root, 'f', lines({ 2: 'task' })),
      (root) => put(root, 'f', lines({ 2: 'task', 15: 'person' })),
    );
    const result = await workspace.restore({ ...request, on_modified: 'merge' });
    expect(text(root, 'f')).toBe(lines({ 15: 'person' }));
    expect(result.merged).toEqual([{ path: 'f' }]);
  });

  test('a merge that conflicts is asked about', async () => {
    const { root, workspace, ...request } = await story(
      (root) => put(root, 'f', lines({})),
      (root) => put(root, 'f', lines({ 2: 'task' })),
      (root) => put(root, 'f', lines({ 2: 'person' })),
    );
    await expect(workspace.restore({ ...request, on_modified: 'merge' })).rejects.toMatchObject({
      code: 'RESTORE_UNANSWERED',
    });
    expect(text(root, 'f')).toBe(lines({ 2: 'person' }));
    const asked: string[] = [];
    await workspace.restore({
      ...request,
      on_modified: 'merge',
      ask: async ({ kind }) => {
        asked.push(kind);
        return 'use_checkpoint';
      },
    });
    expect(asked).toEqual(['conflict']);
    expect(text(root, 'f')).toBe(lines({}));
  });

  test('a merge takes nothing out of which nobody knows whose it is', async () => {
    const { root, workspace, to, own } = await story(
      (root) => put(root, 'f', lines({})),
      // The task was cut off, and somebody edited the file before it went on: one span has both.
      (root) => put(root, 'f', lines({ 2: 'task', 15: 'person' })),
      () => {},
    );
    const now = text(root, 'f');
    const request = {
      to,
      own: own.map((span) => ({ ...span, doubtful: true })),
      on_modified: 'merge',
    } as const;
    await expect(workspace.restore(request)).rejects.toMatchObject({ code: 'RESTORE_UNANSWERED' });
    const asked: unknown[] = [];
    const ask = async ({ path, kind, options }: FileQuestion): Promise<string> => {
      asked.push([path, kind, options.includes('merge')]);
      return 'use_current';
    };
    expect((await workspace.restore({ ...request, ask })).kept).toEqual([{ path: 'f', why: 'chosen' }]);
    expect(asked).toEqual([['f', 'conflict', false]]);
    expect(text(root, 'f')).toBe(now);
  });

  test('undoes changes between which others changed the file too', async () => {
    const { root, open } = newGround();
    put(root, 'f', lines({}));
    const workspace = await open();
    const snap = async () => (await workspace.snapshot()).id;
    const start = await snap();
    put(root, 'f', lines({ 2: 'task' }));
    const one = await snap();
    put(root, 'f', lines({ 2: 'task', 9: 'person' }));
    const two = await snap();
    put(root, 'f', lines({ 2: 'task', 9: 'person', 15: 'task again' }));
    const three = await snap();
    const own = [
      { from: start, to: one },
      { from: two, to: three },
    ];
    expect((await workspace.preview({ to: start, own })).map(({ action, why }) => [action, why])).toEqual([
      ['ask', 'modified'],
    ]);
    await workspace.restore({ to: start, own, on_modified: 'merge' });
    expect(text(root, 'f')).toBe(lines({ 9: 'person' }));
  });

  test.each([
    ['use_current', 'person'],
    ['use_checkpoint', 'start'],
  ] as const)('%s leaves %s', async (on_modified, expected) => {
    const { root, workspace, ...request } = await story(
      (root) => put(root, 'f', 'start'),
      (root) => put(root, 'f', 'task'),
      (root) => put(root, 'f', 'person'),
    );
    await workspace.restore({ ...request, on_modified });
    expect(text(root, 'f')).toBe(expected);
  });

  test.each([
    ['restore', ['f']],
    ['skip', []],
  ] as const)('%s of a deleted file leaves %j', async (on_deleted, expected) => {
    const { root, workspace, ...request } = await story(
      (root) => put(root, 'f', 'start'),
      (root) => put(root, 'f', 'task'),
      (root) => rmSync(join(root, 'f')),
    );
    await workspace.restore({ ...request, on_deleted });
    expect([...filesIn(root).keys()]).toEqual(expected);
  });

  test.each([{}, { on_modified: 'ask' as const }, { on_modified: 'abort' as const }])(
    'changes nothing without an answer: %j',
    async (choices) => {
      const { root, workspace, ...request } = await story(
        (root) => {
          put(root, 'f', 'start');
          put(root, 'g', 'start');
        },
        (root) => {
          put(root, 'f', 'task');
          put(root, 'g', 'task');
        },
        (root) => put(root, 'g', 'person'),
      );
      const before = filesIn(root);
      const code = choices.on_modified === 'abort' ? 'RESTORE_ABORTED' : 'RESTORE_UNANSWERED';
      await expect(workspace.restore({ ...request, ...choices })).rejects.toMatchObject({ code });
      expect(filesIn(root)).toEqual(before);
      await workspace.restore({ ...request, files: { g: 'use_current' } });
      expect([text(root, 'f'), text(root, 'g')]).toEqual(['start', 'person']);
    },
  );

  test('never touches what was not captured', async () => {
    const { root, workspace, ...request } = await story(
      (root) => {
        put(root, '.gitignore', '*.log\n');
        put(root, 'kept/a', 'a');
      },
      (root) => {
        rmSync(join(root, 'kept'), { recursive: true });
        put(root, 'made/by-task', 'x');
        put(root, 'made/debug.log', 'log');
        put(root, 'out/x', 'x');
      },
      (root) => {
        put(root, '.gitignore', '*.log\nout/\n');
      },
    );
    await workspace.restore({ ...request, on_modified: 'use_current' });
    expect(text(root, 'made/debug.log')).toBe('log');
    expect(text(root, 'out/x')).toBe('x');
    expect(text(root, 'kept/a')).toBe('a');
    expect(filesIn(root).has('made/by-task')).toBe(false);
  });

  test('a preview lists every file and changes none', async () => {
    const { root, workspace, ...request } = await story(
      (root) => {
        put(root, 'a', 'start');
        put(root, 'b', 'start');
        put(root, '.vscode/tasks.json', '{}');
      },
      (root) => {
        put(root, 'a', 'task');
        put(root, 'b', 'task');
        put(root, 'c', 'task');
        put(root, '.vscode/tasks.json', '{"x":1}');
      },
      (root) => {
        put(root, 'b', 'person');
      },
    );
    const before = filesIn(root);
    const items = await workspace.preview(request);
    expect(items.map(({ path, action, why, runs }) => [path, action, why, runs])).toEqual([
      ['.vscode/tasks.json', 'put', null, true],
      ['a', 'put', null, false],
      ['b', 'ask', 'modified', false],
      ['c', 'remove', null, false],
    ]);
    expect(filesIn(root)).toEqual(before);
  });

  test('a link that leads out of the workspace is not made', async () => {
    const { root, workspace, ...request } = await story(
      (root) => symlinkSync('../../etc/passwd', join(root, 'link')),
      (root) => rmSync(join(root, 'link')),
      () => {},
    );
    const result = await workspace.restore(request);
    expect(result.kept).toEqual([{ path: 'link', why: 'link_outside' }]);
    expect(filesIn(root).size).toBe(0);
  });

  test('takes the content of clean files from git', async () => {
    const { root, open } = newGround();
    git(root, 'init', '-q');
    put(root, 'a', 'in git\r\n', 0o600);
    git(root, 'add', '-A');
    git(root, 'commit', '-q', '-m', 'a');
    const workspace = await open();
    const { id } = await workspace.snapshot();
    rmSync(join(root, 'a'));
    await workspace.snapshot();
    await workspace.restore({ to: id });
    expect(filesIn(root)).toEqual(new Map([['a', { kind: 'file', mode: 0o600, bytes: 'in git\r\n' }]]));
  });

  test('a directory that others swapped for a link is left alone', async () => {
    const outside = newGround().root;
    put(outside, 'f', 'outside');
    const { root, workspace, ...request } = await story(
      (root) => put(root, 'dir/f', 'start'),
      (root) => put(root, 'dir/f', 'task'),
      (root) => {
        renameSync(join(root, 'dir'), join(root, 'moved'));
        symlinkSync(outside, join(root, 'dir'));
      },
    );
    const result = await workspace.restore({ ...request, on_deleted: 'restore' });
    expect(result.kept).toEqual([{ path: 'dir/f', why: 'blocked' }]);
    expect(text(outside, 'f')).toBe('outside');
    expect(text(root, 'moved/f')).toBe('task');
    writeFileSync(join(root, 'x'), '');
  });
});
