/**
 * The package as its users get it: packed, installed into an empty project, imported, type-checked, run. `npm run pack:test`
 * runs it alone; `PACK_TO=folder` keeps what was tested there, for a release.
 */
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { demo } from '../src/cli/demo/demo.ts';
import { inTerminal } from './cli/terminal.ts';
import { asProgram, examplesIn } from './house/examples.ts';
import { ROOT } from './house/sources.ts';
import { FULL } from './support/full.ts';
import { misfits } from './verbs/shapes.ts';

const BIN = join(ROOT, 'node_modules/.bin');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
  dependencies: Record<string, string>;
};

let scratch: string;
let project: string;
let packed: string[];

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 've-pack-'));
  project = join(scratch, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }');
  const packs = process.env.PACK_TO ? resolve(ROOT, process.env.PACK_TO) : scratch;
  mkdirSync(packs, { recursive: true });
  const { out } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', packs], ROOT);
  const [report] = JSON.parse(out.slice(out.search(/^\[/m))) as [
    { filename: string; files: { path: string }[] },
  ];
  packed = report.files.map(({ path }) => path);
  await install(join(packs, report.filename));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test('it holds the build, the launcher and the papers, and nothing else', () => {
  const roots = new Set(packed.map((path) => path.split('/')[0]));
  const allowed = [
    'ARCHITECTURE.md',
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'bin',
    'completions',
    'dist',
    'docs',
    'examples',
    'plugins',
    'package.json',
  ];
  expect([...roots].filter((root) => !allowed.includes(root!))).toEqual([]);
  expect(packed).toEqual(
    expect.arrayContaining([
      'LICENSE',
      'bin/vibe-engine.js',
      'dist/index.d.ts',
      'dist/cli.js',
      'dist/zod-LICENSE.txt',
    ]),
  );
});

test('it is imported and runs, by the example of the README', async () => {
  for (const [i, example] of examplesIn('README.md').entries()) {
    writeFileSync(join(project, `example-${i}.ts`), asProgram(example, 'vibe-engine'));
    await run(process.execPath, [`example-${i}.ts`], project);
  }
});

test('its types stand by themselves, and hold', async () => {
  writeFileSync(join(project, 'consumer.ts'), CONSUMER);
  writeFileSync(join(project, 'wrong.ts'), CONSUMER.replace("'sqlite'", '5'));
  const said = await typeCheck('consumer.ts', 'wrong.ts').catch(({ message }) => message as string);
  expect(said).toMatch(/not assignable to type 'string/);
  expect(said!.match(/^.*error TS\d+/gm)).toEqual([expect.stringMatching(/^wrong\.ts/)]);
});

test('its command runs from there', async () => {
  const command = join(project, 'node_modules/.bin/vibe-engine');
  expect((await run(command, ['--version'], project)).out).toBe(`${manifest.version}\n`);
  // Otherwise from the same files, before they are packed (test/cli/demo.test.ts).
  if (!FULL) return;
  const { out } = await run(command, ['demo', '--json'], project);
  const { data } = JSON.parse(out) as { data: unknown };
  expect(misfits(data, demo.data)).toEqual([]);
  expect(data).toMatchObject({ steps: 13, steps_before_kill: expect.any(Number), folder: null });
});

test('its command asks and shows progress at a terminal, and completes on Tab', async () => {
  const command = join(project, 'node_modules/.bin/vibe-engine');
  writeFileSync(join(project, 'approve.ts'), APPROVE);
  const { exit, screen } = await inTerminal(
    project,
    [command, 'run', 'approve.ts'],
    [{ when: /Go on\?[\s\S]*no/, type: 'y\r' }],
    { PATH: BIN + delimiter + process.env.PATH },
  );
  expect([exit, screen]).toEqual([
    0,
    expect.stringMatching(/0 checkpoints[\s\S]*✓ look[\s\S]*is completed\.\ntrue\n/),
  ]);
  expect((await run(command, ['completion', 'bash'], project)).out).toContain('complete -o default -F');
  expect((await run(command, ['--complete', 'bash', 'show', 'appr'], project)).out).toBe('approve\n');
});

const APPROVE = `import { defineTask } from 'vibe-engine';
export default defineTask('approve', async (task) => {
  await task.step('look', () => new Promise((done) => setTimeout(done, 300)));
  return task.waitFor('human_approval', { prompt: 'Go on?' });
});
`;

const CONSUMER = `import { createStorageFromConfig, type Storage, VibeError } from 'vibe-engine';
import { openPostgresStorage } from 'vibe-engine/postgres';

const storage: Storage = await createStorageFromConfig({ persistence: { storage_type: 'sqlite' } });
const other: Promise<Storage> = openPostgresStorage({ url: 'postgres://localhost/x' });
const where: string = await storage.save('conversation', 'c', [1n]);
export const code = (error: unknown): string => (error instanceof VibeError ? error.code : where);
void other;
`;

/** Without other types at hand and without skipping those of the package. Throws what it has to say. */
async function typeCheck(...files: string[]): Promise<undefined> {
  const flags = [
    '--noEmit',
    '--pretty',
    'false',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--module',
    'nodenext',
    '--target',
    'es2024',
  ];
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...flags, ...files], project);
}

/** From the registry or npm's cache; where there is neither, by unpacking, with our own copies of its dependencies. */
async function install(tarball: string): Promise<void> {
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--fetch-retries=0', '--fetch-timeout=30000'];
  try {
    await run('npm', ['install', ...flags, tarball], project);
  } catch (error) {
    console.log(`npm install did not work here, so the dependencies are linked: ${(error as Error).message}`);
    const modules = join(project, 'node_modules');
    mkdirSync(join(modules, '.bin'), { recursive: true });
    await run('tar', ['-xzf', tarball, '-C', modules], project);
    symlinkSync(join(modules, 'package'), join(modules, 'vibe-engine'));
    symlinkSync(join(modules, 'package/bin/vibe-engine.js'), join(modules, '.bin/vibe-engine'));
    for (const name of Object.keys(manifest.dependencies)) {
      if (!existsSync(join(modules, name)))
        symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
    }
  }
}

async function run(command: string, args: string[], cwd: string): Promise<{ out: string }> {
  const env = { ...process.env, PATH: BIN + delimiter + process.env.PATH };
  try {
    const { stdout } = await promisify(execFile)(command, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 });
    return { out: stdout };
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}
