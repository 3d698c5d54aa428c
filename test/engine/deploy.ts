/** A task with an operation that has an effect outside. */
import type { CheckpointContext } from '../../src/checkpoint/record/record.ts';
import type { StepContext } from '../../src/engine/api/context.ts';
import { defineTask, type TaskDefinition } from '../../src/engine/api/definition.ts';

export function deploy(
  operation: (call: StepContext) => Promise<string> | string,
): TaskDefinition<void, CheckpointContext> {
  return defineTask(
    'deploy',
    async (task) => {
      await task.step('build', () => 'built');
      await task.tool('deploy', { to: 'production' }, operation, { dangerous: 'external_api' });
      return task.context();
    },
    { version: '1' },
  );
}
