import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runCli } from '../../src/cli/run.ts';

async function cli(...args: string[]): Promise<{ exit: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const exit = await runCli(args, {
    env: {},
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
});

test.each([[[]], [['--help']], [['-h']]])('%j shows the help', async (args) => {
  const { exit, out, err } = await cli(...args);
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  expect(out).toContain('Usage: vibe-engine [options] [command]');
  expect(out).toMatch(/^ {2}demo \[options\] +start a task/m);
});

test('a command has help of its own, in the language asked for', async () => {
  const { exit, out } = await cli('demo', '--help', '--lang', 'zh-Hant');
  expect(exit).toBe(0);
  expect(out).toContain('用法： vibe-engine demo');
  expect(out).toContain('儲存後端：json（預設）或 sqlite');
  expect(out).not.toMatch(/choices|default/);
});

test.each([
  [['dmeo'], 'There is no command "dmeo".', 'Did you mean "demo"? '],
  [['launch'], 'There is no command "launch".', ''],
  [['demo', '--kepe'], 'There is no option "--kepe".', 'Did you mean "--keep"? '],
  [['--verison'], 'There is no option "--verison".', 'Did you mean "--version"? '],
  [['demo', '--hlep'], 'There is no option "--hlep".', 'Did you mean "--help"? '],
  [['demo', '--storage'], 'The option "--storage" needs a value.', ''],
  [
    ['demo', '--storage', 'sqllite'],
    'The option "--storage" does not take "sqllite".',
    'Did you mean "sqlite"? It takes json, sqlite. ',
  ],
  [['--lang', 'fr', 'demo'], 'The option "--lang" does not take "fr".', 'It takes en, zh-Hant, zh-Hans. '],
  [['demo', 'now'], 'There are more arguments than this command takes.', ''],
])('%j is refused as usage, with what was probably meant', async (args, message, meant) => {
  expect(await cli(...args)).toEqual({
    exit: 2,
    out: '',
    err: `error USAGE: ${message}\nhint: ${meant}"vibe-engine --help" shows what there is.\n`,
  });
});

test.each(['zh-TW', 'zh_TW', 'zh-HK', 'zh-Hant-TW'])('--lang %s is traditional Chinese', async (name) => {
  expect(await cli('demo', '--help', '--lang', name)).toEqual(
    await cli('demo', '--help', '--lang', 'zh-Hant'),
  );
});

test('usage is refused in the language asked for', async () => {
  expect((await cli('dmeo', '--lang=zh-Hans')).err).toContain(
    '错误 USAGE：没有“dmeo”这个命令。\n提示：您是指“demo”吗？',
  );
});
