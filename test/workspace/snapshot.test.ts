import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { encodeLayer } from '../../src/workspace/snapshot/layer.ts';
import { decodeLayer } from '../../src/workspace/snapshot/layer-reader.ts';
import { openWorkspace } from '../../src/workspace/workspace.ts';
import { entryIn, filesIn, filesOf, git, grounds, put } from './ground.ts';

const newGround = grounds();

describe('a snapshot', () => {
  test('holds bytes, modes, links and empty directories exactly', async () => {
    const { root, open } = newGround();
    put(root, 'crlf.txt', 'a\r\nb\r\n', 0o600);
    put(root, 'bom.txt', '\ufeffa');
    put(
      root,
      'binary',
      Uint8Array.from({ length: 256 }, (_, n) => n),
      0o751,
    );
    put(root, 'empty', '');
    put(root, 'deep/er/x', 'x', 0o444);
    mkdirSync(join(root, 'nothing/in/it'), { recursive: true });
    chmodSync(join(root, 'nothing'), 0o700);
    symlinkSync('deep/er/x', join(root, 'link'));
    symlinkSync('/nowhere/at/all', join(root, 'deep/out'));
    const workspace = await open();
    const { id } = await workspace.snapshot();
    expect(await filesOf(workspace, id)).toEqual(filesIn(root));
  });

  test('is the same while nothing changes, and costs what changed', async () => {
    const { root, storage, open } = newGround();
    for (let n = 0; n < 50; n++) put(root, `d${n % 5}/f${n}`, `${n}`);
    const workspace = await open();
    const first = await workspace.snapshot();
    expect((await workspace.snapshot()).id).toBe(first.id);
    put(root, 'd1/f1', 'changed');
    rmSync(join(root, 'd2/f2'));
    const before = await count((await storage()).listBlobs(null));
    const { id, changes } = await workspace.snapshot();
    expect(changes.map(({ path, before, after }) => [path, before?.kind, after?.kind])).toEqual([
      ['d1/f1', 'file', 'file'],
      ['d2/f2', 'file', undefined],
    ]);
    // The new content, and the snapshot with a layer of two changes.
    expect((await count((await storage()).listBlobs(null))) - before).toBe(2);
    expect(await filesOf(workspace, id)).toEqual(filesIn(root));
    expect((await filesOf(workspace, first.id)).get('d1/f1')).toMatchObject({ bytes: '1' });
  });

  test('sees a change that leaves size and mtime as they were', async () => {
    const { root, open } = newGround();
    put(root, 'a', 'one');
    const time = new Date('2020-01-01');
    utimesSync(join(root, 'a'), time, time);
    const workspace = await open();
    await workspace.snapshot();
    writeFileSync(join(root, 'a'), 'two');
    utimesSync(join(root, 'a'), time, time);
    const { id } = await workspace.snapshot();
    expect(Buffer.from(await workspace.read(id, 'a')).toString()).toBe('two');
  });

  test('sees every change that follows the one before at once', async () => {
    const { root, open } = newGround();
    put(root, 'a', '000');
    const workspace = await open();
    for (let n = 0; n < 200; n++) {
      writeFileSync(join(root, 'a'), String(n).padStart(3, '0'));
      const { id } = await workspace.snapshot();
      expect(Buffer.from(await workspace.read(id, 'a')).toString()).toBe(String(n).padStart(3, '0'));
    }
  });

  test('goes on from what another process left', async () => {
    const { root, open } = newGround();
    put(root, 'a', 'a');
    put(root, 'b/c', 'c');
    const one = await open();
    const { id } = await one.snapshot();
    await one.close();
    const other = await open();
    expect(await other.snapshot()).toEqual({ id, changes: [] });
    put(root, 'b/c', 'd');
    expect((await other.snapshot()).changes.map(({ path }) => path)).toEqual(['b/c']);
  });

  test.each(['torn', 'gone', 'garbage'])('starts over when the stat cache is %s', async (what) => {
    const { root, open } = newGround();
    put(root, 'a', 'a');
    const one = await open();
    const { id } = await one.snapshot();
    await one.close();
    const cache = join(root, '.vibe-engine/.workspace/stat-cache');
    if (what === 'torn') truncateSync(cache, lstatSync(cache).size - 1);
    if (what === 'gone') rmSync(cache);
    if (what === 'garbage') writeFileSync(cache, 'garbage');
    expect((await (await open()).snapshot()).id).toBe(id);
  });

  test('leaves out what it is told to, and says so', async () => {
    const { root, open } = newGround();
    put(root, '.gitignore', '*.log\n/build/\n');
    put(root, 'sub/.gitignore', '!keep.log\n');
    for (const path of [
      'a.log',
      'sub/keep.log',
      'build/out',
      '.env',
      '.env.example',
      'tmp/x',
      'big',
      'data/a.log',
    ]) {
      put(root, path, path);
    }
    put(root, 'large', 'x'.repeat(2000));
    const workspace = await open({ exclude: ['tmp/'], include: ['data/*.log'], max_file_mb: 0.001 });
    const { id } = await workspace.snapshot();
    const kindOf = async (path: string) => {
      const entry = await entryIn(workspace, id, path);
      return entry?.kind === 'omitted' ? entry.why : (entry?.kind ?? null);
    };
    expect(await kindOf('a.log')).toBe('ignored');
    expect(await kindOf('sub/keep.log')).toBe('file');
    expect(await kindOf('build')).toBe('ignored');
    expect(await kindOf('build/out')).toBe(null);
    expect(await kindOf('.env')).toBe('secret');
    expect(await kindOf('.env.example')).toBe('file');
    expect(await kindOf('tmp')).toBe('excluded');
    expect(await kindOf('data/a.log')).toBe('file');
    expect(await kindOf('large')).toBe('too_large');
  });

  test('of a directory in a repository honours the ignore files above it', async () => {
    const { root, open } = newGround();
    git(root, 'init', '-q');
    put(root, '.git/info/exclude', '/packages/app/private\n');
    put(root, '.gitignore', 'node_modules/\n*.log\n/packages/app/made\n/only-at-the-top\n');
    put(root, 'packages/.gitignore', '!keep.log\napp/deep/*.tmp\n');
    for (const path of [
      ...['private', 'node_modules/a/b.js', 'x.log', 'keep.log', 'made', 'only-at-the-top', 'a.ts'],
      ...['deep/x.tmp', 'deep/node_modules/c.js', 'deep/a.ts', '.gitignore'],
    ])
      put(root, `packages/app/${path}`, path === '.gitignore' ? 'ours\n' : path);
    const listed = git(join(root, 'packages/app'), 'ls-files', '-co', '--exclude-standard');
    const workspace = await open({ root: join(root, 'packages/app') });
    const captured = async () => {
      const files = await filesOf(workspace, (await workspace.snapshot()).id);
      return [...files].filter(([, { kind }]) => kind === 'file').map(([path]) => path);
    };
    expect(await captured()).toEqual(listed.split('\n').filter(Boolean).sort());
    put(root, 'packages/.gitignore', '*.ts\n');
    expect(await captured()).toEqual(['.gitignore', 'deep/x.tmp', 'only-at-the-top']);
  });

  test('judges again when an ignore file changes', async () => {
    const { root, open } = newGround();
    put(root, 'sub/deep/a.log', 'a');
    put(root, 'sub/deep/b.txt', 'b');
    const workspace = await open();
    const paths = async () => [...(await filesOf(workspace, (await workspace.snapshot()).id)).keys()];
    expect(await paths()).toContain('sub/deep/a.log');
    put(root, 'sub/.gitignore', '*.log');
    expect(await paths()).not.toContain('sub/deep/a.log');
    put(root, 'sub/.gitignore', '*.txt');
    expect(await paths()).toContain('sub/deep/a.log');
    expect(await paths()).not.toContain('sub/deep/b.txt');
    rmSync(join(root, 'sub/.gitignore'));
    expect(await paths()).toContain('sub/deep/b.txt');
  });

  test('lists names that cannot be written down, and pipes, as not captured', async () => {
    const { root, open } = newGround();
    writeFileSync(Buffer.concat([Buffer.from(`${root}/bad-`), Buffer.from([0xff, 0xfe])]), 'x');
    writeFileSync(join(root, 'new\nline'), 'x');
    mkdirSync(join(root, '.GIT'));
    writeFileSync(join(root, '.GIT/config'), 'x');
    execFileSync('mkfifo', [join(root, 'pipe')]);
    put(root, 'good', 'x');
    const workspace = await open();
    for (let round = 0; round < 2; round++) {
      const tree = await workspace.tree((await workspace.snapshot()).id);
      const { names, entries } = tree.get('')!;
      const left = names.filter((_, index) => entries[index]!.kind === 'omitted');
      expect(left.length).toBe(4);
      expect(left).toContain('pipe');
      expect(left).toContain(`?${Buffer.from('bad-').toString('hex')}fffe`);
    }
  });

  test.each(['/', homedir(), join(homedir(), '..'), '/no/such/directory'])('refuses %s', async (root) => {
    const storage = await newGround().storage();
    await expect(openWorkspace({ root, storage })).rejects.toMatchObject({ code: 'WORKSPACE_UNSAFE' });
  });
});

