/** Our reading of .gitignore against git's own. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseIgnoreFile } from '../../src/workspace/rules/gitignore.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const repository = tempDir();
execFileSync('git', ['init', '-q', repository]);
writeFileSync(join(repository, '.git/info/exclude'), '');
const DIRECTORIES = ['a', 'a/b', 'a/b/c', 'doc', 'doc/a', 'x y'];
for (const directory of DIRECTORIES) mkdirSync(join(repository, directory), { recursive: true });

const NAMES = [
  'a',
  'b',
  'ab',
  'abc',
  'a.txt',
  'b.txt',
  'a b',
  'a ',
  '#a',
  '!a',
  '[a]',
  'A',
  '-',
  ']',
  '\\',
  'a*',
  '1',
];
const PATHS = [
  ...DIRECTORIES,
  ...['', ...DIRECTORIES].flatMap((at) => NAMES.map((name) => (at ? `${at}/${name}` : name))),
];
const isDirectory = (path: string) => DIRECTORIES.includes(path);

/** Whether each path is ignored, by git. */
function byGit(text: string): Map<string, boolean> {
  writeFileSync(join(repository, '.gitignore'), text);
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  const args = ['check-ignore', '--no-index', '-z', '-v', '-n', '--stdin'];
  // Its status is 1 when nothing is ignored.
  const { stdout } = spawnSync('git', args, { cwd: repository, input: PATHS.join('\0'), env });
  const fields = stdout.toString().split('\0');
  const decided = new Map<string, boolean>();
  for (let at = 0; at + 3 < fields.length; at += 4) {
    const pattern = fields[at + 2]!;
    decided.set(fields[at + 3]!, pattern !== '' && !pattern.startsWith('!'));
  }
  return decided;
}

/** The same by ours: the path itself, unless a directory above it is ignored. */
function byUs(text: string): Map<string, boolean> {
  const patterns = parseIgnoreFile(text);
  const decide = (path: string): boolean => {
    const slash = path.lastIndexOf('/');
    if (slash > 0 && decide(path.slice(0, slash))) return true;
    return patterns.decide(path, isDirectory(path)) ?? false;
  };
  return new Map(PATHS.map((path) => [path, decide(path)]));
}

function differences(text: string): string[] {
  const theirs = byGit(text);
  return [...byUs(text)].filter(([path, ignored]) => ignored !== theirs.get(path)).map(([path]) => path);
}

describe('parseIgnoreFile', () => {
  test.each([
    'a',
    '/a',
    'a/',
    '*.txt\n!a.txt',
    'a/*\n!a/b',
    '**/a',
    'a/**',
    'a/**/c',
    'doc/**/a',
    '**',
    'a**c',
    '\\#a\n\\!a',
    '#a\n!a',
    'a\\ ',
    'a   ',
    '[ab]',
    '[!a]',
    '[^a]*',
    '[]]',
    '[a',
    'a\\',
    '[[:upper:]]\n[[:digit:]]',
    '[a-]',
    '\\[a\\]',
    'a\\*',
    '\\\\',
    'a b\r\nb\r\n',
    '\ufeffa',
    '?',
    '/',
    '!',
    'x*',
    'doc/a/',
    '/doc/*/a',
    '[a-*]',
    '[!a-*]',
    '[b-a]c',
  ])('means by %j what git means by it', (text) => {
    expect(differences(text)).toEqual([]);
  });

  test('means by any pattern what git means by it', () => {
    const token = fc.constantFrom(
      'a',
      'b',
      'c',
      '/',
      '*',
      '**',
      '**/',
      '/**',
      '?',
      '!',
      '[',
      ']',
      '-',
      '\\',
      ' ',
      '.txt',
      'A',
      '#',
    );
    const line = fc.array(token, { minLength: 1, maxLength: 6 }).map((tokens) => tokens.join(''));
    const text = fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, (given) => {
        expect(differences(given)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
