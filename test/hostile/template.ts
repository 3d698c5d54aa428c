/** What somebody sends: a directory with a repository and a store, whose tasks say one thing and run another. Built once, copied often. */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Engine, openEngine } from '../../src/engine/engine.ts';
import { defineTask, exportTask } from '../../src/index.ts';
import type { Known } from '../attacks/every-verb.ts';

export interface Template extends Omit<Known, 'fresh'> {
  readonly root: string;
  readonly dir: string;
  /** A repository that only the store names. */
  readonly elsewhere: string;
  /** The same as it was. */
  readonly untouched: string;
  /** Programs that nobody but the sender named; `as-git` below it those that git itself would run. */
  readonly bait: string;
}

export const git = (cwd: string, ...args: string[]): string =>
  execFileSync(
    'git',
    ['-c', 'core.hooksPath=/dev/null', '-c', 'user.name=x', '-c', 'user.email=x@x', ...args],
    {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );

/** One that does nothing: that it was started is what is looked for. */
export function program(path: string, body = 'exit 1'): string {
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

const works = defineTask(
  'works',
  async (task) => {
    await task.step('read', () => 1);
    await task.files.write('a.txt', 'of the task\n');
    await task.files.write('data.bin', 'of the task\n');
    await task.checkpoint();
    await task.waitFor('user_input', { prompt: 'and now?' });
  },
  { env_requirements: { 'evil-tool': '>=1' } },
);
const command = defineTask('exec', async (task) => task.waitFor('user_input'), { version: '1' });

export async function buildTemplate(root: string): Promise<Template> {
  const [dir, elsewhere, bait, upstream] = ['clone', 'elsewhere', 'bait', 'upstream.git'].map((name) =>
    join(root, name),
  ) as [string, string, string, string];
  mkdirSync(join(bait, 'as-git'), { recursive: true });
  mkdirSync(join(bait, 'path'));
  program(join(bait, 'path', 'evil-tool'));
  git(root, 'init', '--quiet', '--bare', '--initial-branch=main', upstream);
  git(root, 'clone', '--quiet', upstream, dir);
  git(dir, 'checkout', '--quiet', '-B', 'main');
  const attributes = '*.bin filter=evil diff=evil merge=evil\n*.txt diff=evil merge=evil\n';
  const files = { '.gitattributes': attributes, 'a.txt': 'one\n', 'data.bin': 'one\n' };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  git(dir, 'add', '.');
  git(dir, 'commit', '--quiet', '-m', `x'; ${bait}/command; '`);
  git(dir, 'push', '--quiet', '-u', 'origin', 'main');
  git(root, 'clone', '--quiet', upstream, elsewhere);
  const engine = await openEngine({
    ...{ project_dir: dir, workspace: true, signals: false, automatic_cleanup: false },
    ...{ tasks: [works, command], config: { persistence: { storage_type: 'json' } } },
  });
  const evil = program(join(bait, 'command'));
  const harmless = { kind: 'command', command: ['true'], resume_with: null, dir: '', every_ms: 1000 };
  const tasks = [
    await paused(engine, () => engine.start(works, undefined)),
    await paused(engine, () => engine.start(works, undefined, { working_dir: elsewhere })),
    await paused(engine, () =>
      engine.start(command, { ...harmless, command: [evil] } as never, { origin: harmless }),
    ),
    await paused(engine, () =>
      engine.start(command, { ...harmless, resume_with: evil } as never, { origin: harmless }),
    ),
  ];
  const archive = join(root, 'sent.vibe-task');
  await exportTask(engine, tasks[2]!, archive);
  const checkpoints = (await engine.checkpoints.listCheckpoints(tasks[0]!)).map(({ id }) => id);
  await engine.close();
  writeFileSync(join(elsewhere, 'a.txt'), 'upstream moved on\n');
  git(elsewhere, 'commit', '--quiet', '-a', '-m', 'more');
  git(elsewhere, 'push', '--quiet');
  const untouched = join(root, 'untouched');
  cpSync(elsewhere, untouched, { recursive: true, verbatimSymlinks: true });
  const script = join(root, 'task.mjs');
  writeFileSync(
    script,
    "import { defineTask } from 'vibe-engine';\nexport default defineTask('own', async (task) => task.step('one', () => 1));\n",
  );
  return { root, dir, elsewhere, untouched, bait, tasks, checkpoints, paths: ['a.txt'], archive, script };
}

async function paused(engine: Engine, start: () => Promise<{ readonly id: string }>): Promise<string> {
  const { id } = await start();
  while ((await engine.waits(id)).length === 0) await new Promise((turn) => setTimeout(turn, 5));
  await engine.pause(id);
  return id;
}
