import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { runCli } from '../../src/cli/run.ts';
import { CLI_VERBS } from '../../src/cli/verbs.ts';
import { allVerbs } from '../../src/verbs/kit/registry.ts';

async function cli(...args: string[]): Promise<{ exit: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const exit = await runCli(args, {
    env: {},
    cwd: tmpdir(),
    screen: null,
    interactive: false,
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { exit, out, err };
}

test('--version is the one of package.json', async () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(await cli('--version')).toEqual({ exit: 0, out: `${manifest.version}\n`, err: '' });
  expect(await cli('tasks', '-V')).toEqual({ exit: 0, out: `${manifest.version}\n`, err: '' });
});

test.each([[[]], [['--help']], [['-h']]])('%j shows the help', async (args) => {
  const { exit, out, err } = await cli(...args);
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  expect(out).toContain('Usage: vibe-engine <command> [options]');
  expect(out).toMatch(/^ {2}demo +watch a task be killed/m);
});

test('every command has help of its own, with an example, and --json', async () => {
  for (const { name, aliases = [], examples } of await allVerbs(CLI_VERBS)) {
    for (const words of [name, ...aliases]) {
      const { exit, out, err } = await cli(...words.split(' '), '--help');
      expect({ exit, err }, words).toEqual({ exit: 0, err: '' });
      expect(out).toContain(`Usage: vibe-engine ${name}`);
      expect(out).toContain(`Examples:\n  vibe-engine ${examples[0]}`);
      expect(out).toContain('--json');
    }
  }
});

test('the names in the list are those that the verbs go by', async () => {
  const verbs = await allVerbs(CLI_VERBS);
  const names = verbs.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  expect([...CLI_VERBS.keys()].sort()).toEqual(names.sort());
});

test('every example begins with the name of its verb', async () => {
  for (const { name, aliases = [], examples } of await allVerbs(CLI_VERBS)) {
    for (const example of examples)
      expect(
        [name, ...aliases].some((words) => `${example} `.startsWith(`${words} `)),
        example,
      ).toBe(true);
  }
});

test('help is in the language asked for', async () => {
  const { exit, out } = await cli('demo', '--help', '--lang', 'zh-Hant');
  expect(exit).toBe(0);
  expect(out).toContain('用法： vibe-engine demo');
  expect(out).toContain('儲存後端，預設 json：json, sqlite');
});

test.each([
  [['dmeo'], 'There is no command "dmeo".', 'Did you mean "demo"? ', ''],
  [['launch'], 'There is no command "launch".', '', ''],
  [['demo', '--kepe'], 'There is no option "--kepe".', 'Did you mean "--keep"? ', 'demo '],
  [['--verison'], 'There is no option "--verison".', 'Did you mean "--version"? ', ''],
  [['demo', '--hlep'], 'There is no option "--hlep".', 'Did you mean "--help"? ', 'demo '],
  [['demo', '--storage'], 'The option "--storage" needs a value.', '', 'demo '],
  [['demo', '--keep=yes'], 'The option "--keep" takes no value.', '', 'demo '],
  [
    ['demo', '--storage', 'sqllite'],
    'The option "--storage" does not take "sqllite".',
    'Did you mean "sqlite"? It takes json, sqlite. ',
    'demo ',
  ],
  [
    ['tasks', '--status', 'complted'],
    'The option "--status" does not take "complted".',
    'Did you mean "completed"? It takes queued, in_progress, paused, waiting, completed, failed, cancelled, interrupted, idle, expired, timed_out. ',
    'tasks ',
  ],
  [
    ['tasks', '--limit', 'ten'],
    'The option "--limit" does not take "ten".',
    'It takes a whole number, 1 or more. ',
    'tasks ',
  ],
  [
    ['--lang', 'fr', 'demo'],
    'The option "--lang" does not take "fr".',
    'It takes en, zh-Hant, zh-Hans. ',
    'demo ',
  ],
  [['demo', 'now'], 'There are more arguments than this command takes: "now".', '', 'demo '],
  [['cancel'], 'The argument "task" is missing.', '', 'cancel '],
])('%j is refused as usage, with what was probably meant', async (args, message, meant, help) => {
  const hint = `${meant}"vibe-engine ${help}--help" shows the usage.`;
  expect(await cli(...args)).toEqual({ exit: 2, out: '', err: `error USAGE: ${message}\nhint: ${hint}\n` });
  const { exit, out, err } = await cli(...args, '--json');
  expect({ exit, err }).toEqual({ exit: 2, err: '' });
  expect(JSON.parse(out)).toMatchObject({
    vibe_engine: 1,
    ok: false,
    error: { code: 'USAGE', message, hint },
  });
});

test.each(['zh-TW', 'zh_TW', 'zh-HK', 'zh-Hant-TW'])('--lang %s is traditional Chinese', async (name) => {
  expect(await cli('demo', '--help', '--lang', name)).toEqual(
    await cli('demo', '--help', '--lang', 'zh-Hant'),
  );
});

test('usage is refused in the language asked for', async () => {
  expect((await cli('dmeo', '--lang=zh-Hans')).err).toContain(
    '错误 USAGE：没有“dmeo”这个命令。\n提示：你是指“demo”吗？',
  );
});
