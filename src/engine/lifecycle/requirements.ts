/** Whether a task can run on this machine, asked before it is started: no checkpoint of it could be held against that yet. */
import { unmetRequirements } from '../../checkpoint/validation/requirements.ts';
import { EngineError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { toolVersion } from '../../system/process/tools.ts';
import type { TaskDefinition } from '../api/definition.ts';
import type { RecoveryOptions } from '../recovery/recover.ts';

/** Its code is here and agreed to, so that any tool it names is asked for its version. */
export async function assertRequirements(
  { name, env_requirements }: Pick<TaskDefinition, 'name' | 'env_requirements'>,
  { on_environment }: Pick<RecoveryOptions, 'on_environment'> = {},
): Promise<void> {
  if (on_environment === 'continue') return;
  const isSet = (variable: string): boolean => process.env[variable] !== undefined;
  const unmet = await unmetRequirements(env_requirements, { toolVersion, isSet });
  if (unmet.length === 0) return;
  throw new EngineError('ENVIRONMENT_CHANGED', phrase`Task "${name}" cannot run here: ${unmet.join(' ')}`, {
    data: { name, env_requirements, unmet },
    hint: phrase`Nothing was started. Install or set what is missing, then run it again.`,
  });
}
