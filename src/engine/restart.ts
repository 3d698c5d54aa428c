/** Starts a task again with the code and the input it had; the old one is cancelled. */
import { EngineError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import type { Claim } from '../storage/contract.ts';
import { isFinal } from '../task/status.ts';
import type { Beginning } from './beginning.ts';
import { RestartWanted } from './drift/asking.ts';
import type { FileChoices } from './files/choices.ts';
import { type GoingBack, owned } from './going-back.ts';
import type { TaskHandle } from './handle.ts';
import { cancelTask, type LifecycleHost } from './lifecycle.ts';
import { packer } from './packing.ts';
import type { AnyDefinition, Registry } from './registry.ts';
import { requireTask } from './tasks.ts';

export interface RestartHost extends LifecycleHost, Pick<GoingBack, 'config'> {
  readonly notify: (lines: readonly string[]) => void;
  readonly definitionFor: Registry['definitionFor'];
  readonly start: Beginning['start'];
  /** Takes back what the task did to files. */
  undo(id: string, choices: FileChoices): Promise<unknown>;
  /** Notes how what stood against going on was settled. */
  settled(claim: Claim): Promise<void>;
}

export interface RestartOptions extends FileChoices {
  /** Take back first what the old task did to files; default: they stay as they are. */
  readonly undo?: boolean;
}

export interface Restarting {
  /** TASK_OWNED while someone runs it. */
  restart(id: string, options?: RestartOptions): Promise<TaskHandle>;
  /** Begins, unless it is answered there that the task be started again instead. */
  orRestart(id: string | undefined, begin: () => Promise<TaskHandle>): Promise<TaskHandle>;
}

export function restarting(host: RestartHost): Restarting {
  return {
    restart: (id, options) => restartTask(host, id, options),
    async orRestart(id, begin) {
      try {
        return await begin();
      } catch (error) {
        if (id !== undefined && error instanceof RestartWanted) return restartTask(host, id);
        throw error;
      }
    },
  };
}

async function restartTask(
  host: RestartHost,
  id: string,
  { undo = false, ...choices }: RestartOptions = {},
): Promise<TaskHandle<never>> {
  const { head, state } = await requireTask(host.storage, id);
  const { task_name, working_dir, told_where, origin } = head;
  const definition = host.definitionFor(head, (message) => host.notify([message]));
  const input = await packer(host.storage, head, host.config).unpack(head.input);
  if (undo) await undoIfAny(host, id, choices);
  const over = isFinal(state.status);
  // Of a task that is over, nothing is pending.
  if (!over) {
    await owned(host, id, host.settled);
    await cancelTask(host, id, phrase`started again`);
  }
  const handle = await host.start(definition as unknown as AnyDefinition, input, {
    task_name,
    ...(told_where ? { working_dir } : {}),
    ...(origin ? { origin } : {}),
  });
  host.notify([
    over
      ? phrase`Task "${task_name}" is started again as ${handle.id}.`
      : phrase`Task "${task_name}" is started again as ${handle.id}; the old one is cancelled.`,
  ]);
  return handle;
}

async function undoIfAny(host: RestartHost, id: string, choices: FileChoices): Promise<void> {
  try {
    await host.undo(id, choices);
  } catch (error) {
    if (!(error instanceof EngineError && error.code === 'NOTHING_TO_UNDO')) throw error;
  }
}
