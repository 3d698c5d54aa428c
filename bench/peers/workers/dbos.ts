/** DBOS on the same PostgreSQL server as we: a workflow whose steps are `DBOS.runStep`. */
import { importFrom } from '../install.ts';
import type { OpenContender } from '../process/protocol.ts';
import { dyingStep, meter, recoveringStep, turnTexts } from '../work.ts';

type Step = (n: number) => string | Promise<string>;

const open: OpenContender = async ({ installed, url }, tell) => {
  const { DBOS } = await importFrom<Exports>(installed, '@dbos-inc/dbos-sdk');
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: url!, logLevel: 'error' });
  // Workflows are registered before the launch, and recovered by it: what a step does is decided by the action.
  let step: Step = () => '';
  const stepping = DBOS.registerWorkflow(
    async (steps: number) => {
      for (let n = 0; n < steps; n++) await DBOS.runStep(async () => step(n), { name: 'step' });
    },
    { name: 'steps' },
  );
  const conversation = DBOS.registerWorkflow(
    async (turns: number, limitMs: number) => {
      const end = performance.now() + limitMs;
      let taken = 0;
      for (; taken < turns && performance.now() < end; taken++) {
        for (const text of turnTexts()) await DBOS.runStep(async () => text, { name: 'message' });
      }
      return taken;
    },
    { name: 'conversation' },
  );
  let launched: Promise<void> | undefined;
  const launch = () => {
    launched ??= DBOS.launch();
    return launched;
  };
  let round = 0;
  return {
    async steps(tasks, steps) {
      await launch();
      const timed = meter(tasks, steps);
      step = timed.step;
      const name = `steps-${process.pid}-${round++}`;
      const start = async (n: number) => {
        const handle = await DBOS.startWorkflow(stepping, { workflowID: `${name}-${n}` })(steps);
        await handle.getResult();
      };
      await Promise.all(Array.from({ length: tasks }, (_, n) => start(n)));
      return timed.rate();
    },
    async converse(turns, limitMs) {
      await launch();
      const start = DBOS.startWorkflow(conversation, { workflowID: 'conversation' });
      return (await start(turns, limitMs)).getResult();
    },
    async load(turns) {
      await launch();
      const start = performance.now();
      const steps = await DBOS.listWorkflowSteps('conversation');
      const took = performance.now() - start;
      const whole = steps?.filter(({ output }) => typeof output === 'string').length === 3 * turns;
      if (!whole) throw new Error('The conversation is not whole.');
      return took;
    },
    async runAndDie(log, steps, killedAt) {
      await launch();
      step = dyingStep(log, killedAt);
      await (await DBOS.startWorkflow(stepping, { workflowID: log })(steps)).getResult();
    },
    async recover(log) {
      step = recoveringStep(log, tell);
      await launch();
      await DBOS.retrieveWorkflow(log).getResult();
    },
    close: () => DBOS.shutdown(),
  };
};

export default open;

/** What is used of it. */
interface Exports {
  readonly DBOS: {
    setConfig(config: { name: string; systemDatabaseUrl: string; logLevel: string }): void;
    launch(): Promise<void>;
    shutdown(): Promise<void>;
    registerWorkflow<Work>(work: Work, options: { name: string }): Work;
    startWorkflow<Args extends unknown[], Out>(
      work: (...args: Args) => Promise<Out>,
      options: { workflowID: string },
    ): (...args: Args) => Promise<{ getResult(): Promise<Out> }>;
    retrieveWorkflow(id: string): { getResult(): Promise<unknown> };
    runStep<Out>(work: () => Promise<Out>, options: { name: string }): Promise<Out>;
    listWorkflowSteps(id: string): Promise<readonly { output: unknown }[] | undefined>;
  };
}
