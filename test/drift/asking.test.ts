/** Asking upstream: it never prompts, never hangs, and says why it does not know. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { failureOf } from '../../src/drift/fetch.ts';
import { complaintOf } from '../../src/drift/git.ts';
import { tempDirs } from '../support/temp.ts';
import { type Clone, detectIn, groundAt, pictureOf, pushed, trackerOf } from './ground.ts';

const tempDir = tempDirs();
const undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.splice(0)) step();
});

function withEnv(values: Readonly<Record<string, string>>): void {
  const before = { ...process.env };
  undo.push(() => {
    for (const name of Object.keys(values)) delete process.env[name];
    Object.assign(process.env, before);
  });
  Object.assign(process.env, values);
}

function program(path: string, script: string): string {
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** An address where somebody answers like this. */
async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  undo.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.git`;
}

async function asked(work: Clone, url: string, fetch_timeout_ms = 20_000) {
  const known = await trackerOf(work);
  work.git('remote', 'set-url', 'origin', url);
  const before = pictureOf(work);
  const detection = await detectIn(work, known, { fetch_timeout_ms });
  expect(pictureOf(work)).toEqual(before);
  expect(detection.findings).toEqual([]);
  return detection.unknown;
}

describe('the answer is unknown', () => {
  test('when nobody listens', async () => {
    const { work } = groundAt(tempDir());
    expect(await asked(work, 'git://127.0.0.1:1/x.git')).toMatchObject({ reason: 'offline' });
    expect(await asked(work, join(work.dir, '../nowhere'))).toMatchObject({ reason: 'offline' });
  });

  test('when a name and a password are wanted, and nobody is asked for them', async () => {
    const { work } = groundAt(tempDir());
    const dir = tempDir();
    const askpass = program(join(dir, 'askpass'), `touch ${dir}/was-asked; echo secret`);
    withEnv({ GIT_ASKPASS: askpass, SSH_ASKPASS: askpass, DISPLAY: ':0' });
    work.git('config', 'core.askPass', askpass);
    const url = await served((_request, response) => {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    });
    expect(await asked(work, url)).toMatchObject({ reason: 'no credentials' });
    expect(existsSync(join(dir, 'was-asked'))).toBe(false);
  });

  test('when the time is up', async () => {
    const { work } = groundAt(tempDir());
    const url = await served(() => {}); // Never answers.
    expect(await asked(work, url, 300)).toMatchObject({ reason: 'timed out' });
  });

  test('when ssh would have to ask: it is told not to, regardless of who configured it', async () => {
    const { work } = groundAt(tempDir());
    const dir = tempDir();
    const ssh = program(
      join(dir, 'my ssh'),
      `echo "$@" >> ${dir}/called; (read answer < /dev/tty) 2>/dev/null && touch ${dir}/was-asked; echo "Host key verification failed." >&2; exit 255`,
    );
    work.git('config', 'core.sshCommand', `"${ssh}" -i "a key"`);
    expect(await asked(work, 'ssh://git@127.0.0.1:1/x.git')).toMatchObject({ reason: 'no credentials' });
    expect(readFileSync(join(dir, 'called'), 'utf8')).toMatch(/^-i a key -oBatchMode=yes .*git@127\.0\.0\.1/);
    withEnv({ GIT_SSH_COMMAND: `"${ssh}" --inherited` });
    await asked(work, 'ssh://git@127.0.0.1:1/y.git');
    expect(readFileSync(join(dir, 'called'), 'utf8')).toMatch(/^--inherited -oBatchMode=yes /m);
    expect(existsSync(join(dir, 'was-asked'))).toBe(false);
  });

  test('for whatever else git complains of, without secrets of the address', () => {
    const errors = "fatal: unable to access 'https://ada:secret@example.com/x.git/': something new\n";
    expect(failureOf({ errors: 'fatal: something new', timed_out: false })).toBe('fetch failed');
    expect(failureOf({ errors: '', timed_out: true })).toBe('timed out');
    expect(complaintOf({ errors, timed_out: false })).toBe(
      "unable to access 'https://example.com/x.git/': something new",
    );
  });
});

describe('the repository', () => {
  test('is the one of the directory, whatever variables the process has', async () => {
    const ground = groundAt(tempDir());
    const elsewhere = groundAt(tempDir());
    const known = await trackerOf(ground.work);
    const commit = pushed(ground, 'more', { 'b.txt': 'b\n' });
    const { dir } = elsewhere.work;
    withEnv({ GIT_DIR: join(dir, '.git'), GIT_WORK_TREE: dir, GIT_INDEX_FILE: join(dir, 'index') });
    expect((await detectIn(ground.work, known)).findings).toMatchObject([{ new_head: commit }]);
  });

  test('runs no hooks', async () => {
    const ground = groundAt(tempDir());
    const { work } = ground;
    const known = await trackerOf(work);
    pushed(ground, 'more', { 'a.txt': 'theirs\n' });
    work.put('a.txt', 'mine\n');
    const marker = join(work.dir, '../hook-ran');
    for (const name of ['reference-transaction', 'post-index-change', 'pre-auto-gc', 'fsmonitor-watchman'])
      program(join(work.dir, '.git/hooks', name), `touch ${marker}`);
    work.git('config', 'core.fsmonitor', '.git/hooks/fsmonitor-watchman');
    expect((await detectIn(work, known)).assessment!.level).toBe('high');
    expect(existsSync(marker)).toBe(false);
  });

  test('brings no tags, and leaves FETCH_HEAD to its user', async () => {
    const ground = groundAt(tempDir());
    const known = await trackerOf(ground.work);
    ground.work.git('fetch', '--quiet');
    const before = pictureOf(ground.work);
    pushed(ground, 'more', { 'b.txt': 'b\n' });
    ground.other.git('tag', 'v1');
    ground.other.git('push', '--quiet', 'origin', 'v1');
    expect((await detectIn(ground.work, known)).findings).toHaveLength(1);
    expect(pictureOf(ground.work)).toEqual(before);
  });
});

test('with nothing new it takes the fetch and two more processes', async () => {
  const { work } = groundAt(tempDir());
  work.put('a.txt', 'mine\n');
  work.put('new/file.txt', 'new\n');
  const known = await trackerOf(work);
  const dir = tempDir();
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  mkdirSync(join(dir, 'bin'));
  program(join(dir, 'bin/git'), `printf '%s\\n' "$*" >> ${dir}/called; exec ${real} "$@"`);
  withEnv({ PATH: `${join(dir, 'bin')}:${process.env.PATH}` });
  const detection = await detectIn(work, known, { own: async () => new Set(['a.txt', 'new/file.txt']) });
  expect(detection).toMatchObject({ findings: [], unknown: null });
  const called = readFileSync(join(dir, 'called'), 'utf8').trim().split('\n');
  const commands = called.map(
    (line) =>
      line
        .replaceAll(/(^| )-c \S+/g, '')
        .trim()
        .split(' ')[0],
  );
  expect(commands.sort()).toEqual(['fetch', 'for-each-ref', 'status']);
});

test('several who ask at once all get their answer', async () => {
  const ground = groundAt(tempDir());
  const known = await trackerOf(ground.work);
  const commit = pushed(ground, 'more', { 'b.txt': 'b\n' });
  const answers = await Promise.all(Array.from({ length: 6 }, () => detectIn(ground.work, known)));
  for (const { findings, unknown } of answers)
    expect([findings, unknown]).toMatchObject([[{ new_head: commit }], null]);
});
