/** Whole stories at the command line in every language: nobody reads English who asked for Chinese, and nobody reads of our API. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FULL } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';
import { git } from '../workspace/ground.ts';
import { ask, cli, MAIN, quiet } from './cli.ts';

const TASKS: Readonly<Record<string, string>> = {
  'edit.ts': `import { defineTask } from 'vibe-engine';
export default defineTask('edit', async (task) => {
  await task.step('one', () => 1);
  await task.files.write('a.txt', 'by the task\\n');
  await task.progress(50);
  await task.step('two', () => { if (!process.env.GOOD) throw new Error('壞了'); });
  return 'ok';
});
`,
  'slow.ts': `import { defineTask } from 'vibe-engine';
export default defineTask('slow', async (task) => {
  await task.files.write('b.txt', 'by the task\\n');
  for (let at = 0; at < 5; at++) await task.step('step' + at, () => at);
  if (!process.env.GOOD) { console.log('ready'); await task.sleep(60_000); }
  return 'ok';
});
`,
  'asks.ts': `import { defineTask } from 'vibe-engine';
export default defineTask('asks', async (task) => task.waitFor('user_input', { prompt: '名稱？', timeout_ms: 1 }));
`,
};

const freshDir = tempDirs();

const LANGUAGES = ['zh-Hant', 'zh-Hans', 'en'] as const;

/** Each story in another language, since all have the same sentences (test/verbs/said.test.ts); in full each in all. */
describe.each(LANGUAGES)('in %s', (language) => {
  const story = (number: number, name: string, run: () => Promise<void>): void => {
    if (FULL || LANGUAGES[number % LANGUAGES.length] === language) test(name, run);
  };
  let dir = '';
  const home = freshDir();
  const say = async (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> => {
    // What is executed says nothing here.
    const run = args[0] === 'exec' || args[0] === 'no-such-command' || args[0] === '--help' ? quiet : cli;
    const { out, err } = await run(dir, ['--lang', language, ...args], { HOME: home, ...env });
    const text = `${out}${err}`;
    expect.soft(foreign(text, language), `$ ${args.join(' ')}\n${text}`).toEqual([]);
    return text;
  };

  story(0, 'run, fail, retry, undo, roll back, fork', async () => {
    dir = project();
    await say(['tasks']);
    await say(['run', 'edit.ts']);
    await say(['show', 'edit']);
    await say(['resume', 'edit', '--on-modified', 'nonsense']);
    await say(['retry', 'edit'], { GOOD: '1' });
    await say(['history', 'edit']);
    await say(['tasks']);
    const { task } = await ask<{ task: { id: string } }>(dir, 'show', 'edit');
    await say(['resume', 'edit']);
    await say(['retry', 'edit', '--from-step', 'nowhere']);
    await say(['checkpoints', 'list', 'edit']);
    await say(['checkpoints', 'inspect', `${task.id}-1`]);
    await say(['checkpoints', 'inspect', `${task.id}-99`]);
    await say(['checkpoints', 'diff', `${task.id}-1`, `${task.id}-2`]);
    await say(['undo', 'edit', '--yes']);
    await say(['undo', 'edit', '--yes']);
    await say(['redo', 'edit']);
    await say(['redo', 'edit']);
    await say(['rollback', `${task.id}-1`, '--yes']);
    await say(['fork', `${task.id}-1`]);
    await say(['cancel', task.id]);
    await say(['pause', task.id]);
    await say(['answer', task.id, '1']);
    await say(['restart', task.id, '--yes']);
    await say(['rebase', task.id, '--yes']);
  });

  story(1, 'killed, damaged, changed by others', async () => {
    dir = project();
    await killedWhenReady(dir);
    writeFileSync(join(dir, 'b.txt'), 'by a person\n');
    await say(['resume', 'slow'], { GOOD: '1' });
    await say(['resume', 'slow', '--on-modified', 'abort'], { GOOD: '1' });
    damageJournals(dir);
    await say(['doctor']);
    await say(['show', 'slow']);
    await say(['tasks']);
    await say(['resume', 'slow', '--on-modified', 'use_checkpoint'], { GOOD: '1' });
    await say(['history', 'slow']);
    await say(['doctor', '--repair', '--yes']);
  });

  story(2, 'drift: upstream moves while a task lies still', async () => {
    dir = project();
    const path = freshDir();
    git(dir, 'clone', '-q', '--bare', '.', join(path, 'up.git'));
    git(dir, 'remote', 'add', 'origin', join(path, 'up.git'));
    git(dir, 'fetch', '-q', 'origin');
    git(dir, 'branch', '-q', '--set-upstream-to', 'origin/main');
    await say(['run', 'edit.ts']);
    const other = join(path, 'other');
    git(dir, 'clone', '-q', join(path, 'up.git'), other);
    writeFileSync(join(other, 'a.txt'), 'by others\n');
    git(other, 'commit', '-qam', 'theirs');
    git(other, 'push', '-q', 'origin', 'HEAD:main');
    await say(['drift', 'edit']);
    await say(['retry', 'edit']);
    await say(['resume', 'edit'], { GOOD: '1' });
    await say(['resume', 'edit', '--on-upstream', 'abort'], { GOOD: '1' });
    await say(['rebase', 'edit', '--yes']);
    await say(['resume', 'edit', '--on-upstream', 'ignore'], { GOOD: '1' });
    await say(['show', 'edit']);
  });

  story(3, 'caring: exec, export, import, clean, keys, settings, wrong use', async () => {
    dir = project();
    await say(['exec', '--', process.execPath, '-e', "require('fs').writeFileSync('a.txt', 'x')"]);
    await say(['exec', '--', 'no-such-program']);
    await say(['run', 'no-such.ts']);
    await say(['run', 'package.json']);
    await say(['run', 'edit.ts', '--input', '{']);
    await say(['run', 'edit.ts', '--id', '!!']);
    await say(['run', 'asks.ts']);
    await say(['show', 'asks']);
    await say(['answer', 'asks', 'x']);
    await say(['resume', 'asks']);
    await say(['export', 'asks', 'x.vibe-task']);
    await say(['export', 'asks', 'x.vibe-task']);
    await say(['import', 'x.vibe-task']);
    await say(['import', 'package.json']);
    await say(['import', 'nothing-here']);
    await say(['clean', '--older-than', '0', '--keep', '1', '--dry-run']);
    await say(['clean', '--keep', '1', '--yes']);
    await say(['locks']);
    await say(['files']);
    await say(['conversations']);
    await say(['conversations', 'nobody']);
    await say(['config', 'get', 'cleanup.failed_dys']);
    await say(['config', 'set', 'cleanup.failed_days', 'soon']);
    await say(['config', 'explain', 'cleanup']);
    await say(['keys', 'status']);
    await say(['keys', 'rotate']);
    await say(['keys', 'init', '--from', 'file', '--key-file', join(home, 'k')]);
    await say(['keys', 'encrypt', '--from', 'file', '--key-file', join(home, 'k')]);
    await say(['tasks', '--status', 'nonsense']);
    await say(['no-such-command']);
    await say(['--help']);
    writeFileSync(join(dir, '.vibe-engine', 'config.json'), '{"cleanup":{"failed_days":"x"},"nope":1}');
    await say(['tasks']);
    writeFileSync(join(dir, '.vibe-engine', 'config.json'), '{"persistence":{"storage_type":"nope"}}');
    await say(['tasks']);
    writeFileSync(join(dir, '.vibe-engine', 'config.json'), '{');
    await say(['tasks']);
  });
});

/** A package without a type, as people have them, in a repository with one commit. */
function project(): string {
  const path = freshDir();
  for (const [file, text] of Object.entries(TASKS)) writeFileSync(join(path, file), text);
  writeFileSync(join(path, 'package.json'), '{"name":"story"}');
  writeFileSync(join(path, 'a.txt'), 'first\n');
  git(path, 'init', '-q', '-b', 'main');
  git(path, 'add', '.');
  git(path, 'commit', '-qm', 'first');
  return path;
}

async function killedWhenReady(dir: string): Promise<void> {
  const child = spawn(process.execPath, [MAIN, 'run', 'slow.ts'], {
    cwd: dir,
    env: { ...process.env, GOOD: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  for await (const chunk of child.stdout!) {
    out += chunk;
    if (out.includes('ready')) break;
  }
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** A byte in the last third of each journal. */
function damageJournals(dir: string): void {
  const tasks = join(dir, '.vibe-engine', 'tasks');
  for (const task of readdirSync(tasks)) {
    const path = join(tasks, task, 'journal.log');
    if (!existsSync(path)) continue;
    const bytes = readFileSync(path);
    const end = bytes.findLastIndex((byte) => byte !== 0);
    const at = Math.floor(end * 0.7);
    bytes[at] = bytes[at]! ^ 1;
    writeFileSync(path, bytes);
  }
}

/** What a reader of this language should not have been shown. */
function foreign(text: string, language: 'zh-Hant' | 'zh-Hans' | 'en'): string[] {
  const api = text.match(API) ?? [];
  if (language === 'en') return api;
  const own = NAMES.reduce((left, name) => left.replace(name, '·'), text);
  const words = text.match(/\[options\]|\boutside\b|\bblobs?\b(?![/:])/g) ?? [];
  return [
    ...api,
    ...words,
    ...(own.match(/\p{Script=Latin}{2,}[,;:]? \p{Script=Latin}{2,}[^\n]{0,60}/gu) ?? []),
  ];
}

/** Words of the library, which no terminal has. */
const API =
  /engine\.\w+|\b(?:repair|verify|position|register|registerStorage|get)\(\)|\bfences?\b|prompter|pass `|\bdata\.\w+|on_\w+ "|workspace: true/g;

/** Not sentences: commands and their examples, options, paths, quoted names, code, what another program printed. */
const NAMES = [
  /^ {2}[a-z]+ [a-z]+ {2}/gm,
  /Expected property name.*|needs an import attribute.*/g,
  /\b(?:vibe-engine|ve) [\w<>[\]./:|"'{}= -]*/g,
  /"[^"\n]*"|「[^」\n]*」|“[^”\n]*”|`[^`\n]*`/g,
  /\{[^\n]*\}/g,
  /[\w-]+(?:, [\w-]+)+/g,
  /(?:\/|\.\/|[a-z]:)[\w.@%+~/-]+/g,
  /--?[a-z][\w-]*(?: <[^>]*>)?/g,
  /\b(?:chmod -R go=|openssl rand -hex 32|npm install \w+|git \w+)/g,
  /defineTask\([^\n]*/g,
  /\b(?:Vibe Engine|Tab|Ctrl-C|JSON|PostgreSQL|SQLite|Node|HEAD|OK)\b/g,
];
