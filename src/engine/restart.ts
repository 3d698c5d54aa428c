/** Begins a task anew with the code and the input it had; the old one is called off. Its files stay as they are. */
import type { Claim } from '../storage/contract.ts';
import { isFinal } from '../task/status.ts';
import type { Beginning } from './beginning.ts';
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
  /** Notes how what stood against going on was settled. */
  settled(claim: Claim): Promise<void>;
}

/** TASK_OWNED while someone runs it. */
export async function restartTask(host: RestartHost, id: string): Promise<TaskHandle<never>> {
  const { head, state } = await requireTask(host.storage, id);
  const { task_name, working_dir } = head;
  const definition = host.definitionFor(head, (message) => host.notify([message]));
  const input = await packer(host.storage, head, host.config).unpack(head.input);
  await owned(host, id, host.settled);
  if (!isFinal(state.status)) await cancelTask(host, id, 'started again');
  return host.start(definition as unknown as AnyDefinition, input, { task_name, working_dir });
}
