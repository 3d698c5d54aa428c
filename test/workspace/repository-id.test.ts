import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryId, serverAddress } from '../../src/workspace/git/repository-id.ts';
import { tempDirs } from '../support/temp.ts';
import { git, put } from './ground.ts';

const tempDir = tempDirs();

test.each([
  'https://example.org/team/project.git',
  'https://user:secret@example.org/team/project',
  'https://EXAMPLE.org:8443/Team/Project.git/',
  'ssh://git@example.org:2222/team/project.git',
  'git://example.org/team/project',
  'git@example.org:team/project.git',
  'example.org:team/project',
  'git@example.org:/team/project',
])('%s is one and the same', (url) => {
  expect(serverAddress(url)).toBe('example.org/team/project');
});

test.each([
  '/srv/git/project.git',
  '../project',
  'file:///srv/git/project.git',
  'C:\\\\git\\\\project',
  'C:/git/project',
  '',
  'https://example.org/',
])('%j names no server', (url) => {
  expect(serverAddress(url)).toBeNull();
});

test('other projects and other servers have other addresses', () => {
  const urls = [
    'https://a.org/x',
    'https://a.org/y',
    'https://b.org/x',
    'ssh://[::1]/x',
    'https://a.org/x/x',
  ];
  expect(new Set(urls.map(serverAddress)).size).toBe(urls.length);
});

test('a repository is known by its remote, else by its first commits, else not at all', async () => {
  const [plain, root] = [tempDir(), tempDir()];
  expect(await repositoryId(plain)).toBeNull();
  git(root, 'init', '-q');
  expect(await repositoryId(root)).toBeNull();
  put(root, 'src/a', 'a');
  git(root, 'add', '-A');
  git(root, 'commit', '-q', '-m', 'one');
  const first = git(root, 'rev-parse', 'HEAD');
  git(root, 'commit', '-q', '--allow-empty', '-m', 'two');
  expect(await repositoryId(root)).toEqual({ id: first, prefix: '' });
  expect(await repositoryId(join(root, 'src'))).toEqual({ id: first, prefix: 'src/' });
  const clone = join(tempDir(), 'clone');
  git(root, 'clone', '-q', root, clone);
  expect(await repositoryId(clone)).toEqual({ id: first, prefix: '' });
  const shallow = join(tempDir(), 'shallow');
  git(root, 'clone', '-q', '--depth=1', `file://${root}`, shallow);
  expect(await repositoryId(shallow)).toBeNull();
  git(shallow, 'remote', 'set-url', 'origin', 'git@example.org:team/project.git');
  expect(await repositoryId(shallow)).toEqual({ id: 'example.org/team/project', prefix: '' });
  git(clone, 'remote', 'rename', 'origin', 'other');
  git(clone, 'remote', 'add', 'origin', 'https://example.org/team/project');
  expect(await repositoryId(clone)).toMatchObject({ id: 'example.org/team/project' });
});
