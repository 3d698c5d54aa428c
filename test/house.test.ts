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
  ['workspace', 'drift', 'persistence'],
  ['checkpoint'],
  ['engine'],
  ['agents'],
  ['verbs'],
  ['index', 'postgres'],
  ['dashboard'],
  ['cli'],
];

/**
 * The folders of a room, from below: each imports only from folders before it, values and types alike. '.' is the room's own
 * files.
 */
const FOLDERS: Readonly<Record<string, string>> = {
  system: '. process hashing stats git user locks',
  storage: 'serialize . json/lines json sqlite postgres/sql postgres encrypted moving opening',
  workspace: 'tree rules git snapshot reservations editing resolve capture restore merging .',
  drift: '. rebase',
  checkpoint: 'record values facts cleanup context validation .',
  engine:
    'api secrets task/records task questions history files git run run/agent command recovery lifecycle attach reading/timeline reading cleanup doctor transfer portable moving keys tracking .',
  agents: '. setup/plugin setup claude codex gemini opencode host all rewind',
  verbs:
    'format text/en text/zh-Hans text/zh-Hant text/said text kit shared settings look past change run care .',
  dashboard:
    'page/lib page/shapes page/line page/diff page/ground page/net page/state page/kit page/thread page/asking page/screens/tasks page/screens/files page/screens/conflict page/screens/rewind page/screens/compare page/screens/care page/screens/drift page/screens/task page/shell page .',
  cli: 'common terminal completing running demo hooks agents dashboard .',
};

/** How verbs reach data: an engine, its reader where none has to be open, and the keys of a store that may not open. */
const DOORS: readonly string[] = [
  'src/engine/engine.ts',
  'src/engine/reading/reader.ts',
  'src/engine/keys/keys.ts',
];

/** What else the command line uses of the rooms below, with the reason. */
const DOORS_OF_THE_TERMINAL: Readonly<Record<string, string>> = {
  'src/checkpoint/validation/version-range.ts': 'pure: whether git is new enough for the demo',
  'src/engine/api/thrown.ts': 'pure: the message of anything thrown',
  'src/engine/command/command-task.ts': 'the task of `exec`, public as commandTask',
  'src/engine/lifecycle/requirements.ts': 'whether a task can run on this machine, before it is started',
  'src/engine/questions/anywhere.ts':
    'a question before any engine is open, which another process may answer',
  'src/engine/secrets/detect.ts': 'pure: masks what a page is sent',
  'src/storage/opening/factory.ts': 'opens the store of the settings',
  'src/storage/opening/store-there.ts': 'whether there is one',
  'src/storage/serialize.ts': 'pure: a value as JSON',
  'src/storage/serialize/for-people.ts': 'pure: a stored value as people read it',
};

/** What else verbs use of the rooms below, with the reason. */
const BESIDE_THE_ENGINE: Readonly<Record<string, string>> = {
  'src/agents/rewind/rewind.ts': 'where the agent of a task continues, in its own program',
  'src/engine/doctor/doctor.ts': 'a store on which no engine opens has to be examined, too',
  'src/engine/portable/portable.ts': 'one task as one file: functions of the library over a store',
  'src/engine/questions/conflict.ts': 'pure: a conflict, decided hunk by hunk',
  'src/engine/task/command-step.ts': 'pure: whether a command failed, from what a step shows of it',
  'src/merge/decide.ts': 'pure: what can be decided about a conflict',
  'src/merge/inside-keys.ts': 'pure: where private keys stand in a text',
  'src/merge/patch.ts': 'pure: what changed between two texts',
  'src/storage/serialize.ts': 'pure: a value as JSON',
  'src/system/files.ts': 'a file that decides a conflict is read',
  'src/system/shortened.ts': 'pure: a text or a list, cut to what is shown of it',
};

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
  'node:sqlite': ['src/storage/sqlite/', 'src/agents/opencode/record.ts'],
  pg: ['src/storage/postgres/'],
};

