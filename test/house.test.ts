/** The rules of the house, as ARCHITECTURE.md and CONTRIBUTING.md state them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT, roomOf, type Source, sourcesIn } from './house/sources.ts';

/** A room imports from rooms before it; rooms of one line never from each other. */
const RANKS = [
  ['errors', 'phrase'],
  ['system'],
  ['config'],
  ['task'],
  ['storage', 'merge'],
  ['workspace', 'drift'],
  ['checkpoint'],
  ['engine'],
  ['verbs'],
  ['index', 'postgres'],
  ['integrations', 'dashboard'],
  ['cli'],
];

/** Longer than 300 lines, with the reason. */
const LONG_FILES: Readonly<Record<string, string>> = {};

/** Modules that reach outside the process, and who besides src/system/ may use them. */
const EFFECTS: Readonly<Record<string, readonly string[]>> = {
  'node:fs': [],
  'node:fs/promises': [],
  'node:child_process': [],
  'node:worker_threads': [],
  'node:net': [],
  'node:http': [],
  'node:https': [],
  'node:sqlite': ['src/storage/sqlite/'],
  pg: ['src/storage/postgres/'],
};

const sources = sourcesIn('src');
const byPath = new Map(sources.map((source) => [source.path, source]));

describe('imports', () => {
  test('are seen', () => {
    expect(everyImport()).toContainEqual(['src/storage/factory.ts', 'src/storage/postgres/open.ts']);
    expect(everyImport()).toContainEqual(['src/index.ts', 'src/errors.ts']);
    expect(byPath.get('src/system/io.ts')!.packages).toEqual(['node:fs']);
  });

  test('every file lies in a room that has a rank', () => {
    const rooms = RANKS.flat();
    expect(sources.filter(({ path }) => !rooms.includes(roomOf(path))).map(({ path }) => path)).toEqual([]);
  });

  test('go only to rooms of a lower rank', () => {
    const rank = (path: string) => RANKS.findIndex((rooms) => rooms.includes(roomOf(path)));
    const wrong = everyImport().filter(
      ([from, to]) => roomOf(from) !== roomOf(to) && !(rank(to) < rank(from)),
    );
    expect(wrong).toEqual([]);
  });

  test('name files that exist', () => {
    expect(everyImport().filter(([, to]) => !byPath.has(to))).toEqual([]);
  });

  test('never lead from one back end to another', () => {
    const backEnd = (path: string) => /^src\/storage\/([^/]+)\//.exec(path)?.[1];
    const wrong = everyImport().filter(
      ([from, to]) => backEnd(from) && backEnd(to) && backEnd(from) !== backEnd(to),
    );
    expect(wrong).toEqual([]);
  });

  test('make no cycle', () => {
    expect(findCycle()).toEqual([]);
  });

  test('name only packages that package.json promises to users', () => {
    const manifest = readManifest();
    const promised = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    const wrong = sources.flatMap(({ path, packages }) =>
      packages
        .filter((name) => !name.startsWith('node:') && !promised.includes(name))
        .map((name) => [path, name]),
    );
    expect(wrong).toEqual([]);
  });
});

describe('effects', () => {
  test('only src/system/ reaches outside, but for the drivers of the back ends', () => {
    const wrong = sources.flatMap(({ path, packages }) =>
      packages.filter((name) => !mayUse(path, name)).map((name) => [path, name]),
    );
    expect(wrong).toEqual([]);
  });

  test('only src/cli/ prints, reads arguments or ends the process', () => {
    expect(
      uses(/\bconsole\s*\.|\bprocess\s*\.\s*(stdout|stderr|stdin|argv|exit|exitCode)\b/, 'src/cli/'),
    ).toEqual([]);
  });

  test('only src/system/git/git.ts starts git', () => {
    const starts = /\b(?:spawn|spawnSync|exec\w*|fork|runProgram|runAttached)\s*\(\s*\[?\s*['"`]git\b/;
    expect(uses(starts, 'src/system/git/git.ts')).toEqual([]);
    expect(uses(starts, 'nowhere')).toEqual(['src/system/git/git.ts']);
  });

  test('only src/system/ sends signals', () => {
    expect(uses(/\bprocess\s*\.\s*kill\b/, 'src/system/')).toEqual([]);
  });
});

describe('sources', () => {
  test('are of at most 300 lines, or say here why not', () => {
    const long = sources.filter(({ text }) => text.split('\n').length > 301).map(({ path }) => path);
    expect(long).toEqual(Object.keys(LONG_FILES));
  });

  test('hide nothing from the compiler and leave nothing undone', () => {
    const marks = /@ts-ignore|@ts-expect-error|@ts-nocheck|noExplicitAny|\bTODO\b|\bFIXME\b/; // the linter refuses any
    const wrong = [...sources, ...sourcesIn('test'), ...sourcesIn('bench')]
      .filter(({ path, text }) => path !== 'test/house.test.ts' && marks.test(text))
      .map(({ path }) => path);
    expect(wrong).toEqual([]);
  });
});

describe('papers', () => {
  test('every dependency has its reason in ARCHITECTURE.md', () => {
    const file = join(ROOT, 'ARCHITECTURE.md');
    if (!existsSync(file)) return;
    const lines = readFileSync(file, 'utf8').split('\n');
    const { dependencies, peerDependencies, devDependencies } = readManifest();
    const names = Object.keys({ ...dependencies, ...peerDependencies, ...devDependencies });
    const mentioned = (name: string) => lines.some((line) => line.includes(`\`${name}\``));
    expect(names.filter((name) => !mentioned(name))).toEqual([]);
  });

  test(".ci/run is the README's test command and nothing else", () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
    const script = readFileSync(join(ROOT, '.ci/run'), 'utf8');
    const commands = script.split('\n').filter((line) => line !== '' && !/^#|^set /.test(line));
    expect(commands).toEqual(['npm ci && npm test']);
    expect(readme.split('\n').map((line) => line.trim())).toContain(commands[0]);
  });
});

function everyImport(): [from: string, to: string][] {
  return sources.flatMap(({ path, imports }) => imports.map((to): [string, string] => [path, to]));
}

/** The files of some cycle in order, or none. */
function findCycle(): string[] {
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (path: string): string[] => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return [];
    trail.push(path);
    for (const next of byPath.get(path)?.imports ?? []) {
      const cycle = visit(next);
      if (cycle.length > 0) return cycle;
    }
    trail.pop();
    done.add(path);
    return [];
  };
  return sources.map(({ path }) => visit(path)).find((cycle) => cycle.length > 0) ?? [];
}

function mayUse(path: string, name: string): boolean {
  const others = EFFECTS[name];
  return !others || path.startsWith('src/system/') || others.some((prefix) => path.startsWith(prefix));
}

function uses(pattern: RegExp, except: string): string[] {
  return sources
    .filter(({ path, code }: Source) => !path.startsWith(except) && pattern.test(code))
    .map(({ path }) => path);
}

interface Manifest {
  readonly dependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
}
