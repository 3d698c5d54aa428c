/** Tab: what is offered where, and that the shells really offer it. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { completion } from '../../src/cli/completing/completion.ts';
import { onEachStore } from '../engine/stores.ts';
import { tempDirs } from '../support/temp.ts';
import { misfits } from '../verbs/shapes.ts';
import { ask, cli, MAIN } from './cli.ts';
import { inTerminal } from './terminal.ts';
import { populate, type Tasks } from './world.ts';

const tempDir = tempDirs();

async function offered(dir: string, shell: string, ...words: string[]): Promise<string[]> {
  const { exit, out, err } = await cli(dir, ['--complete', shell, ...words]);
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  return out.split('\n').slice(0, -1);
}

onEachStore((fresh) => {
  let dir: string;
  let made: Tasks;
  beforeAll(async () => {
    const store = await fresh();
    dir = store.dir;
    made = await populate(store);
  });

  test('tasks are offered by the ends of their ids and by their names, checkpoints by their numbers', async () => {
    const short = made.waiting.slice(-6);
    const tasks = await offered(dir, 'fish', 'show', '');
    expect(tasks).toContain(`${short}\tdeploy (waiting)`);
    expect(tasks).toContain('deploy\twaiting');
    expect(await offered(dir, 'bash', 'show', 'dep')).toEqual(['deploy']);
    expect(await offered(dir, 'zsh', 'show', short.slice(0, 5))).toEqual([`${short}:deploy (waiting)`]);
    const checkpoints = await offered(dir, 'bash', 'checkpoints', 'inspect', `${short}-`);
    expect(checkpoints.length).toBeGreaterThan(0);
    for (const id of checkpoints) expect(id).toMatch(new RegExp(`^${short}-\\d+$`));
    expect(await offered(tempDir(), 'bash', '--project', dir, 'show', 'dep')).toEqual(['deploy']);
  });
});

describe('without a store', () => {
  const dir = tempDir();

  test.each([
    [['chec'], ['checkpoints']],
    [['--js'], ['--json']],
    [['checkpoints', 'in'], ['inspect']],
    [['config', 'ex'], ['explain']],
    [['--lang', 'en', 'checkpoints', 'di'], ['diff']],
    [['demo', '--st'], ['--storage']],
    [
      ['demo', '--storage', ''],
      ['json', 'sqlite'],
    ],
    [['demo', '--storage=s'], ['sqlite']],
    [['demo', '--storage', '=', 's'], ['sqlite']],
    [
      ['demo', '--storage', '='],
      ['json', 'sqlite'],
    ],
    [
      ['tasks', '--status', 'c'],
      ['completed', 'cancelled'],
    ],
    [['config', 'get', 'cleanup.failed'], ['cleanup.failed_days']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['completion', 'bash', ''], []],
    [['run', ''], []],
    [['show', ''], []],
    [['exec', '--', 'ls', '--js'], []],
    [['nonsense', ''], []],
  ])('%j offers %j', async (words, expected) => {
    expect(await offered(dir, 'bash', ...words)).toEqual(expected);
  });

  test('what words are is told in the reader’s language', async () => {
    const { out } = await cli(dir, ['--complete', 'fish', 'sho'], { LANG: 'zh_TW.UTF-8' });
    expect(out).toMatch(/^show\t\p{Script=Han}/u);
    expect(await offered(dir, 'no-such-shell', 'sho')).toEqual([]);
  });

  test('the scripts are printed; other shells are refused', async () => {
    expect(misfits(await ask(dir, 'completion', 'zsh'), completion.data)).toEqual([]);
    const { exit, err } = await cli(dir, ['completion', 'bahs']);
    expect([exit, err]).toEqual([
      2,
      expect.stringContaining('Did you mean "bash"? It takes bash, zsh, fish.'),
    ]);
  });
});

/** Each reads its settings from a file; there the script is loaded, as its first lines say. */
const SHELLS = [
  {
    shell: 'bash',
    command: ['bash', '-i'],
    file: '.bashrc',
    load: 'PS1="ready> "; eval "$(vibe-engine completion bash)"',
  },
  {
    shell: 'zsh',
    command: ['zsh', '-i'],
    file: '.zshrc',
    load: 'PS1="ready> "; autoload -U compinit; compinit -u; eval "$(vibe-engine completion zsh)"',
  },
  {
    shell: 'fish',
    command: ['fish', '-i'],
    file: 'fish/config.fish',
    load: 'function fish_prompt; echo -n "ready> "; end; vibe-engine completion fish | source',
  },
] as const;

describe.each(SHELLS)('$shell', ({ shell, command, file, load }) => {
  const there = isInstalled(shell);
  if (!there) console.log(`${shell} is not installed here, so Tab is not pressed in it.`);

  test.runIf(there)('completes a command, a task and a checkpoint when Tab is pressed', async () => {
    const home = tempDir();
    const project = tempDir();
    writeFileSync(
      join(project, 'count.ts'),
      "import { defineTask } from 'vibe-engine';\nexport default defineTask('count-up', (task) => task.step('one', () => 1));\n",
    );
    expect((await cli(project, ['run', 'count.ts'])).exit).toBe(0);
    mkdirSync(join(home, 'bin'));
    writeFileSync(join(home, 'bin/vibe-engine'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
    chmodSync(join(home, 'bin/vibe-engine'), 0o755);
    mkdirSync(join(home, 'fish'));
    writeFileSync(join(home, file), `${load}\n`);
    const { screen } = await inTerminal(
      project,
      command,
      [
        { when: /ready> /, type: 'vibe-engine sho\tcount-\t\r' },
        { when: /What can be done next[\s\S]*ready> /, type: 'vibe-engine checkpoints ins\t\t1\rexit\r' },
      ],
      { HOME: home, ZDOTDIR: home, XDG_CONFIG_HOME: home, PATH: `${join(home, 'bin')}:${process.env.PATH}` },
    );
    expect(screen).toContain('count-up  completed');
    expect(screen).toMatch(/inspect \w{6}-1\b[\s\S]*It is intact/);
  });
});

function isInstalled(shell: string): boolean {
  try {
    execFileSync(shell, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