/** Development dependencies of which the build takes in what is used. */
const BUNDLED: readonly string[] = ['@modelcontextprotocol/sdk', 'preact', '@preact/signals'];

/** What a source exports under the name that it is declared by. */
const EXPORT = /^export (?:async )?(?:function\*?|const|let|interface|type|class|enum) (\w+)/gm;

const sources = sourcesIn('src');
const byPath = new Map(sources.map((source) => [source.path, source]));

describe('imports', () => {
  test('are seen', () => {
    expect(everyImport()).toContainEqual(['src/storage/opening/factory.ts', 'src/storage/postgres/open.ts']);
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

  test('go only to folders of a lower rank within a room', () => {
    const rank = (path: string) => {
      const [room, ...rest] = folderOf(path).split('/');
      const folder = rest.join('/') || '.';
      return (FOLDERS[room!] ?? '.').split(' ').indexOf(folder);
    };
    const sorted = everyImport().filter(([from, to]) => roomOf(from) === roomOf(to));
    const wrong = sorted.filter(
      ([from, to]) => rank(from) < 0 || (folderOf(from) !== folderOf(to) && !(rank(to) < rank(from))),
    );
    expect(wrong).toEqual([]);
  });

  test('lead from verbs to data through the engine only', () => {
    const below = sources
      .filter(({ path }) => path.startsWith('src/verbs/'))
      .flatMap(({ values }) => values)
      .filter((to) => !['verbs', 'config', 'task', 'errors', 'phrase'].includes(roomOf(to)));
    expect([...new Set(below)].filter((to) => !DOORS.includes(to)).sort()).toEqual(
      Object.keys(BESIDE_THE_ENGINE),
    );
  });

  test('lead from the command line to data through doors only', () => {
    const below = sources
      .filter(({ path }) => path.startsWith('src/cli/'))
      .flatMap(({ values }) => values)
      .filter((to) => !['cli', 'verbs', 'dashboard', 'agents', 'system', 'config'].includes(roomOf(to)))
      .filter((to) => !['errors', 'phrase'].includes(roomOf(to)));
    expect([...new Set(below)].filter((to) => !DOORS.includes(to)).sort()).toEqual(
      Object.keys(DOORS_OF_THE_TERMINAL),
    );
  });

  test('lead from the dashboard to verbs only, and from its page to nothing', () => {
    const own = sources.filter(({ path }) => path.startsWith('src/dashboard/'));
    const isPage = (path: string): boolean => path.startsWith('src/dashboard/page/');
    const server = own.filter(({ path }) => !isPage(path)).flatMap(({ values }) => values);
    const beside = ['dashboard', 'verbs', 'system', 'errors', 'phrase'];
    expect(server.filter((to) => isPage(to) || !beside.includes(roomOf(to)))).toEqual([]);
    const page = own.filter(({ path }) => isPage(path));
    const pure = ['src/verbs/text/fill.ts'];
    expect(page.flatMap(({ values }) => values).filter((to) => !isPage(to) && !pure.includes(to))).toEqual(
      [],
    );
    expect(page.flatMap(({ packages }) => packages).filter((name) => !/^@?preact/.test(name))).toEqual([]);
  });

  test('make no circle of folders', () => {
    const folders = new Map<string, Set<string>>();
    for (const [from, to] of everyImport()) {
      if (folderOf(from) === folderOf(to)) continue;
      folders.set(folderOf(from), (folders.get(folderOf(from)) ?? new Set()).add(folderOf(to)));
    }
    expect(findCycle([...folders.keys()], (folder) => folders.get(folder) ?? [])).toEqual([]);
  });

  test('name files that exist', () => {
    expect(everyImport().filter(([, to]) => !byPath.has(to))).toEqual([]);
  });

  test('never lead from one back end to another', () => {
    const backEnd = (path: string) => /^src\/storage\/(json|sqlite|postgres|encrypted)\//.exec(path)?.[1];
    const wrong = everyImport().filter(
      ([from, to]) => backEnd(from) && backEnd(to) && backEnd(from) !== backEnd(to),
    );
    expect(wrong).toEqual([]);
  });

  test('make no cycle', () => {
    const paths = sources.map(({ path }) => path);
    expect(findCycle(paths, (path) => byPath.get(path)?.imports ?? [])).toEqual([]);
  });

  test('name only packages that package.json promises to users', () => {
    const manifest = readManifest();
    const promised = [
      ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
      ...BUNDLED, // What is published has what it needs of them in it.
    ];
    const wrong = sources.flatMap(({ path, packages }) =>
      packages
        .filter(
          (name) => !name.startsWith('node:') && !promised.some((one) => `${name}/`.startsWith(`${one}/`)),
        )
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

  test('only src/system/platform.ts asks which platform it is', () => {
    expect(uses(/\bprocess\s*\.\s*platform\b|\bplatform\s*[,}][^=\n]*=\s*process\b/, 'nowhere')).toEqual([
      'src/system/platform.ts',
    ]);
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

  test('are at most 25 in a folder', () => {
    const counts = new Map<string, number>();
    for (const { path } of sources) counts.set(folderOf(path), (counts.get(folderOf(path)) ?? 0) + 1);
    const full = [...counts].filter(([, count]) => count > 25);
    expect(full).toEqual([]);
  });

  test('export only what another file imports', () => {
    const all = [...sources, ...['test', 'bench', 'picture', 'examples'].flatMap(sourcesIn)];
    const importers = Map.groupBy(
      all.flatMap(({ code, imports }) => imports.map((to) => ({ to, code }))),
      ({ to }) => to,
    );
    const isImported = (path: string, name: string): boolean =>
      (importers.get(path) ?? []).some(({ code }) => new RegExp(`\\b${name}\\b`).test(code));
    const exported = sources.flatMap(({ path, code }) =>
      [...code.matchAll(EXPORT)].map(([, name]) => ({ path, name: name! })),
    );
    expect(exported.length).toBeGreaterThan(1000);
    expect(exported.filter(({ path, name }) => !isImported(path, name))).toEqual([]);
  });

  test('say why wherever any error is swallowed', () => {
    const swallows = /\bcatch \{|\.catch\(\(\) =>/;
    const silent = sources.flatMap(({ path, text }) => {
      const lines = text.split('\n');
      const says = (at: number): boolean =>
        lines.slice(Math.max(0, at - 6), at + 3).some((line) => /\/\/|\/\*\*|\*\//.test(line));
      return [...lines.keys()]
        .filter((at) => swallows.test(lines[at]!) && !says(at))
        .map((at) => `${path}:${at + 1}`);
    });
    expect(silent).toEqual([]);
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

  test('every source that ARCHITECTURE.md names is there', () => {
    const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
    const named = [...text.matchAll(/`((?:[\w-]+\/)+[\w-]+\.ts)`/g)].map(([, path]) => path!);
    expect(named.length).toBeGreaterThan(20);
    const isThere = (path: string) => byPath.has(`src/${path}`) || existsSync(join(ROOT, path));
    expect(named.filter((path) => !isThere(path))).toEqual([]);
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

/** The folder of a source from src on: "workspace/git", "workspace". */
function folderOf(path: string): string {
  return path.split('/').slice(1, -1).join('/') || roomOf(path);
}

/** Some cycle in order, or none. */
function findCycle(all: readonly string[], next: (one: string) => Iterable<string>): string[] {
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (one: string): string[] => {
    if (trail.includes(one)) return [...trail.slice(trail.indexOf(one)), one];
    if (done.has(one)) return [];
    trail.push(one);
    for (const other of next(one)) {
      const cycle = visit(other);
      if (cycle.length > 0) return cycle;
    }
    trail.pop();
    done.add(one);
    return [];
  };
  return all.map(visit).find((cycle) => cycle.length > 0) ?? [];
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
