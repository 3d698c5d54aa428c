/** Moving a task's branch onto what upstream has now: all of it, or nothing at all. */
import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { look, type Sight } from '../../src/drift/look.ts';
import { type Rebased, type RebaseRequest, rebase } from '../../src/drift/rebase/rebase.ts';
import { tempDirs } from '../support/temp.ts';
import { type Clone, cloneAt, type Ground, gitOf, groundAt, objectsOf, pictureOf, pushed } from './ground.ts';

const tempDir = tempDirs();
const LINES = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
const text = (changes: Record<number, string> = {}): string =>
  LINES.map((line, index) => `${changes[index + 1] ?? line}\n`).join('');

async function rebaseIn(work: Clone, given: Partial<RebaseRequest> = {}): Promise<Rebased> {
  const git = gitOf(work);
  const sight = (await look(git, { wanted: null, fetch_timeout_ms: 20_000 })) as Sight;
  return rebase(git, {
    sight,
    commits_behind: Number(work.git('rev-list', '--count', `HEAD..${sight.upstream_head ?? 'HEAD'}`)),
    force_push: false,
    permitted: true,
    test_command: 'true',
    test_timeout_ms: 60_000,
    task: 't0',
    begin: async () => {},
    ...given,
  });
}

describe('a rebase', () => {
  test('moves commits, and carries over what is staged, changed and not tracked', async () => {
    const ground = groundAt(tempDir(), { 'a.txt': text(), 'b.txt': text(), 'c.txt': text() });
    const { work } = ground;
    work.commit('mine', { 'a.txt': text({ 2: 'committed' }) });
    const old = work.commit('mine too', { 'mine.txt': 'mine\n' });
    work.put('b.txt', text({ 2: 'staged' }));
    work.git('add', 'b.txt');
    work.put('b.txt', text({ 2: 'staged', 10: 'changed' }));
    work.put('c.txt', text({ 2: 'changed' }));
    work.put('new/file.txt', 'not tracked\n');
    work.put('.git/info/exclude', 'secret\n');
    work.put('secret', 'ignored\n');
    const upstream = pushed(ground, 'theirs', {
      'a.txt': text({ 18: 'theirs' }),
      'b.txt': text({ 18: 'theirs' }),
      'theirs.txt': 'theirs\n',
      'c.txt': text({ 18: 'theirs' }),
    });
    const done = await rebaseIn(work, { test_command: 'test -f theirs.txt && grep -q committed a.txt' });
    expect(done).toMatchObject({ old_head: old, onto: 'origin/main', moved: 2 });
    expect(work.git('log', '--format=%s')).toBe('mine too\nmine\ntheirs\nbegin');
    expect(work.git('rev-parse', 'HEAD~2')).toBe(upstream);
    expect(work.git('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
    expect(work.git('show', 'HEAD:a.txt')).toBe(text({ 2: 'committed', 18: 'theirs' }).trimEnd());
    expect(work.read('a.txt')).toBe(text({ 2: 'committed', 18: 'theirs' }));
    expect(work.git('show', ':b.txt')).toBe(text({ 2: 'staged', 18: 'theirs' }).trimEnd());
    expect(work.read('b.txt')).toBe(text({ 2: 'staged', 10: 'changed', 18: 'theirs' }));
    expect(work.read('c.txt')).toBe(text({ 2: 'changed', 18: 'theirs' }));
    expect(work.read('secret')).toBe('ignored\n');
    expect(work.git('status', '--porcelain')).toBe('MM b.txt\n M c.txt\n?? new/');
    expect(work.git('rev-parse', `${done.backup_ref}^`)).toBe(old);
    expect(work.git('show', `${done.backup_ref}:b.txt`)).toBe(text({ 2: 'staged', 10: 'changed' }).trimEnd());
    expect(work.git('reflog', '-1', '--format=%gs', 'main')).toBe('rebase (vibe-engine): onto origin/main');
    expect(work.git('fsck', '--strict', '--no-dangling')).toBe('');
    expect(existsSync(join(work.dir, '.git/index.lock'))).toBe(false);
  });

  test('leaves alone what git knows nothing of: who may read a file, empty directories, repositories inside', async () => {
    const ground = groundAt(tempDir(), {
      'private.txt': text(),
      'dir/a.txt': 'a\n',
      '.gitattributes': '*.crlf eol=crlf\n',
      'x.crlf': 'x\n',
    });
    const { work } = ground;
    chmodSync(join(work.dir, 'private.txt'), 0o600);
    work.put('private.txt', text({ 2: 'mine' }));
    mkdirSync(join(work.dir, 'empty/deep'), { recursive: true });
    mkdirSync(join(work.dir, 'inside'));
    cloneAt(join(work.dir, 'inside')).git('init', '--quiet');
    work.put('inside/b.txt', 'b\n');
    work.put('x.crlf', 'x\r\n\r\n');
    chmodSync(join(ground.other.dir, 'dir/a.txt'), 0o755);
    pushed(ground, 'theirs', { 'private.txt': text({ 18: 'theirs' }), 'dir/a.txt': 'A\n', 'y.crlf': 'y\n' });
    await rebaseIn(work);
    expect(work.read('private.txt')).toBe(text({ 2: 'mine', 18: 'theirs' }));
    expect(statSync(join(work.dir, 'private.txt')).mode & 0o777).toBe(0o600);
    expect(statSync(join(work.dir, 'dir/a.txt')).mode & 0o111).toBe(0o111 & ~process.umask());
    expect(existsSync(join(work.dir, 'empty/deep'))).toBe(true);
    expect(work.read('inside/b.txt')).toBe('b\n');
    expect([work.read('x.crlf'), work.read('y.crlf')]).toEqual(['x\r\n\r\n', 'y\r\n']);
  });

  test('with nothing of its own is a step forward', async () => {
    const ground = groundAt(tempDir());
    const upstream = pushed(ground, 'theirs', { 'a.txt': 'two\n' });
    expect(await rebaseIn(ground.work)).toMatchObject({ new_head: upstream, moved: 0 });
    expect(ground.work.git('status', '--porcelain')).toBe('');
  });

  test('leaves out a commit that upstream has brought already', async () => {
    const ground = groundAt(tempDir());
    ground.work.commit('mine', { 'b.txt': 'b\n' });
    ground.work.commit('more', { 'c.txt': 'c\n' });
    pushed(ground, 'the same', { 'b.txt': 'b\n' });
    expect(await rebaseIn(ground.work)).toMatchObject({ moved: 1 });
    expect(ground.work.git('log', '--format=%s')).toBe('more\nthe same\nbegin');
  });

  test('keeps author, date and message, and does not run hooks', async () => {
    const ground = groundAt(tempDir());
    ground.work.put('.git/hooks/post-rewrite', '#!/bin/sh\necho ran > ../hook-ran\n');
    ground.work.put('.git/hooks/post-checkout', '#!/bin/sh\necho ran > ../hook-ran\n');
    for (const hook of ['post-rewrite', 'post-checkout'])
      chmodSync(join(ground.work.dir, '.git/hooks', hook), 0o755);
    ground.work.put('b.txt', 'b\n');
    ground.work.git('add', '-A');
    const message = 'Grüße\n\nwith a body\n\n# and a line that looks like a comment';
    ground.work.git(
      'commit',
      '-q',
      '--cleanup=verbatim',
      '--author=Bob <bob@example.com>',
      '--date=2020-02-02T02:02:02+02:00',
      '-m',
      message,
    );
    pushed(ground, 'theirs', { 'a.txt': 'two\n' });
    await rebaseIn(ground.work);
    expect(ground.work.git('log', '-1', '--format=%an %ae %aI %cn%n%B').trimEnd()).toBe(
      `Bob bob@example.com 2020-02-02T02:02:02+02:00 Ada\n${message}`,
    );
    expect(existsSync(join(ground.work.dir, '..', 'hook-ran'))).toBe(false);
    expect(existsSync(join(ground.work.dir, 'hook-ran'))).toBe(false);
  });
});

interface Refusal {
  readonly why: string;
  readonly ours: (ground: Ground) => void;
  readonly theirs?: Readonly<Record<string, string | null>>;
  readonly given?: Partial<RebaseRequest>;
  readonly data?: object;
}

const REFUSALS: readonly Refusal[] = [
  { why: 'not permitted', ours: () => {}, given: { permitted: false } },
  { why: 'no tests', ours: () => {}, given: { test_command: null } },
  { why: 'detached HEAD', ours: ({ work }) => void work.git('checkout', '-q', '--detach') },
  { why: 'no upstream', ours: ({ work }) => void work.git('remote', 'remove', 'origin') },
  { why: 'history rewritten', ours: () => {}, given: { force_push: true } },
  { why: 'nothing new', ours: () => {}, theirs: {} },
  {
    why: 'intended additions',
    ours: ({ work }) => {
      work.put('b.txt', 'b\n');
      work.git('add', '-N', 'b.txt');
    },
  },
  {
    why: 'operation in progress',
    ours: ({ work }) => {
      work.git('branch', 'side');
      work.commit('mine', { 'b.txt': 'b\n' });
      work.git('switch', '-q', 'side');
      work.commit('side', { 'b.txt': 'side\n' });
      work.git('switch', '-q', 'main');
      work.tries('merge', 'side');
    },
  },
  {
    why: 'merge commits',
    ours: ({ work }) => {
      work.git('switch', '-qc', 'side');
      work.commit('side', { 'c.txt': 'side\n' });
      work.git('switch', '-q', 'main');
      work.commit('mine', { 'b.txt': 'b\n' });
      work.git('merge', '-q', '--no-edit', 'side');
    },
  },
  {
    why: 'commit conflicts',
    ours: ({ work }) => {
      work.commit('mine', { 'a.txt': 'mine\n' });
      work.commit('not mine after all', { 'a.txt': 'one\n' });
    },
    data: { files: ['a.txt'] },
  },
  {
    why: 'uncommitted work conflicts',
    ours: ({ work }) => work.put('a.txt', 'mine\n'),
    data: { files: ['a.txt'] },
  },
  {
    why: 'uncommitted work conflicts',
    ours: ({ work }) => {
      work.put('a.txt', 'staged\n');
      work.git('add', 'a.txt');
      work.put('a.txt', 'one\n');
    },
    data: { files: ['a.txt'] },
  },
  {
    why: 'files in the way',
    ours: ({ work }) => {
      work.put('.git/info/exclude', 'b.txt\n');
      work.put('b.txt', 'ignored, and dear to somebody\n');
    },
    theirs: { 'b.txt': 'theirs\n' },
    data: { files: ['b.txt'] },
  },
  {
    why: 'files in the way',
    ours: ({ work }) => {
      work.put('.git/info/exclude', 'dir\n');
      work.put('dir', 'ignored, and dear to somebody\n');
    },
    theirs: { 'dir/b.txt': 'theirs\n' },
    data: { files: ['dir'] },
  },
  {
    why: 'files in the way',
    ours: ({ work }) => {
      mkdirSync(join(work.dir, 'inside'));
      cloneAt(join(work.dir, 'inside')).git('init', '--quiet');
    },
    theirs: { 'inside/b.txt': 'theirs\n' },
    data: { files: ['inside'] },
  },
  {
    why: 'replay failed',
    ours: ({ work }) => {
      work.commit('mine', { 'b.txt': 'b\n', '.gitattributes': 'b.txt filter=broken\n' });
      work.git('config', 'filter.broken.clean', 'false');
      work.git('config', 'filter.broken.required', 'true');
      work.put('b.txt', 'not committed\n');
    },
    data: { complaint: expect.stringContaining('git add failed') },
  },
  {
    why: 'tests fail',
    ours: ({ work }) => void work.commit('mine', { 'b.txt': 'b\n' }),
    given: {
      test_command:
        'git rev-parse HEAD && cat b.txt; git tag spoilt; git commit -qam x --allow-empty; rm -r *; exit 3',
    },
    data: { code: 3, output: expect.stringContaining('b\n') },
  },
  {
    why: 'tests fail',
    ours: () => {},
    given: { test_command: 'sleep 60', test_timeout_ms: 200 },
    data: { timed_out: true },
  },
];

describe('is refused, and everything is as it was,', () => {
  test.each(REFUSALS)(
    'for $why',
    async ({ why, ours, theirs = { 'a.txt': 'theirs\n' }, given, data = {} }) => {
      const ground = groundAt(tempDir());
      ours(ground);
      if (Object.keys(theirs).length > 0) pushed(ground, 'theirs', theirs);
      ground.work.tries('fetch', '--quiet');
      const before = [pictureOf(ground.work), objectsOf(ground.work)];
      await expect(rebaseIn(ground.work, given)).rejects.toMatchObject({
        code: 'REBASE_REFUSED',
        data: { why, ...data },
      });
      expect([pictureOf(ground.work), objectsOf(ground.work)]).toEqual(before);
      expect(ground.work.git('for-each-ref', 'refs/vibe-engine')).toBe('');
    },
  );

  test('for signed commits', async () => {
    const ground = groundAt(tempDir());
    const { work } = ground;
    work.commit('mine', { 'b.txt': 'b\n' });
    const raw = work.git('cat-file', 'commit', 'HEAD');
    const signed = raw.replace(
      /\n\n/,
      '\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n',
    );
    work.put('../signed', `${signed}\n`);
    work.git('update-ref', 'refs/heads/main', work.git('hash-object', '-t', 'commit', '-w', '../signed'));
    pushed(ground, 'theirs', { 'a.txt': 'theirs\n' });
    await expect(rebaseIn(work)).rejects.toMatchObject({ data: { why: 'signed commits' } });
  });

  test.each([
    ['a file', ({ work }: Ground) => work.put('a.txt', 'changed meanwhile\n')],
    ['a new file', ({ work }: Ground) => work.put('new.txt', 'new\n')],
    ['the index', ({ work }: Ground) => void work.git('rm', '-q', '--cached', 'b.txt')],
    ['HEAD', ({ work }: Ground) => void work.commit('meanwhile')],
    ['the branch', ({ work }: Ground) => void work.git('switch', '-qc', 'elsewhere')],
    ['somebody else at work', ({ work }: Ground) => work.put('.git/index.lock', '')],
  ])('for %s that changed while the tests ran', async (_what, change) => {
    const ground = groundAt(tempDir(), { 'a.txt': 'one\n', 'b.txt': 'b\n' });
    const { work } = ground;
    work.commit('mine', { 'c.txt': 'c\n' });
    pushed(ground, 'theirs', { 'd.txt': 'd\n' });
    work.git('fetch', '--quiet');
    work.put('../go', '');
    const running = rebaseIn(work, {
      test_command:
        'rm ../../go 2>/dev/null; touch $VIBE_ENGINE_REPOSITORY/../tests-run; while test ! -e $VIBE_ENGINE_REPOSITORY/../go-on; do sleep 0.02; done',
    });
    await expect.poll(() => existsSync(join(work.dir, '../tests-run'))).toBe(true);
    change(ground);
    const before = [pictureOf(work), objectsOf(work)];
    work.put('../go-on', '');
    await expect(running).rejects.toMatchObject({ data: { why: 'changed meanwhile' } });
    expect([pictureOf(work), objectsOf(work)]).toEqual(before);
  });

  test('when the branch moves between the last look and the end', async () => {
    const ground = groundAt(tempDir(), { 'a.txt': text() });
    const { work } = ground;
    work.commit('mine', { 'b.txt': 'b\n' });
    work.put('a.txt', text({ 2: 'changed' }));
    work.put('new.txt', 'new\n');
    pushed(ground, 'theirs', { 'a.txt': text({ 18: 'theirs' }), 'dir/d.txt': 'd\n', 'b.txt': 'b\n' });
    const elsewhere = work.git('commit-tree', '-p', 'HEAD', '-m', 'elsewhere', 'HEAD^{tree}');
    let before: unknown;
    const contents = () =>
      Object.entries(pictureOf(work)).map(([path, thing]) => [path, thing.replace(/ [\d.]+ /, ' ')]);
    const begin = async () => {
      work.git('update-ref', 'refs/heads/main', elsewhere);
      before = contents();
    };
    await expect(rebaseIn(work, { begin })).rejects.toMatchObject({ data: { why: 'not applied' } });
    const lockGone = (before as [string, string][]).filter(
      ([path]) => path !== 'own index.lock' && path !== 'common index.lock',
    );
    expect(contents()).toEqual(lockGone);
    expect(work.git('for-each-ref', 'refs/vibe-engine')).toBe('');
  });
});
