/** A task's code, and a fingerprint of it that is noted when the task starts. */
import { hash } from 'node:crypto';
import type { Config } from '../../config/types.ts';
import { InvalidInputError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { checkFunction } from './checks.ts';
import type { TaskContext } from './context.ts';

export type TaskFunction<Input, Output> = (task: TaskContext, input: Input) => Promise<Output> | Output;

export interface TaskDefinition<Input = unknown, Output = unknown> {
  readonly name: string;
  readonly run: TaskFunction<Input, Output>;
  /** Identifies the code: the given version, or a hash of its source. */
  readonly fingerprint: string;
  readonly env_requirements: Readonly<Record<string, string>>;
  /** Default: as configured. */
  readonly durability?: Durability | undefined;
  /** On resume the code continues from the context instead of replaying. */
  readonly continues?: boolean;
}

export type Durability = Config['checkpoints']['durability'];

export interface DefinitionOptions {
  /** Identifies the code instead of its source: set it when the source is bundled or calls code that changes. */
  readonly version?: string;
  /** Tools and versions (`node: '>=24'`) and variables (`'env:API_KEY': 'set'`) it needs to run. */
  readonly env_requirements?: Readonly<Record<string, string>>;
  /** When its steps are acknowledged; default: as configured. */
  readonly durability?: Durability;
}

export function defineTask<Input = void, Output = unknown>(
  name: string,
  run: TaskFunction<Input, Output>,
  options: DefinitionOptions = {},
): TaskDefinition<Input, Output> {
  if (typeof name !== 'string' || name.trim() === '' || name.length > 200) {
    throw new InvalidInputError('USAGE', phrase`A task needs a name of 1 to 200 characters.`, {
      data: { name },
      hint: phrase`Such as defineTask("review", async (task, input) => …).`,
    });
  }
  checkFunction(phrase`Task ${name}`, run);
  const { version, env_requirements = {} } = options;
  for (const [what, wanted] of Object.entries(env_requirements)) {
    if (typeof wanted === 'string') continue;
    throw new InvalidInputError('USAGE', phrase`What task ${name} requires of ${what} is not a string.`, {
      data: { name, requirement: what },
      hint: phrase`Such as { node: '>=24', 'env:API_KEY': 'set' }.`,
    });
  }
  const fingerprint = version === undefined ? hash('sha256', run.toString()) : `v:${version}`;
  return { name, run, fingerprint, env_requirements, durability: checkedDurability(options.durability) };
}

function checkedDurability(durability: Durability | undefined): Durability | undefined {
  if (durability === undefined || DURABILITIES.includes(durability)) return durability;
  throw new InvalidInputError('USAGE', phrase`There is no durability ${String(durability)}.`, {
    data: { durability },
    hint: phrase`It is one of ${DURABILITIES.join(', ')}.`,
  });
}
const DURABILITIES: readonly Durability[] = ['sync', 'async', 'exit'];

export interface PipelineStep<Context> {
  readonly name: string;
  readonly run: (
    context: Context,
    task: TaskContext,
    /** The step after which these are resumed; null in a pipeline that runs from its start. */
    restored: RestoredStep | null,
  ) => Promise<Context> | Context;
  /** The step is skipped, permanently, if this is false. */
  readonly when?: (context: Context) => boolean | Promise<boolean>;
}

/** What a checkpoint records of the step it was made after. */
export interface RestoredStep {
  readonly checkpoint: string;
  readonly step_name: string | null;
  readonly step_index: number;
  /** `step_state`, `step_context` and `step_variables`; `task.get` also returns the variables. */
  readonly state: unknown;
  readonly context: unknown;
  readonly variables: unknown;
}

/** A task function from a list of steps, each of which gets the result of the one before. */
export function pipeline<Context>(
  steps: readonly PipelineStep<Context>[],
  restored: RestoredStep | null = null,
): TaskFunction<Context, Context> {
  const run: TaskFunction<Context, Context> = async (task, input) => {
    let context = input;
    for (const { name, run, when } of steps) {
      const before = context;
      const options = { context: before, ...(when ? { when: () => when(before) } : {}) };
      const done = await task.step(name, () => run(before, task, restored), options);
      if (done !== undefined) context = done;
    }
    return context;
  };
  // Its source is that of its steps: a pipeline that changed is known by it.
  const source = steps.map(({ name, run, when }) => `${name} ${run} ${when ?? ''}`).join('\n');
  return Object.assign(run, { toString: () => source });
}
