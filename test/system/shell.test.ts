/** Commands on Windows: the line that `cmd.exe` gets, and a program of that name that does with it what it does. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runAttached } from '../../src/system/process/attached.ts';
import { runProgram } from '../../src/system/process/program.ts';
import { isProgram } from '../../src/system/process/programs.ts';
import { shellFor, shellWord, startOf } from '../../src/system/process/shell.ts';
import { toolResolver } from '../../src/workspace/resolve/command.ts';
import { onLinux, onPlatform } from '../support/platform.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

describe.runIf(onLinux)('on Windows', () => {
  onPlatform('win32');

  test('cmd.exe is given the command as it is, between quotes that /s takes off', () => {
    const command = 'git commit -m "a b" && echo "c:\\dir\\"';
    expect(startOf(shellFor(command))).toEqual({
      file: 'cmd.exe',
      args: ['/d', '/s', '/c', `"${command}"`],
      windowsVerbatimArguments: true,
    });
  });

  test('other programs are given their arguments one by one', () => {
    const args = ['/c', 'say "a b"'];
    for (const file of ['cmd.exe', 'agent.exe'])
      expect(startOf([file, ...args])).toEqual({ file, args, windowsVerbatimArguments: false });
  });

  test.each([
    ['C:\\Users\\a b\\x.txt', '"C:\\Users\\a b\\x.txt"'],
    ['C:\\R&D ^ (1)\\x', '"C:\\R&D ^ (1)\\x"'],
    ['C:\\%PATH%\\x', '"C:\\"^%"PATH"^%"\\x"'],
  ])('the path %s is the word %s', (path, word) => {
    expect(shellWord(path)).toBe(word);
    expect(wordAsCmdReadsIt(word)).toBe(path);
  });

  test('a command runs in cmd.exe, and so does what is resumed', async () => {
    const { env, told } = fakeCmd();
    const { output } = await runProgram(shellFor('echo "a  b"; exit 0'), { input: null, env });
    expect(output.toString()).toBe('a  b\n');
    const attached = await runAttached(shellFor('exit 7'), { cwd: tempDir(), env });
    expect(await attached.ended).toEqual({ code: 7, signal: null });
    expect(told()).toEqual(['/d /s /c "echo "a  b"; exit 0"', '/d /s /c "exit 7"']);
  });

  test('a merge tool is named its files in words of cmd.exe', async () => {
    const { env, told } = fakeCmd();
    const [path, dir] = [process.env.PATH, process.env.VIBE_ENGINE_STATE_DIR];
    Object.assign(process.env, {
      PATH: env.PATH,
      VIBE_ENGINE_STATE_DIR: join(tempDir(), "it's %HOME% here"),
    });
    try {
      const file = {
        path: 'dir/a.txt',
        base: null,
        ours: Buffer.from('ours'),
        theirs: Buffer.from('theirs'),
      };
      const merge = { bytes: Buffer.from('merged') };
      const tool = toolResolver('tool {ours} {merged}');
      await tool.resolve({ ...file, base: Buffer.from(''), merge } as never, new AbortController().signal);
    } finally {
      Object.assign(process.env, { PATH: path, VIBE_ENGINE_STATE_DIR: dir });
    }
    expect(told()).toEqual([
      expect.stringMatching(
        /"tool "[^"]*it's "\^%"HOME"\^%" here[^"]*ours\.txt" "[^%]*%"HOME"\^%"[^"]*merged\.txt""$/,
      ),
    ]);
  });

  test('a command that takes too long is ended with all that it has started', async () => {
    const { env, dir } = fakeCmd();
    // The shell first: once its child is gone, it would end by itself.
    const kill = `until [ -s ${dir}/child ]; do sleep 0.01; done; kill -9 $2 $(cat ${dir}/child)`;
    script(join(dir, 'taskkill'), `echo "$@" > ${dir}/killed; ${kill}`);
    const path = process.env.PATH;
    process.env.PATH = env.PATH;
    try {
      const command = shellFor(`sleep 1000 & echo $! > ${dir}/child; wait`);
      const end = await runProgram(command, { input: null, env, timeout_ms: 500 });
      expect(end).toMatchObject({ code: null, signal: 'SIGKILL' });
      expect(readFileSync(join(dir, 'killed'), 'utf8')).toMatch(/^\/pid \d+ \/t \/f\n$/);
    } finally {
      process.env.PATH = path;
    }
  });

  test('whatever program is named is taken to be there', () => {
    expect(isProgram('no-such-thing', '/', '')).toBe(true);
  });
});

/** First in PATH: does as cmd.exe with /s does, with another shell behind it, and keeps what it was given. */
function fakeCmd() {
  const dir = tempDir();
  const log = join(dir, 'told');
  script(join(dir, 'cmd.exe'), `printf '%s\\n' "$*" >> ${log}; line=\${4#?}; exec /bin/sh -c "\${line%?}"`);
  const told = () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []);
  return { dir, told, env: { ...process.env, PATH: dir + delimiter + process.env.PATH } };
}

function script(path: string, text: string): void {
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}

/** Variables first, whatever is quoted; then carets outside quotes; then the quotes, which the program takes off. */
function wordAsCmdReadsIt(word: string): string {
  const variables: Record<string, string> = { PATH: 'replaced' };
  const replaced = word.replace(/%([^%]*)%/g, (all, name: string) => variables[name] ?? all);
  let read = '';
  let isQuoted = false;
  for (let at = 0; at < replaced.length; at++) {
    const letter = replaced[at]!;
    if (letter === '"') isQuoted = !isQuoted;
    else read += letter === '^' && !isQuoted ? replaced[++at] : letter;
  }
  return read;
}
