/**
 * The task that is killed: twenty steps, side by side and in sub-agents, a retry, dangerous operations, a wait, a sleep;
 * and what must have come of it in the end, whatever happened on the way.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { StepContext, TaskContext } from '../../src/engine/api/context.ts';
import { filler } from '../crash/random.ts';

/** What a step gives: its identity, and which run of the task made it. */
export interface Made {
  readonly id: string;
  readonly run: number;
  readonly bulk?: string;
}

/** Where the task's functions leave word of what they do, and may die. */
export interface Scene {
  /** From 1 on: one process after the other works on the task. */
  readonly run: number;
  begins(step: StepContext): void;
  halfWay(step: StepContext): void;
  ends(step: StepContext): void;
}

export const ANSWER = { approved: true, by: 'the driver' };
export const INPUT = { wanted: 'twenty steps' };

export function twentySteps({ run, begins, halfWay, ends }: Scene) {
  const work =
    (inside: (step: StepContext) => Promise<void> | void = () => {}) =>
    async (step: StepContext): Promise<Made> => {
      begins(step);
      await sleep(1);
      await inside(step);
      halfWay(step);
      await sleep(1);
      ends(step);
      return { id: step.id, run };
    };
  const flaky = async (step: StepContext): Promise<Made> => {
    const made = await work()(step);
    if (step.attempt < 3) throw new Error(`not yet, says run ${run}`);
    return made;
  };

  const research = async (agent: TaskContext): Promise<Made[]> => {
    await agent.message('assistant', 'looking around');
    const found = await agent.step('search', work());
    await agent.decide('read what was found');
    const hits = await agent.tool('grep', { pattern: 'kill' }, work());
    const summary = await agent.step(
      'summarise',
      work(() => agent.message('assistant', `summary of run ${run}`)),
    );
    await agent.message('assistant', 'looked around');
    return [found, hits, summary];
  };

  const review = async (agent: TaskContext): Promise<Made[]> => {
    await agent.message('assistant', 'reviewing');
    const inspected = await agent.step('inspect', work());
    const checked = await agent.agent('check', async (nested) => {
      await nested.decide('both rules');
      return Promise.all([nested.step('rule', work()), nested.step('rule', work())]);
    });
    return [inspected, ...checked];
  };

  return async (task: TaskContext, { wanted }: typeof INPUT) => {
    await task.message('user', wanted);
    await task.decide({ what: 'go on', why: 'it was asked for' });
    const plan = await task.step('plan', work());
    const read = await Promise.all([1, 2, 3].map(() => task.step('read', work())));
    await task.progress(20, 'read');
    const agents = await Promise.all([task.agent('research', research), task.agent('review', review)]);
    const build = await Promise.all([
      task.step('build', flaky, { retry: { attempts: 3, first_delay_ms: 1 } }),
      task.step('lint', work()),
    ]);
    await task.set('built', build[0].id);
    const answer = await task.waitFor('human_approval', { prompt: 'Deploy?' });
    const deploy = await task.step('deploy', work(), { dangerous: 'shell_command' });
    await task.message('assistant', 'deployed');
    const shell = await task.tool('shell', { command: 'true' }, work(), { dangerous: true });
    const bulk = await task.step('download', async (step) => ({
      ...(await work()(step)),
      bulk: filler(30_000, step.id),
    }));
    await task.step('left out', work(), { when: () => false });
    const side = await Promise.all([
      task.step('write', work(), { dangerous: 'file_change' }),
      task.step('notify', work(), { dangerous: 'external_api' }),
    ]);
    await task.sleep(3);
    const chat = await task.step(
      'chat',
      work(async () => {
        await task.message('assistant', `chat of run ${run}`);
        await task.decide(`choice of run ${run}`);
      }),
    );
    await task.tool({ tool: 'clock', output: 'noon', status: 'success' });
    await task.checkpoint({ metadata: { note: 'by hand' } });
    const test = await task.step('test', work());
    await task.progress(90, 'tested');
    const { messages, decisions } = await task.context({ all: true });
    const report = await task.step('report', work());
    const made = [
      plan,
      ...read,
      ...agents.flat(),
      ...build,
      deploy,
      shell,
      bulk,
      ...side,
      chat,
      test,
      report,
    ];
    return {
      answer,
      built: await task.get('built'),
      bulk: bulk.bulk.length,
      context: [messages.length, decisions.length],
      made: made.map(({ id }) => id),
    };
  };
}

export interface ExpectedStep {
  readonly id: string;
  /** What must have been recorded before it begins. */
  readonly after: readonly string[];
  /** How often it is tried until it succeeds. */
  readonly attempts: number;
  readonly dangerous: boolean;
}

/** In the order of the output. */
export const STEPS: readonly ExpectedStep[] = [
  step('/plan#1', []),
  step('/read#1', ['/plan#1']),
  step('/read#2', ['/plan#1']),
  step('/read#3', ['/plan#1']),
  step('/research/search#1', ['/read#1', '/read#2', '/read#3']),
  step('/research/tool:grep#1', ['/research/search#1']),
  step('/research/summarise#1', ['/research/tool:grep#1']),
  step('/review/inspect#1', ['/read#1', '/read#2', '/read#3']),
  step('/review/check/rule#1', ['/review/inspect#1']),
  step('/review/check/rule#2', ['/review/inspect#1']),
  { ...step('/build#1', ['/research', '/review']), attempts: 3 },
  step('/lint#1', ['/research', '/review']),
  dangerous('/deploy#1', ['/build#1', '/lint#1', '/wait#1']),
  dangerous('/tool:shell#1', ['/deploy#1']),
  step('/download#1', ['/tool:shell#1']),
  dangerous('/write#1', ['/download#1', '/left out#1']),
  dangerous('/notify#1', ['/download#1', '/left out#1']),
  step('/chat#1', ['/write#1', '/notify#1', '/sleep#1']),
  step('/test#1', ['/chat#1']),
  step('/report#1', ['/test#1']),
];

function step(id: string, after: readonly string[]): ExpectedStep {
  return { id, after, attempts: 1, dangerous: false };
}

function dangerous(id: string, after: readonly string[]): ExpectedStep {
  return { ...step(id, after), dangerous: true };
}

export const SKIPPED = '/left out#1';
export const AGENTS: readonly string[] = ['/research', '/review', '/review/check'];

/** By agent, oldest first. What a step says within itself ends with the run that said it: `#run` stands for it. */
export const MESSAGES: Readonly<Record<string, readonly string[]>> = {
  '': ['twenty steps', 'deployed', 'chat of run #/chat#1'],
  '/research': ['looking around', 'summary of run #/research/summarise#1', 'looked around'],
  '/review': ['reviewing'],
};
export const DECISIONS: Readonly<Record<string, readonly string[]>> = {
  '': ['go on', 'choice of run #/chat#1'],
  '/research': ['read what was found'],
  '/review/check': ['both rules'],
};
/** `unknown shell` comes before `shell` where the call was cut off. */
export const TOOLS: Readonly<Record<string, readonly string[]>> = {
  '': ['success shell', 'success clock'],
  '/research': ['success grep'],
};
export const PROGRESS: readonly number[] = [20, 90];

export const OUTPUT = {
  answer: ANSWER,
  built: '/build#1',
  bulk: 30_000,
  context: [MESSAGES, DECISIONS].map((texts) => Object.values(texts).flat().length),
  made: STEPS.map(({ id }) => id),
};
