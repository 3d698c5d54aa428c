/** Vercel's workflow with its local world, called in the same process: no HTTP between them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { importFrom } from '../install.ts';
import { bundleIn, workflowIdsIn } from '../places/vercel.ts';
import type { OpenContender } from '../process/protocol.ts';
import { dyingStep, meter, recoveringStep, turnTexts } from '../work.ts';

type Step = (n: number) => string | Promise<string>;

const open: OpenContender = async ({ installed, directory }, tell) => {
  const { start, getRun } = await importFrom<Api>(installed, 'workflow/api');
  const { setWorld } = await importFrom<Runtime>(installed, 'workflow/runtime');
  const { createLocalWorld } = await importFrom<Worlds>(installed, '@workflow/world-local');
  const world = createLocalWorld({ dataDir: directory });
  setWorld(world);
  const require = createRequire(import.meta.url);
  for (const [kind, bundle] of [['workflow', 'flow'] as const, ['step', 'step'] as const]) {
    world.registerHandler(`__wkf_${kind}_`, require(bundleIn(installed, bundle)).POST);
  }
  const idOf = workflowIdsIn(installed);
  let started: Promise<void> | undefined;
  const ready = () => {
    started ??= world.start();
    return started;
  };
  const run = async (workflow: string, ...args: unknown[]): Promise<Run> => {
    await ready();
    return start({ workflowId: idOf(workflow) }, args);
  };
  const work: { step: Step; message: Step } = { step: () => '', message: () => '' };
  Object.assign(globalThis, {
    benchStep: (_: string, n: number) => work.step(n),
    benchMessage: (n: number) => work.message(n),
  });
  return {
    async steps(tasks, steps) {
      const timed = meter(tasks, steps);
      work.step = timed.step;
      const one = async () => (await run('steps', '', steps)).returnValue;
      await Promise.all(Array.from({ length: tasks }, one));
      return timed.rate();
    },
    async converse(turns, limitMs) {
      const end = performance.now() + limitMs;
      work.message = (n) => (performance.now() < end ? turnTexts()[n]! : '');
      return (await run('conversation', turns)).returnValue;
    },
    async runAndDie(log, steps, killedAt) {
      work.step = dyingStep(log, killedAt);
      const { runId, returnValue } = await run('steps', log, steps);
      writeFileSync(`${log}.run`, runId);
      await returnValue;
    },
    /** Its world takes up what was running when it starts. */
    async recover(log) {
      work.step = recoveringStep(log, tell);
      await ready();
      await getRun(readFileSync(`${log}.run`, 'utf8')).returnValue;
    },
    close: () => world.close(),
  };
};

export default open;

interface Run {
  readonly runId: string;
  readonly returnValue: Promise<number>;
}

/** What is used of it. */
interface Api {
  start(workflow: { workflowId: string }, args: unknown[]): Promise<Run>;
  getRun(id: string): Run;
}

interface Runtime {
  setWorld(world: World): void;
}

interface Worlds {
  createLocalWorld(options: { dataDir: string }): World;
}

interface World {
  registerHandler(prefix: string, handler: unknown): void;
  start(): Promise<void>;
  close(): Promise<void>;
}
