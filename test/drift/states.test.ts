/** The states a repository can be in: each is told for what it is, and none is changed by being looked at. */
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commitFiles } from '../../src/drift/commit.ts';
import type { Detection, DetectOptions } from '../../src/drift/detect.ts';
import type { VersionTracker } from '../../src/drift/tracker.ts';
import { tempDirs } from '../support/temp.ts';
import {
  type Clone,
  cloneAt,
  configured,
  detectIn,
  gitOf,
  groundAt,
  newClone,
  objectsOf,
  pictureOf,
  pushed,
  trackerOf,
} from './ground.ts';

const tempDir = tempDirs();

/** Looks, and sees to it that only a fetch could tell. */
async function lookedAt(
  work: Clone,
  known: VersionTracker,
  options: Partial<DetectOptions> = {},
): Promise<Detection> {
  const before = pictureOf(work);
  const detection = await detectIn(work, known, options);
  expect(pictureOf(work)).toEqual(before);
  return detection;
}

const typesOf = ({ findings }: Detection): string[] => findings.map(({ type }) => type);

describe('HEAD', () => {
  test('unborn: nothing can be said, and nothing is', async () => {
    const dir = tempDir();
    const { upstream } = groundAt(dir);
    mkdirSync(join(dir, 'unborn'));
    const work = cloneAt(join(dir, 'unborn'));
    work.git('init', '--quiet', '--initial-branch=main');
    work.git('remote', 'add', 'origin', upstream);
    work.put('a.txt', 'not committed\n');
    const known = await trackerOf(work);
    expect(known).toMatchObject({ started_at_commit: null, branch: 'main' });
    const detection = await lookedAt(work, known);
    expect(detection).toMatchObject({
      assessment: null,
      commits_behind: 0,
      sight: { head: null, branch: 'main' },
    });
    expect(detection.unknown!.reason).toBe('no upstream');
    configured(work).commit('first');
    expect(typesOf(await lookedAt(work, known))).toContain('head_moved');
  });

  test('detached: compared with the default branch of the remote', async () => {
    const ground = groundAt(tempDir());
    ground.work.git('checkout', '--quiet', '--detach');
    const known = await trackerOf(ground.work);
    expect(known).toMatchObject({ branch: null, upstream: { name: 'origin/main', by: 'default' } });
    pushed(ground, 'more', { 'a.txt': 'two\n' });
    ground.work.put('a.txt', 'mine\n');
    expect(await lookedAt(ground.work, known)).toMatchObject({
      commits_behind: 1,
      assessment: { level: 'high' },
    });
  });

  test('switched to another branch, and moved by others', async () => {
    const ground = groundAt(tempDir());
    const known = await trackerOf(ground.work);
    ground.work.git('switch', '-qc', 'other');
    expect((await lookedAt(ground.work, known)).findings).toEqual([
      { type: 'branch_switched', old_branch: 'main', new_branch: 'other' },
    ]);
    ground.work.git('switch', '-q', 'main');
    const old_head = known.current_head;
    const forward = ground.work.commit('by a person', { 'b.txt': 'b\n' });
    expect((await lookedAt(ground.work, known)).findings).toEqual([
      { type: 'head_moved', old_head, new_head: forward, how: 'forward' },
    ]);
    ground.work.git('commit', '-q', '--amend', '-m', 'amended');
    const amended = ground.work.git('rev-parse', 'HEAD');
    expect((await lookedAt(ground.work, { ...known, current_head: forward })).findings).toEqual([
      { type: 'head_moved', old_head: forward, new_head: amended, how: 'rewritten' },
    ]);
  });
});

