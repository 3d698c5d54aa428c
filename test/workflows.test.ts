/** The workflows of a public host, as far as they can be checked here: read, and held to what the project has. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { satisfies } from 'semver';
import { describe, expect, test } from 'vitest';
import { ROOT } from './house/sources.ts';
import { readYaml } from './house/yaml.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Record<string, string>;
  readonly env?: Record<string, string>;
}
interface Job {
  readonly permissions?: Record<string, string>;
  readonly strategy?: { readonly matrix: Record<string, readonly string[]> };
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly permissions: Record<string, string>;
  readonly jobs: Record<string, Job>;
}

const DIR = join(ROOT, '.github', 'workflows');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
  engines: { node: string };
};
const workflows = readdirSync(DIR).map((name) => {
  const text = readFileSync(join(DIR, name), 'utf8');
  return { name, text, workflow: readYaml(text) as unknown as Workflow };
});
const named = (name: string) => workflows.find((one) => one.name === name)!.workflow;
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps }) => steps);

describe.each(workflows)('$name', ({ text, workflow }) => {
  test('calls commands that there are', () => {
    const commands = stepsOf(workflow).flatMap(({ run }) => run ?? []);
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands.filter((one) => one.startsWith('npm '))) {
      const [, verb, script] = command.split(' ');
      if (verb === 'run') expect(manifest.scripts).toHaveProperty([script!]);
      else expect(['ci', 'test', 'pkg', 'publish']).toContain(verb);
    }
  });

  test('uses actions of the host alone, each of a known version, and a Node that is promised', () => {
    for (const { uses, with: given = {} } of stepsOf(workflow)) {
      if (uses === undefined) continue;
      expect(uses).toMatch(/^actions\/[\w-]+@(v\d+|[0-9a-f]{40})$/);
      if (!uses.startsWith('actions/setup-node@')) continue;
      const version = given['node-version'];
      if (version === undefined) expect(given).toEqual({ 'node-version-file': 'package.json' });
      else expect(satisfies(`${version}.0.0`, manifest.engines.node)).toBe(true);
    }
  });

  test('may read the sources and nothing else, has no secrets, and names no registry', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    expect(text).not.toMatch(/secrets\.|token:\s*\$|\bregistry-url\b|https?:/i);
  });
});

test('tests are what .ci/run runs, on Linux, macOS and Windows', () => {
  const { jobs } = named('test.yml');
  const { strategy, steps } = jobs.test!;
  expect(strategy!.matrix.os).toEqual(['ubuntu-latest', 'macos-latest', 'windows-latest']);
  const commands = steps.flatMap(({ run }) => (run?.startsWith('npm ') ? [run] : []));
  expect(readFileSync(join(ROOT, '.ci', 'run'), 'utf8')).toContain(`\n${commands.join(' && ')}\n`);
});

test('what is released is the package that was tested, signed by a job that runs nothing else', () => {
  const { pack, publish, ...others } = named('release.yml').jobs;
  expect(others).toEqual({});
  expect(pack!.permissions).toBeUndefined();
  expect(publish!.permissions).toEqual({ 'id-token': 'write' });
  const tested = pack!.steps.find(({ run }) => run === 'npm run pack:test')!;
  const uploaded = pack!.steps.find(({ uses }) => uses?.startsWith('actions/upload-artifact@'))!;
  expect(uploaded.with!.path).toBe(`${tested.env!.PACK_TO}/*.tgz`);
  const [, downloaded, published] = publish!.steps;
  expect(downloaded!.with).toEqual({ name: uploaded.with!.name, path: 'release' });
  expect(published!.run).toMatch(/^npm publish \.\/release\/\*\.tgz --provenance /);
});

test('what is no YAML is refused', () => {
  for (const text of [
    'a: b: c',
    'a:\n\tb: c',
    'a: b\n  c: d',
    'a: 1\na: 2',
    '- a\nb: c',
    'a: "b"',
    'a: b \n',
    '  a: b\nc: d',
  ])
    expect(() => readYaml(text), text).toThrow(/^line \d/);
});
