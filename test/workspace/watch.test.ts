/** A watched workspace against the files themselves: whatever happens, the next snapshot has it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { setIoHook } from '../../src/system/io.ts';
import { PROCESS_MARK } from '../../src/system/process/alive.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';
import { onPlatform, WATCHES } from '../support/platform.ts';
import { withTreeWatch } from '../support/tree-watch.ts';
import { filesIn, filesOf, git, grounds, put } from './ground.ts';

const newGround = grounds();

async function same(workspace: Workspace, root: string): Promise<void> {
  const { id } = await workspace.snapshot();
  expect(await filesOf(workspace, id)).toEqual(filesIn(root));
}

describe.each(WATCHES)('a workspace watched by %s', (watches) => {
  onPlatform({ watches });
  withTreeWatch();

  test('a snapshot right after another is that one: no file is looked at and nothing is written', async () => {
    const { root, open } = newGround();
    for (let n = 0; n < 5; n++) put(root, `d${n}/f`, `${n}`);
    const workspace = await open();
    await workspace.watch();
    put(root, 'd0/f', 'changed');
    const { id } = await workspace.snapshot();
    const calls: string[] = [];
    setIoHook(({ op, path }) => {
      const inTree = !path.includes('.vibe-engine') && path !== root && !/git|ignore/.test(path);
      if (inTree || op === 'fsync' || op === 'fdatasync' || op === 'write') calls.push(`${op} ${path}`);
      return undefined;
    });
    try {
      expect(await workspace.snapshot()).toEqual({ id, changes: [] });
    } finally {
      setIoHook(undefined);
    }
    expect(calls).toEqual([]);
    put(root, 'd1/f', 'changed, too');
    await same(workspace, root);
    put(root, '.gitignore', 'd2\n');
    expect((await workspace.snapshot()).id).not.toBe(id);
  });

  test('sees whatever happens to files and directories', async () => {
    const { root, open } = newGround();
    for (let n = 0; n < 20; n++) put(root, `d${n % 4}/s${n % 2}/f${n}`, `${n}`);
    const workspace = await open();
    expect(await workspace.watch()).toBe(true);
    const at = (path: string) => join(root, path);
    const acts: [string, () => void][] = [
      ['a change', () => writeFileSync(at('d0/s0/f0'), 'changed')],
      [
        'one of the same size and time',
        () => {
          writeFileSync(at('d0/s0/f0'), 'CHANGED');
          utimesSync(at('d0/s0/f0'), 1, 1);
        },
      ],
      ['a mode', () => chmodSync(at('d0/s0/f4'), 0o600)],
      ['a removed file', () => rmSync(at('d0/s0/f4'))],
      ['a new file', () => writeFileSync(at('new'), 'new')],
      ['new directories with files', () => put(root, 'n1/n2/n3/f', 'deep')],
      ['a change in one of them', () => appendFileSync(at('n1/n2/n3/f'), 'er')],
      ['a moved directory', () => renameSync(at('n1/n2'), at('moved'))],
      ['a change in it', () => appendFileSync(at('moved/n3/f'), '!')],
      ['a new one of the old name', () => put(root, 'n1/n2/n3/f', 'again')],
      ['a change in that', () => appendFileSync(at('n1/n2/n3/f'), '!')],
      [
        'a directory removed and made again',
        () => {
          rmSync(at('d1'), { recursive: true });
          put(root, 'd1/s1/f1', 'again');
        },
      ],
      ['a change in the new one', () => appendFileSync(at('d1/s1/f1'), '!')],
      [
        'a directory that was changed elsewhere',
        () => {
          renameSync(at('d2'), join(root, '..', 'elsewhere'));
          appendFileSync(join(root, '..', 'elsewhere/s0/f2'), '!');
          renameSync(join(root, '..', 'elsewhere'), at('d2'));
        },
      ],
      ['a link', () => symlinkSync('new', at('link'))],
      [
        'a link that leads elsewhere',
        () => {
          rmSync(at('link'));
          symlinkSync('nowhere', at('link'));
        },
      ],
      [
        'a file that becomes a directory',
        () => {
          rmSync(at('new'));
          put(root, 'new/inside', 'x');
        },
      ],
      [
        'a directory that becomes a file',
        () => {
          rmSync(at('new'), { recursive: true });
          writeFileSync(at('new'), 'x');
        },
      ],
      ['an empty directory', () => mkdirSync(at('empty'))],
      [
        'a saved file, by renaming',
        () => {
          writeFileSync(at('.tmp'), 'saved');
          renameSync(at('.tmp'), at('d3/s1/f3'));
        },
      ],
    ];
    for (const [what, act] of acts) {
      act();
      await same(workspace, root).catch((error: Error) => {
        throw new Error(`${what}: ${error.message}`);
      });
    }
  });

  test('does not look behind a link that took the place of a directory', async () => {
    const { root, storage, open } = newGround();
    const outside = newGround().root;
    put(outside, 'f', 'nobody asked for this');
    put(root, 'dir/f', 'start');
    const workspace = await open();
    await workspace.watch();
    writeFileSync(join(root, 'dir/f'), 'changed');
    renameSync(join(root, 'dir'), join(root, 'moved'));
    symlinkSync(outside, join(root, 'dir'));
    await same(workspace, root);
    const hashed = hash('sha256', 'nobody asked for this');
    expect(await (await storage()).getBlob(null, `file/${hashed}`)).toBeNull();
  });

  test('judges again when rules change, and captures what becomes tracked', async () => {
    const { root, open } = newGround();
    git(root, 'init', '-q');
    put(root, 'sub/a.log', 'a');
    put(root, 'sub/b.txt', 'b');
    const workspace = await open();
    await workspace.watch();
    const paths = async () => [...(await filesOf(workspace, (await workspace.snapshot()).id)).keys()];
    put(root, 'sub/.gitignore', '*.log');
    expect(await paths()).toEqual(['sub', 'sub/.gitignore', 'sub/b.txt']);
    put(root, 'sub/c.log', 'c');
    expect(await paths()).toEqual(['sub', 'sub/.gitignore', 'sub/b.txt']);
    git(root, 'add', '-f', 'sub/c.log');
    expect(await paths()).toEqual(['sub', 'sub/.gitignore', 'sub/b.txt', 'sub/c.log']);
    writeFileSync(join(root, '.git/info/exclude'), '*.txt\n');
    expect(await paths()).toEqual(['sub', 'sub/.gitignore', 'sub/c.log']);
  });

  test('keeps one file of its own at most, and needs none that stays', async () => {
    const { root, open } = newGround();
    put(root, 'f', '1');
    const own = join(root, '.vibe-engine/.workspace/cookies');
    mkdirSync(own, { recursive: true });
    const { pid } = spawnSync(process.execPath, ['--version']);
    const [, , space, boot] = PROCESS_MARK.split('.');
    writeFileSync(join(own, `${pid}.1.${space}.${boot}-c`), '');
    const workspace = await open();
    await workspace.watch();
    for (let n = 0; n < 5; n++) {
      put(root, 'f', `${n} again`);
      await same(workspace, root);
      expect(readdirSync(own).length).toBeLessThanOrEqual(1);
      if (n % 2 === 1) for (const name of readdirSync(own)) rmSync(join(own, name));
    }
    await workspace.close();
    expect(readdirSync(own)).toEqual([]);
  });

  test('misses none that another process made', async () => {
    const { root, open } = newGround();
    put(root, 'f', '0');
    const workspace = await open();
    await workspace.watch();
    for (let n = 0; n < 30; n++) {
      execFileSync('sh', ['-c', `printf ${n} > f; mkdir -p d${n}/e; printf x > d${n}/e/g`], { cwd: root });
      await same(workspace, root);
    }
  });

  test('looks at everything after more than can be told', async () => {
    const { root, open } = newGround();
    put(root, 'f', '0');
    const workspace = await open();
    await workspace.watch();
    execFileSync('sh', ['-c', 'for n in $(seq 6000); do : > a; : > b; : > c; done; printf x > d'], {
      cwd: root,
    });
    await same(workspace, root);
    writeFileSync(join(root, 'd'), 'y');
    await same(workspace, root);
  });

  test('does not look at what nothing happened to', async () => {
    const { root, open } = newGround();
    for (let n = 0; n < 300; n++) put(root, `d${n % 30}/f${n}`, `${n}`);
    const workspace = await open();
    await workspace.watch();
    const looks = async (options?: { full: boolean }) => {
      let count = 0;
      setIoHook(({ op }) => {
        if (op === 'stat' || op === 'readdir') count++;
        return undefined;
      });
      try {
        await workspace.snapshot(options);
      } finally {
        setIoHook(undefined);
      }
      return count;
    };
    put(root, 'd3/f3', 'changed');
    expect(await looks()).toBeLessThan(40);
    expect(await looks({ full: true })).toBeGreaterThan(300);
    put(root, 'd3/f3', 'again');
    expect(await looks()).toBeLessThan(40);
  });

  test('looks again at what could not be captured', async () => {
    const { root, open } = newGround();
    put(root, 'd/f', 'one');
    const workspace = await open();
    await workspace.watch();
    put(root, 'd/f', 'two');
    setIoHook(({ op, path }) => (op === 'read' && path.endsWith('d/f') ? { errno: 'EIO' } : undefined));
    try {
      await expect(workspace.snapshot()).rejects.toMatchObject({ code: 'IO_FAILED' });
    } finally {
      setIoHook(undefined);
    }
    await same(workspace, root);
  });

  test('restores from what is watched', async () => {
    const { root, open } = newGround();
    for (let n = 0; n < 10; n++) put(root, `d/f${n}`, 'start');
    const workspace = await open();
    await workspace.watch();
    const { id: to } = await workspace.snapshot();
    const start = filesIn(root);
    for (let n = 0; n < 10; n += 2) put(root, `d/f${n}`, 'task');
    put(root, 'new/dir/file', 'task');
    const { id: end } = await workspace.snapshot();
    const result = await workspace.restore({ to, own: [{ from: to, to: end }] });
    expect(filesIn(root)).toEqual(start);
    expect((await workspace.snapshot()).changes).toEqual([]);
    await workspace.undo(result.undo);
    await same(workspace, root);
  });
});
