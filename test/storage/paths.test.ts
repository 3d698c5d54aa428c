import { expect, test } from 'vitest';
import { expandPath, jsonPath, sqlitePath } from '../../src/storage/paths.ts';

const place = { project_dir: '/work/shop', home: '/home/ada' };

test.each([
  [{ base_dir: null, path: null }, '/work/shop/.vibe-engine', '/work/shop/.vibe-engine/persistence.db'],
  [
    { base_dir: '~/.cache/vibe-engine', path: null },
    '/home/ada/.cache/vibe-engine/shop/persistence',
    '/home/ada/.cache/vibe-engine/shop/persistence.db',
  ],
  [
    { base_dir: 'cache', path: null },
    '/work/shop/cache/shop/persistence',
    '/work/shop/cache/shop/persistence.db',
  ],
  [{ base_dir: '/ignored', path: 'here' }, '/work/shop/here', '/work/shop/here'],
  [{ base_dir: null, path: '~/there' }, '/home/ada/there', '/home/ada/there'],
])('%j puts the JSON store at %s and the SQLite store at %s', (settings, json, sqlite) => {
  expect(jsonPath(settings, place).path).toBe(json);
  expect(sqlitePath(settings, place).path).toBe(sqlite);
});

test('a place that the user named is not ours to keep out of git', () => {
  expect(jsonPath({ base_dir: null, path: '.' }, place).own_dir).toBe(null);
  expect(sqlitePath({ base_dir: null, path: 'x.db' }, place).own_dir).toBe(null);
  expect(sqlitePath({ base_dir: null, path: null }, place).own_dir).toBe('/work/shop/.vibe-engine');
});

test('a project at the root of the file system has a name too', () => {
  expect(jsonPath({ base_dir: '/b', path: null }, { ...place, project_dir: '/' }).path).toBe(
    '/b/root/persistence',
  );
});

test('only a leading ~ is the home directory', () => {
  expect(expandPath('~', place)).toBe('/home/ada');
  expect(expandPath('~other/x', place)).toBe('/work/shop/~other/x');
  expect(expandPath('a/~', place)).toBe('/work/shop/a/~');
});
