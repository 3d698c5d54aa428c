/** Vibe Engine as it is published, with its defaults but for the clean-up, which others do not have; `variant` is the store. */
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTask, type Engine, openEngine, type TaskDefinition, type TaskHandle } from 'vibe-engine';
import { takeTurn } from '../../engine/turns.ts';
import type { BackEndType } from '../../storage/back-ends.ts';
import type { OpenContender, Place } from '../process/protocol.ts';
import { dyingStep, meter, recoveringStep } from '../work.ts';

const open: OpenContender = async (place, tell) => {
  let opened: Promise<Engine> | undefined;
  const engine = () => {
    opened ??= openAt(place);
    return opened;
  };
  let round = 0;
  let newest: string | undefined;
  return {
    async steps(tasks, steps) {
      const { step, rate } = meter(tasks, steps);
      const definition = stepping(`steps-${round++}`, steps, step);
      const at = await engine();
      await Promise.all(Array.from({ length: tasks }, () => at.run(definition, undefined)));
      return rate();
    },
    async converse(turns, limitMs) {
      const end = performance.now() + limitMs;
      const conversation = defineTask('conversation', async (task) => {
        let taken = 0;
        while (taken < turns && performance.now() < end) {
          await takeTurn(task);
          taken++;
        }
        return taken;
      });
      return (await engine()).run(conversation, undefined);
    },
    async load(turns) {
      const at = await engine();
      newest ??= await newestCheckpoint(at);
      const start = performance.now();
      const { context } = (await at.checkpoints.loadCheckpoint(newest))!;
      const took = performance.now() - start;
      if (context.messages.length !== 2 * turns) throw new Error('The conversation is not whole.');
      return took;
    },
    async runAndDie(log, steps, killedAt) {
      await (await openAt(place)).run(toRecover(log, steps, dyingStep(log, killedAt)), undefined);
    },
    async recover(log, steps) {
      const definition = toRecover(log, steps, recoveringStep(log, tell));
      const at = await openAt(place, [definition]);
      const interrupted = (await at.tasks()).find(({ status }) => status !== 'completed')!;
      const { result } = await resumeOnceFree(at, interrupted.task_id);
      await result;
      await at.close();
    },
    close: async () => (await opened)?.close(),
  };
};

export default open;

/** On PostgreSQL the owner that was killed keeps the task until the server has noticed that it is gone. */
async function resumeOnceFree(engine: Engine, id: string): Promise<TaskHandle> {
  for (;;) {
    try {
      return await engine.resume(id);
    } catch (error) {
      if ((error as { code?: string }).code !== 'TASK_OWNED') throw error;
      await sleep(20);
    }
  }
}

async function newestCheckpoint({ tasks, checkpoints }: Engine): Promise<string> {
  const [task] = await tasks();
  return (await checkpoints.listCheckpoints(task!.task_id)).at(-1)!.id;
}

function stepping(
  name: string,
  steps: number,
  step: (n: number) => string | Promise<string>,
): TaskDefinition<void, void> {
  return defineTask<void, void>(
    name,
    async (task) => {
      for (let n = 0; n < steps; n++) await task.step('step', () => step(n));
    },
    { version: '1' },
  );
}

/** One definition per round, known by the file that it notes its steps in. */
function toRecover(log: string, steps: number, step: (n: number) => string): TaskDefinition<void, void> {
  return stepping(`recover-${log.replaceAll(/\W/g, '-').slice(-40)}`, steps, step);
}

function openAt(
  { variant, directory, url }: Place,
  tasks: readonly TaskDefinition<void, void>[] = [],
): Promise<Engine> {
  const persistence = { storage_type: variant as BackEndType, ...(url === undefined ? {} : { url }) };
  return openEngine({ project_dir: directory, tasks, config: { persistence }, automatic_cleanup: false });
}
