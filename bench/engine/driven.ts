/** A running task that is driven from outside, so that each thing it does can be timed, and done in turns with a floor. */
import { defineTask, type Engine, type TaskContext } from '../../src/index.ts';

export interface DrivenTask {
  readonly task: TaskContext;
  /** Lets its function return: the task completes. */
  end(): Promise<void>;
}

let started = 0;

export async function startDriven(engine: Engine): Promise<DrivenTask> {
  const begun = Promise.withResolvers<TaskContext>();
  const ending = Promise.withResolvers<void>();
  // Code is known by its name and its source, which all of these share.
  const definition = defineTask(`driven-${started++}`, async (task) => {
    begun.resolve(task);
    await ending.promise;
  });
  const { result } = await engine.start(definition, undefined);
  return {
    task: await Promise.race([begun.promise, result.then(neverBegan)]),
    end: async () => {
      ending.resolve();
      await result;
    },
  };
}

function neverBegan(): never {
  throw new Error('The task ended before it began.');
}
