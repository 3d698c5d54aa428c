/** What happens in the demo, act by act. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readIfExists } from '../../system/files.ts';
import type { Say } from '../../verbs/text/choose.ts';
import { colleagueOf, edit, makeRepositories } from './scratch.ts';
import { failed, type Stage } from './stage.ts';

interface DemoResult {
  readonly task: string;
  readonly steps: number;
  readonly steps_before_kill: number;
  readonly commits: readonly string[];
}

interface Setting {
  readonly folder: string;
  readonly storage: string;
  readonly say: Say;
}

/** Changed by all three: the agent, a person, a colleague. */
const SHARED = 'src/price.js';
/** What each of them has put there. */
const KEPT = ['priceOf', 'soup', '€'];

export async function play(stage: Stage, setting: Setting): Promise<DemoResult> {
  const { folder, storage, say } = setting;
  const act = (number: number, title: string): void => stage.announce(say('demo.act', { number, title }));
  await makeRepositories(folder, stage, say);
  stage.narrate(say('demo.scratch', { path: stage.repository }));
  stage.narrate(say('demo.scripted'));

  act(1, say('demo.act.begins'));
  await stage.ask(['config', 'set', 'persistence.storage_type', storage]);
  await stage.quietly(['config', 'set', 'drift.test_command', 'node --test']);
  const before = await beginAndKill(stage, () => act(2, say('demo.act.killed')), say);
  await stage.run(['tasks']);

  act(3, say('demo.act.meanwhile'));
  await meanwhile(stage, setting);

  act(4, say('demo.act.resumed'));
  await stage.run(['resume', '--on-modified', 'merge', '--on-upstream', 'rebase']);

  act(5, say('demo.act.result'));
  return look(stage, before, say);
}

/** Killed while the agent thinks, as it does most of the time. Returns how many steps were done by then. */
async function beginAndKill(stage: Stage, announce: () => void, say: Say): Promise<number> {
  const running = await stage.start(['run', 'agent.ts']);
  await running.until(/vibe-engine answer/);
  await stage.run(['answer', 'rename', 'true'], say('demo.elsewhere'));
  await running.until(new RegExp(`files\\.edit ${SHARED}`));
  await sleep(50 + Math.random() * 150);
  announce();
  stage.kill(running);
  const { signal } = await running.ended;
  if (signal !== 'SIGKILL') throw failed(say('demo.not_killed'), say);
  return running.lines.filter((line) => line.startsWith('✓')).length;
}

async function meanwhile(stage: Stage, { folder, say }: Setting): Promise<void> {
  stage.narrate(say('demo.person', { file: SHARED }));
  edit(join(stage.repository, SHARED), '  cake: 420,\n', '  cake: 420,\n  soup: 580,\n');
  stage.change([], ['  soup: 580,']);
  const colleague = colleagueOf(folder);
  edit(join(colleague, SHARED), "return 'EUR'", "return '€'");
  await stage.git(['commit', '--quiet', '--all', '-m', say('demo.commit.colleague')], colleague);
  await stage.git(['push', '--quiet'], colleague);
  stage.narrate(say('demo.colleague', { file: SHARED }));
  stage.change(["  return 'EUR';"], ["  return '€';"]);
  await stage.run(['drift']);
}

interface History {
  readonly execution_id: string;
  readonly task_status: string;
  readonly recovery_attempts: number;
  readonly steps: readonly { readonly name: string; readonly status: string }[];
}

/** Shows the result, and checks it. */
async function look(stage: Stage, before: number, say: Say): Promise<DemoResult> {
  const commits = (await stage.git(['log', '--format=%s'])).split('\n');
  const log = ['log', '--oneline'];
  stage.show(`git ${log.join(' ')}`, (await stage.git(log)).split('\n'));
  const text = readIfExists(join(stage.repository, SHARED))!.toString('utf8');
  const search = ['grep', '-n', ...KEPT.flatMap((part) => ['-e', part]), SHARED];
  stage.show(`git ${search.join(' ')}`, (await stage.git(search)).split('\n'));
  const left = await stage.git(['status', '--porcelain']);

  const history = await stage.ask<History>(['history', 'rename']);
  const { steps, task_status, recovery_attempts, execution_id: task } = history;
  const kept = KEPT.filter((part) => text.includes(part));
  const once = new Set(steps.map(({ name }, at) => (name === 'tool:shell' ? `${name} ${at}` : name)));
  const holds =
    task_status === 'completed' &&
    recovery_attempts === 1 &&
    steps.every(({ status }) => status === 'success') &&
    once.size === steps.length &&
    kept.length === 3 &&
    left === '' &&
    commits.length === 3;
  if (!holds)
    throw failed(say('demo.differs', { found: JSON.stringify({ kept, left, commits, steps }) }), say);
  stage.narrate('');
  stage.conclude(say('demo.holds.steps', { steps: steps.length, before }));
  stage.conclude(say('demo.holds.files', { file: SHARED }));
  return { task, steps: steps.length, steps_before_kill: before, commits };
}