describe('upstream', () => {
  test('none: no remote', async () => {
    const { work } = groundAt(tempDir());
    work.git('remote', 'remove', 'origin');
    const { unknown } = await lookedAt(work, await trackerOf(work));
    expect(unknown).toEqual({ reason: 'no upstream', detail: 'the repository has no remote' });
  });

  test('none: a branch that follows nothing is compared with the default branch', async () => {
    const ground = groundAt(tempDir());
    ground.work.git('switch', '-qc', 'feature', '--no-track');
    const known = await trackerOf(ground.work);
    expect(known.upstream).toMatchObject({ name: 'origin/main', by: 'default' });
    pushed(ground, 'more', { 'b.txt': 'b\n' });
    expect(await lookedAt(ground.work, known)).toMatchObject({ commits_behind: 1, unknown: null });
    // As soon as it follows one, that one counts.
    ground.work.git('push', '--quiet', '--set-upstream', 'origin', 'feature');
    expect((await lookedAt(ground.work, known)).sight!.upstream!.name).toBe('origin/feature');
  });

  test('several remotes: the one the branch follows, else the preferred one, else none', async () => {
    const dir = tempDir();
    const ground = groundAt(dir);
    const { work } = ground;
    work.git('clone', '--quiet', '--bare', ground.upstream, '../second.git');
    work.git('remote', 'add', 'second', '../second.git');
    work.git('fetch', '--quiet', 'second');
    work.git('branch', '--quiet', '--set-upstream-to=second/main');
    expect((await trackerOf(work)).upstream).toMatchObject({ remote: 'second', name: 'second/main' });
    work.git('branch', '--unset-upstream');
    expect((await trackerOf(work)).upstream).toMatchObject({ remote: 'origin', by: 'default' });
    work.git('config', 'remote.pushDefault', 'second');
    expect((await trackerOf(work)).upstream).toMatchObject({ remote: 'origin', by: 'default' });
    work.git('config', '--unset', 'remote.pushDefault');
    work.git('config', 'checkout.defaultRemote', 'second');
    expect((await trackerOf(work)).upstream).toMatchObject({ remote: 'second', by: 'default' });
    work.git('config', '--unset', 'checkout.defaultRemote');
    work.git('remote', 'rename', 'origin', 'first');
    expect((await lookedAt(work, await trackerOf(work))).unknown!.detail).toBe(
      'there are several remotes (first, second), and the branch follows none of them',
    );
    expect((await trackerOf(work, 'first/main')).upstream).toMatchObject({
      remote: 'first',
      name: 'first/main',
    });
  });

  test('another default branch, by origin/HEAD, whatever it is called', async () => {
    const ground = groundAt(tempDir(), { 'a.txt': 'one\n' }, 'entwicklung/wasser');
    ground.work.git('switch', '-qc', 'feature', '--no-track');
    const known = await trackerOf(ground.work);
    expect(known.upstream).toMatchObject({
      name: 'origin/entwicklung/wasser',
      remote_ref: 'refs/heads/entwicklung/wasser',
    });
    pushed(ground, 'more', { 'b.txt': 'b\n' });
    expect(await lookedAt(ground.work, known)).toMatchObject({ commits_behind: 1 });
  });

  test('a branch of the same repository', async () => {
    const { work } = groundAt(tempDir());
    work.git('switch', '-qc', 'feature', '--track', 'main');
    const known = await trackerOf(work);
    expect(known.upstream).toMatchObject({ remote: null, ref: 'refs/heads/main', name: 'main' });
    work.git(
      'update-ref',
      'refs/heads/main',
      work.git('commit-tree', '-p', 'main', '-m', 'x', 'main^{tree}'),
    );
    expect(await lookedAt(work, known)).toMatchObject({ commits_behind: 1, assessment: { level: 'low' } });
  });

  test('an address that no refspec covers goes to a ref of our own', async () => {
    const ground = groundAt(tempDir());
    ground.work.git('config', 'branch.main.remote', ground.upstream);
    const known = await trackerOf(ground.work);
    expect(known).toMatchObject({ upstream_head: null });
    expect(known.upstream!.ref).toMatch(/^refs\/vibe-engine\/upstream\//);
    pushed(ground, 'more', { 'b.txt': 'b\n' });
    expect(await lookedAt(ground.work, known)).toMatchObject({ unknown: null, commits_behind: 1 });
  });

  test("a refspec that leads to one's own branches is not followed there", async () => {
    const ground = groundAt(tempDir());
    const { work } = ground;
    work.git('config', 'remote.origin.fetch', 'refs/heads/*:refs/heads/*');
    work.commit('not pushed yet', { 'b.txt': 'b\n' });
    work.git('switch', '-qc', 'feature', 'HEAD^');
    work.git('config', 'branch.feature.remote', 'origin');
    work.git('config', 'branch.feature.merge', 'refs/heads/main');
    const known = await trackerOf(work);
    pushed(ground, 'more', { 'c.txt': 'c\n' });
    expect(await lookedAt(work, known)).toMatchObject({ commits_behind: 1, unknown: null });
  });

  test('gone', async () => {
    const ground = groundAt(tempDir());
    const known = await trackerOf(ground.work);
    cloneAt(ground.upstream).git('branch', '-m', 'main', 'renamed');
    expect((await lookedAt(ground.work, known)).unknown!.reason).toBe('branch gone');
  });

  test('rewritten by a force push: what vanished, and where it still is', async () => {
    const ground = groundAt(tempDir());
    const { work, other } = ground;
    const lost = pushed(ground, 'lost', { 'lost.txt': 'lost\n' });
    work.git('pull', '--quiet');
    work.git('tag', 'release');
    const known = await trackerOf(work);
    other.git('reset', '--quiet', '--hard', 'HEAD^');
    other.commit('instead', { 'instead.txt': 'instead\n' });
    other.git('push', '--quiet', '--force', 'origin', 'HEAD');
    const { findings, assessment, commits_behind } = await lookedAt(work, known);
    expect(findings).toMatchObject([
      { type: 'force_push', old_head: lost, in_step: false, vanished: [{ id: lost, subject: 'lost' }] },
    ]);
    expect(findings[0]).toHaveProperty('still_in');
    const { still_in } = findings[0] as { still_in: readonly string[] };
    expect(still_in).toEqual([
      'refs/heads/main',
      'refs/tags/release',
      `refs/vibe-engine/kept/${lost}`,
      'origin/main@{1}',
    ]);
    expect(commits_behind).toBe(1);
    expect(assessment).toMatchObject({ level: 'high', why: ['history rewritten'], files: [] });
  });

  test('rewritten by the user who works here, and in step with it: no reason to worry', async () => {
    const ground = groundAt(tempDir());
    const { work } = ground;
    work.commit('mine', { 'b.txt': 'b\n' });
    work.git('push', '--quiet');
    const known = await trackerOf(work);
    work.git('commit', '-q', '--amend', '-m', 'amended');
    work.git('push', '--quiet', '--force');
    const detection = await lookedAt(work, known);
    expect(detection.findings).toMatchObject([
      { type: 'head_moved', how: 'rewritten' },
      { type: 'force_push', in_step: true },
    ]);
    expect(detection).toMatchObject({ assessment: null, commits_behind: 0 });
  });

  test('with no history in common any more', async () => {
    const ground = groundAt(tempDir());
    const known = await trackerOf(ground.work);
    ground.other.git('switch', '--quiet', '--orphan', 'anew');
    ground.other.commit('anew', { 'a.txt': 'anew\n' });
    ground.other.git('push', '--quiet', '--force', 'origin', 'HEAD:main');
    expect(await lookedAt(ground.work, known)).toMatchObject({
      findings: [{ type: 'force_push' }],
      assessment: { level: 'high', why: ['history rewritten', 'no history in common'] },
    });
  });

  test('squash-merged: what came back is what was sent', async () => {
    const ground = groundAt(tempDir());
    const { work, other } = ground;
    work.commit('one', { 'b.txt': 'b\n' });
    work.commit('two', { 'a.txt': 'two\n' });
    const known = await trackerOf(work);
    other.git('fetch', '--quiet', work.dir, 'main');
    other.git('merge', '--quiet', '--squash', 'FETCH_HEAD');
    other.git('commit', '--quiet', '-m', 'squashed');
    other.git('push', '--quiet', 'origin', 'HEAD');
    expect(await lookedAt(work, known)).toMatchObject({
      commits_behind: 1,
      assessment: { level: 'low', files: [] },
    });
  });

  test.each([
    ['what nobody else touched', 'ours\n', 'ours\n', 'low'],
    ['the same lines', 'ours again\n', 'not ours\n', 'high'],
  ])('criss-cross, changing %s', async (_what, mine, their, level) => {
    const ground = groundAt(tempDir(), { 'a.txt': '1\n', 'b.txt': '2\n' });
    const { work, other } = ground;
    const ours = work.commit('ours', { 'a.txt': 'ours\n' });
    const theirs = other.commit('theirs', { 'b.txt': 'theirs\n' });
    other.git('fetch', '--quiet', work.dir, 'main');
    work.git('fetch', '--quiet', other.dir, 'main');
    other.git('merge', '--quiet', '--no-edit', ours);
    work.git('merge', '--quiet', '--no-edit', theirs);
    other.git('push', '--quiet', 'origin', 'HEAD');
    const known = await trackerOf(work);
    pushed(ground, 'more of theirs', { 'a.txt': their, 'c.txt': 'c\n' });
    work.put('a.txt', mine);
    expect((await lookedAt(work, known)).assessment!.level).toBe(level);
    expect(work.git('merge-base', '--all', 'HEAD', 'origin/main').split('\n')).toHaveLength(2);
  });
});

describe('the clone', () => {
  test('shallow: a branch that moved on is told from one that was rewritten', async () => {
    const dir = tempDir();
    const ground = groundAt(dir);
    for (const n of [1, 2, 3, 4, 5]) pushed(ground, `commit ${n}`, { 'a.txt': `${n}\n` });
    const url = `file://${ground.upstream}`;
    const forward = newClone(dir, 'forward', url, '--depth=1');
    const known = await trackerOf(forward);
    pushed(ground, 'more', { 'b.txt': 'b\n' });
    forward.git('fetch', '--quiet', '--depth=1');
    // Now the clone knows of no connection between the two.
    expect(forward.tries('merge-base', '--is-ancestor', known.upstream_head!, 'origin/main')).toBe(false);
    expect(await lookedAt(forward, known)).toMatchObject({
      unknown: null,
      findings: [{ type: 'upstream_change', commits_behind: 1 }],
      assessment: { level: 'low' },
    });
    const rewritten = newClone(dir, 'rewritten', url, '--depth=1');
    const before = await trackerOf(rewritten);
    ground.other.git('reset', '--quiet', '--hard', 'HEAD~2');
    ground.other.commit('instead', { 'c.txt': 'c\n' });
    ground.other.git('push', '--quiet', '--force', 'origin', 'HEAD');
    expect(await lookedAt(rewritten, before)).toMatchObject({ findings: [{ type: 'force_push' }] });
  });

  test('shallow, and out of reach: unknown', async () => {
    const dir = tempDir();
    const ground = groundAt(dir);
    for (const n of [1, 2, 3]) pushed(ground, `commit ${n}`, { 'a.txt': `${n}\n` });
    const work = newClone(dir, 'shallow', `file://${ground.upstream}`, '--depth=1');
    const known = await trackerOf(work);
    pushed(ground, 'more', { 'b.txt': 'b\n' });
    work.git('fetch', '--quiet', '--depth=1');
    work.git('remote', 'set-url', 'origin', join(dir, 'nowhere'));
    expect(await lookedAt(work, known)).toMatchObject({
      findings: [],
      unknown: { reason: 'history unknown' },
    });
  });

  test('partial: blobs that it lacks are asked for aside', async () => {
    const dir = tempDir();
    const ground = groundAt(dir, { 'a.txt': 'one\n', 'b.txt': 'one\n' });
    cloneAt(ground.upstream).git('config', 'uploadpack.allowFilter', 'true');
    cloneAt(ground.upstream).git('config', 'uploadpack.allowAnySHA1InWant', 'true');
    const work = newClone(dir, 'partial', `file://${ground.upstream}`, '--filter=blob:none');
    const known = await trackerOf(work);
    work.put('a.txt', 'mine\n');
    pushed(ground, 'more', { 'a.txt': 'theirs\n' });
    expect(await lookedAt(work, known)).toMatchObject({ unknown: null, assessment: { level: 'high' } });
    expect(work.git('rev-list', '--objects', '--missing=print', 'origin/main')).toMatch(/^\?/m);
  });

  test('treeless: the same', async () => {
    const dir = tempDir();
    const ground = groundAt(dir, { 'sub/a.txt': 'one\n', 'b.txt': 'one\n' });
    cloneAt(ground.upstream).git('config', 'uploadpack.allowFilter', 'true');
    cloneAt(ground.upstream).git('config', 'uploadpack.allowAnySHA1InWant', 'true');
    const work = newClone(dir, 'partial', `file://${ground.upstream}`, '--filter=tree:0');
    const known = await trackerOf(work);
    work.put('sub/a.txt', 'mine\n');
    pushed(ground, 'more', { 'sub/a.txt': 'theirs\n' });
    expect(await lookedAt(work, known)).toMatchObject({ unknown: null, assessment: { level: 'high' } });
  });

  test('partial, and upstream does not give what it lacks: not fetched, and what to type', async () => {
    const dir = tempDir();
    const ground = groundAt(dir, { 'a.txt': 'one\n' });
    cloneAt(ground.upstream).git('config', 'uploadpack.allowFilter', 'true');
    const work = newClone(dir, 'partial', `file://${ground.upstream}`, '--filter=blob:none');
    const known = await trackerOf(work);
    work.put('a.txt', 'mine\n');
    pushed(ground, 'more', { 'a.txt': 'theirs\n' });
    work.git('fetch', '--quiet');
    work.git('remote', 'set-url', 'origin', join(dir, 'nowhere'));
    const { unknown, assessment } = await lookedAt(work, known);
    expect({ unknown, assessment }).toMatchObject({ unknown: { reason: 'not fetched' }, assessment: null });
    expect(unknown!.detail).toMatch(/git fetch --refetch --no-filter origin$/);
    // As it says.
    work.git('remote', 'set-url', 'origin', `file://${ground.upstream}`);
    work.git('-c', 'maintenance.auto=false', ...unknown!.detail.split('To fetch them: git ')[1]!.split(' '));
    work.git('remote', 'set-url', 'origin', join(dir, 'nowhere'));
    expect(await lookedAt(work, known)).toMatchObject({ assessment: { level: 'high' } });
  });

  test('a linked worktree: its own HEAD, the shared refs', async () => {
    const ground = groundAt(tempDir());
    const { work } = ground;
    work.git('worktree', 'add', '--quiet', '-b', 'second', '../linked', 'main');
    work.git('branch', '--quiet', '--set-upstream-to=origin/main', 'second');
    const linked = cloneAt(join(work.dir, '../linked'));
    const known = await trackerOf(linked);
    expect(known).toMatchObject({ branch: 'second', upstream: { name: 'origin/main' } });
    linked.put('a.txt', 'mine\n');
    pushed(ground, 'more', { 'a.txt': 'theirs\n' });
    const main = pictureOf(work);
    expect(await lookedAt(linked, known)).toMatchObject({
      sight: { linked: true },
      assessment: { level: 'high' },
    });
    expect(pictureOf(work)).toEqual(main);
  });

  test('a workspace below the top', async () => {
    const ground = groundAt(tempDir(), { 'sub/a.txt': 'one\n', 'b.txt': 'one\n' });
    const below = cloneAt(join(ground.work.dir, 'sub'));
    const known = await trackerOf(below);
    below.put('a.txt', 'mine\n');
    ground.work.put('b.txt', 'mine\n');
    pushed(ground, 'more', { 'sub/a.txt': 'theirs\n' });
    const own = async () => new Set(['sub/a.txt']);
    const { assessment, others } = await lookedAt(below, known, { own });
    expect(assessment!.files.map(({ path }) => path)).toEqual(['sub/a.txt']);
    expect(others).toEqual(['b.txt']);
  });

  test('sparse: what is not checked out counts as it is', async () => {
    const ground = groundAt(tempDir(), { 'in/a.txt': 'one\n', 'out/b.txt': 'one\n' });
    ground.work.git('sparse-checkout', 'set', 'in');
    const known = await trackerOf(ground.work);
    ground.work.put('in/a.txt', 'mine\n');
    pushed(ground, 'more', { 'out/b.txt': 'theirs\n' });
    expect((await lookedAt(ground.work, known)).assessment).toMatchObject({ level: 'low', files: [] });
    ground.work.put('out/b.txt', 'mine, though it is not checked out\n');
    expect((await lookedAt(ground.work, known)).assessment!.level).toBe('high');
    ground.work.remove('out');
    ground.work.put('out', 'a file in the place of a directory\n');
    expect((await lookedAt(ground.work, known)).unknown).toBeNull();
  });

  test('with a split index', async () => {
    const ground = groundAt(tempDir());
    ground.work.git('update-index', '--split-index');
    const known = await trackerOf(ground.work);
    ground.work.put('a.txt', 'mine\n');
    ground.work.put('new.txt', 'new\n');
    pushed(ground, 'more', { 'a.txt': 'theirs\n' });
    expect((await lookedAt(ground.work, known)).assessment!.level).toBe('high');
  });

  test('with objects borrowed from another', async () => {
    const dir = tempDir();
    const ground = groundAt(dir);
    const work = newClone(dir, 'borrowing', ground.upstream, '--shared');
    const known = await trackerOf(work);
    work.put('a.txt', 'mine\n');
    pushed(ground, 'more', { 'a.txt': 'theirs\n' });
    expect((await lookedAt(work, known)).assessment!.level).toBe('high');
  });
});

describe('the worktree', () => {
  test('merge in progress: said, and high while a conflict is open', async () => {
    const ground = groundAt(tempDir());
    const { work } = ground;
    work.git('switch', '-qc', 'side');
    work.commit('side', { 'a.txt': 'side\n' });
    work.git('switch', '-q', 'main');
    work.commit('main', { 'a.txt': 'main\n' });
    work.tries('merge', 'side');
    const known = await trackerOf(work);
    pushed(ground, 'more', { 'b.txt': 'b\n' });
    expect(await lookedAt(work, known)).toMatchObject({
      sight: { operation: 'merge' },
      assessment: { level: 'high', why: ['unsettled conflict'] },
    });
    work.put('a.txt', 'settled\n');
    work.git('add', 'a.txt');
    expect(await lookedAt(work, known)).toMatchObject({
      sight: { operation: 'merge' },
      assessment: { level: 'low' },
    });
  });

  test('rebase in progress: said', async () => {
    const ground = groundAt(tempDir());
    const { work } = ground;
    work.git('switch', '-qc', 'side');
    work.commit('side', { 'a.txt': 'side\n' });
    work.git('switch', '-q', 'main');
    work.commit('main', { 'a.txt': 'main\n' });
    const known = await trackerOf(work);
    work.tries('rebase', 'side');
    const detection = await lookedAt(work, known);
    expect(detection.sight).toMatchObject({ operation: 'rebase', branch: null });
    expect(typesOf(detection)).toContain('branch_switched');
  });

  test('submodule: high when both sides moved it', async () => {
    const dir = tempDir();
    const library = groundAt(join(dir, 'library'));
    const ground = groundAt(join(dir, 'project'));
    const { work, other } = ground;
    other.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.upstream, 'lib');
    pushed(ground, 'with a library', {});
    work.git('pull', '--quiet');
    work.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init');
    const known = await trackerOf(work);
    const at = (clone: Clone, message: string) =>
      configured(cloneAt(join(clone.dir, 'lib'))).commit(message, { 'x.txt': message });
    at(work, 'here');
    expect((await lookedAt(work, known)).others).toEqual(['lib']);
    at(other, 'there');
    pushed(ground, 'moved the library', {});
    const submodule = pictureOf(cloneAt(join(work.dir, 'lib')));
    expect((await lookedAt(work, known)).assessment).toMatchObject({
      level: 'high',
      files: [{ path: 'lib' }],
    });
    expect(pictureOf(cloneAt(join(work.dir, 'lib')))).toEqual(submodule);
  });

  test('repositories inside it, one without commits, stay out of it', async () => {
    const ground = groundAt(tempDir());
    const { work } = ground;
    for (const name of ['empty', 'full']) {
      mkdirSync(join(work.dir, name));
      configured(initialised(cloneAt(join(work.dir, name))));
    }
    cloneAt(join(work.dir, 'full')).commit('inside', { 'x.txt': 'x\n' });
    const known = await trackerOf(work);
    work.put('a.txt', 'mine\n');
    pushed(ground, 'more', { 'a.txt': 'theirs\n' });
    expect((await lookedAt(work, known)).assessment!.level).toBe('high');
  });

  test.each([
    ['by attribute', { '.gitattributes': '*.txt text eol=crlf\n' }, {}],
    ['by setting', {}, { 'core.autocrlf': 'true', 'core.safecrlf': 'true' }],
  ])('CRLF %s: line endings alone are no change', async (_how, files, settings) => {
    const ground = groundAt(tempDir(), { 'a.txt': 'one\ntwo\n', ...files });
    const { work } = ground;
    for (const [name, value] of Object.entries(settings)) work.git('config', name, value);
    const known = await trackerOf(work);
    work.put('a.txt', 'one\r\ntwo\r\n');
    work.put('b.txt', 'mixed\r\nendings\n');
    pushed(ground, 'more', { 'a.txt': 'one\nTWO\n' });
    expect((await lookedAt(work, known)).assessment).toMatchObject({ level: 'low', files: [] });
    work.put('a.txt', 'one\r\nmine\r\n');
    expect((await lookedAt(work, known)).assessment!.level).toBe('high');
  });

  test('BOM, no newline at the end, a binary file, a mode: each counts as a change', async () => {
    const ground = groundAt(tempDir(), {
      bom: 'one\n',
      end: 'one\n',
      bin: 'one\0',
      mode: 'one\n',
      'mode-2': 'one\n',
    });
    const { work, other } = ground;
    const known = await trackerOf(work);
    work.put('bom', '\ufeffone\n');
    work.put('end', 'one');
    work.put('bin', 'two\0');
    chmodSync(join(work.dir, 'mode'), 0o755);
    chmodSync(join(work.dir, 'mode-2'), 0o755);
    chmodSync(join(other.dir, 'mode-2'), 0o755);
    pushed(ground, 'more', { bom: 'ONE\n', end: 'ONE\n', bin: 'three\0', mode: 'ONE\n' });
    const { assessment } = await lookedAt(work, known);
    expect(assessment!.files.map(({ path, level }) => [path, level])).toEqual([
      ['bin', 'high'],
      ['bom', 'high'],
      ['end', 'high'],
      ['mode', 'medium'],
    ]);
  });

  test('a file that git keeps elsewhere (LFS): its filter stores nothing', async () => {
    const ground = groundAt(tempDir(), {
      '.gitattributes': '*.big filter=lfs\n',
      'a.big': 'version https://git-lfs\n',
    });
    const { work } = ground;
    work.git('config', 'filter.lfs.required', 'true');
    work.git('config', 'filter.lfs.smudge', 'cat');
    work.git('config', 'filter.lfs.clean', 'tee -a ../lfs-store | head -c 20');
    const known = await trackerOf(work);
    work.put('b.big', 'large and new\n');
    work.put('../lfs-store', '');
    pushed(ground, 'more', { 'b.txt': 'b\n' });
    expect((await lookedAt(work, known)).assessment!.level).toBe('low');
    expect(work.read('../lfs-store')).not.toContain('large and new');
  });

  test('a large file that is not tracked is not copied, and counts all the same', async () => {
    const ground = groundAt(tempDir());
    const { work } = ground;
    const known = await trackerOf(work);
    for (const name of ['mine.img', 'both.img']) {
      work.put(name, '');
      truncateSync(join(work.dir, name), 40 * 1024 * 1024);
    }
    pushed(ground, 'more', { 'both.img': 'small\n' });
    const { assessment } = await lookedAt(work, known);
    expect(assessment!.files.map(({ path, level }) => [path, level])).toEqual([['both.img', 'high']]);
  });

  test('links, odd names and directories in the place of files', async () => {
    const ground = groundAt(tempDir(), { 'a.txt': 'one\n', 'dir/b.txt': 'one\n' });
    const { work } = ground;
    const known = await trackerOf(work);
    work.remove('dir');
    work.put('dir', 'a file now\n');
    symlinkSync('a.txt', join(work.dir, 'link'));
    work.put('name with "quotes" and\ttab\nand newline', 'odd\n');
    writeFileSync(
      Buffer.concat([Buffer.from(`${work.dir}/`), Buffer.from([0x66, 0xff, 0xfe])]),
      'no UTF-8\n',
    );
    work.put('*[glob]', 'odd\n');
    pushed(ground, 'more', {
      'dir/b.txt': 'theirs\n',
      'name with "quotes" and\ttab\nand newline': 'theirs\n',
    });
    const { assessment, unknown } = await lookedAt(work, known);
    expect(unknown).toBeNull();
    expect(assessment!.level).toBe('high');
    expect(assessment!.files.map(({ path }) => path)).toContain('name with "quotes" and\ttab\nand newline');
  });

  test('no repository, and one that git refuses to read', async () => {
    const { work } = groundAt(tempDir());
    const known = await trackerOf(work);
    work.put('.git/config', '[core\n');
    const detection = await detectIn(work, known);
    expect(detection).toMatchObject({ sight: null, findings: [], unknown: { reason: 'git refuses' } });
  });

  test('one that is broken, inside another, which is not taken for it', async () => {
    const around = groundAt(tempDir());
    const { work } = groundAt(join(around.work.dir, 'inside'));
    const known = await trackerOf(work);
    work.put('.git/HEAD', 'broken');
    work.put('a.txt', 'two\n');
    pushed(around, 'more', { 'b.txt': 'b\n' });
    const before = pictureOf(around.work);
    expect(await detectIn(work, known)).toMatchObject({ sight: null, unknown: { reason: 'git refuses' } });
    const commit = commitFiles(gitOf(work), {
      files: ['a.txt'],
      message: 'x',
      trailers: [],
      leftInIndex: () => {},
    });
    await expect(commit).rejects.toMatchObject({ code: 'COMMIT_REFUSED' });
    expect(pictureOf(around.work)).toEqual(before);
  });
});

describe('nothing new', () => {
  test('costs no object, and leaves refs of our own alone', async () => {
    const { work } = groundAt(tempDir());
    work.put('a.txt', 'mine\n');
    work.put('new.txt', 'new\n');
    const known = await trackerOf(work);
    const before = objectsOf(work);
    const own = async () => new Set(['a.txt', 'new.txt']);
    expect(await lookedAt(work, known, { own })).toMatchObject({
      findings: [],
      assessment: null,
      unknown: null,
    });
    expect(objectsOf(work)).toBe(before);
    expect(work.git('for-each-ref', 'refs/vibe-engine')).toBe('');
  });
});

function initialised(clone: Clone): Clone {
  clone.git('init', '--quiet');
  return clone;
}