describe('in a git repository', () => {
  test('clean files are not copied, and nothing of the user changes', async () => {
    const { root, storage, open } = newGround();
    git(root, 'init', '-q');
    for (let n = 0; n < 600; n++) put(root, `d${n % 7}/f${n}`, `content ${n}\n`);
    git(root, 'add', '-A');
    git(root, 'commit', '-q', '-m', 'all');
    put(root, 'd1/f1', 'dirty');
    put(root, 'staged', 'staged');
    git(root, 'add', 'staged');
    git(root, 'stash', 'push', '-q', '--staged');
    put(root, 'untracked', 'new');
    const state = () => ({
      index: readFileSync(join(root, '.git/index')),
      head: git(root, 'rev-parse', 'HEAD'),
      refs: git(root, 'for-each-ref', 'refs/heads', 'refs/stash', 'refs/tags'),
      status: git(root, 'status', '--porcelain'),
      times: lstatSync(join(root, 'd2/f2')).mtimeMs,
    });
    const before = state();
    const workspace = await open();
    const { id } = await workspace.snapshot();
    expect(state()).toEqual(before);
    const blobs = await ids((await storage()).listBlobs(null));
    expect(blobs.filter((blob) => blob.startsWith('file/')).length).toBe(2);
    expect(await filesOf(workspace, id)).toEqual(filesIn(root));
  });

  test('what it refers to outlives a rewritten history and git gc', async () => {
    const { root, open } = newGround();
    git(root, 'init', '-q');
    for (let n = 0; n < 520; n++) put(root, `f${n}`, `content ${n}\n`);
    git(root, 'add', '-A');
    git(root, 'commit', '-q', '-m', 'all');
    put(root, 'later', 'staged only');
    git(root, 'add', 'later');
    const workspace = await open();
    const { id } = await workspace.snapshot();
    const files = filesIn(root);
    git(root, 'checkout', '-q', '--orphan', 'other');
    git(root, 'rm', '-r', '-q', '-f', '.');
    git(root, 'commit', '-q', '--allow-empty', '-m', 'empty');
    git(root, 'branch', '-D', 'main');
    git(root, 'reflog', 'expire', '--expire=now', '--all');
    git(root, 'gc', '-q', '--prune=now');
    expect(await filesOf(workspace, id)).toEqual(files);
  });

  test('bytes that git would change are kept as they are', async () => {
    const { root, open } = newGround();
    git(root, 'init', '-q');
    put(root, '.gitattributes', '*.txt text eol=lf\n*.id ident\n*.rot filter=rot\n');
    git(root, 'config', 'filter.rot.clean', 'tr a-z b-za');
    put(root, 'a.txt', 'one\r\ntwo\r\n');
    put(root, 'b.id', '$Id: was here $\n');
    put(root, 'c.rot', 'abc\n');
    git(root, 'add', '-A');
    git(root, 'commit', '-q', '-m', 'all');
    // The attributes are gone, the index still says that all is clean.
    put(root, '.gitattributes', '\n');
    const workspace = await open();
    const { id } = await workspace.snapshot();
    expect(await filesOf(workspace, id)).toEqual(filesIn(root));
  });

  test('tracked files are captured although they are ignored, also when they become tracked later', async () => {
    const { root, open } = newGround();
    git(root, 'init', '-q');
    put(root, '.gitignore', 'out/\n*.log\n');
    put(root, 'out/tracked', 'a');
    put(root, 'out/other', 'b');
    put(root, 'later.log', 'c');
    git(root, 'add', '-f', 'out/tracked');
    const workspace = await open();
    const paths = async () => [...(await filesOf(workspace, (await workspace.snapshot()).id)).keys()];
    expect(await paths()).toEqual(['.gitignore', 'out', 'out/tracked']);
    git(root, 'add', '-f', 'later.log');
    expect(await paths()).toEqual(['.gitignore', 'later.log', 'out', 'out/tracked']);
  });

  test('nested repositories are captured with their content, without their .git', async () => {
    const { root, open } = newGround();
    git(root, 'init', '-q');
    put(root, 'nested/file', 'inside');
    git(join(root, 'nested'), 'init', '-q');
    put(root, 'nested/deep/other', 'inside too');
    const workspace = await open();
    const { id } = await workspace.snapshot();
    expect([...(await filesOf(workspace, id)).keys()]).toEqual([
      'nested',
      'nested/deep',
      'nested/deep/other',
      'nested/file',
    ]);
  });

  test('a git environment of the caller leads nowhere else', async () => {
    const elsewhere = newGround();
    git(elsewhere.root, 'init', '-q');
    const { root, open } = newGround();
    git(root, 'init', '-q');
    put(root, 'a', 'a');
    git(root, 'add', '-A');
    process.env.GIT_DIR = join(elsewhere.root, '.git');
    try {
      const workspace = await open();
      const { id } = await workspace.snapshot();
      expect(await entryIn(workspace, id, 'a')).toMatchObject({ git: expect.any(String) });
    } finally {
      delete process.env.GIT_DIR;
    }
    expect(git(elsewhere.root, 'for-each-ref')).toBe('');
  });
});

async function ids(blobs: AsyncIterable<{ id: string }>): Promise<string[]> {
  const found: string[] = [];
  for await (const { id } of blobs) found.push(id);
  return found;
}

async function count(blobs: AsyncIterable<{ id: string }>): Promise<number> {
  return (await ids(blobs)).length;
}

test('a layer of any size is read as it was written, and any Zstandard opens it', () => {
  for (let count = 0; count < 40; count++) {
    const changes = Array.from({ length: count }, (_, n) => ({
      path: `d${n % 3}/f${n}`,
      after: { kind: 'file', mode: 0o644, size: n, hash: hash('sha256', `${n}`) } as const,
    }));
    const bytes = encodeLayer(changes);
    const read = decodeLayer(bytes).flatMap(({ directory, names, entries }) =>
      names.map((name, n) => ({ path: `${directory}/${name}`, after: entries[n] })),
    );
    const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
    expect(read.sort(byPath)).toEqual(changes.sort(byPath));
    expect(zstdDecompressSync(bytes).length).toBeGreaterThan(32 * count);
  }
});
