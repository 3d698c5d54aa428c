/** Creates tasks: queued for a worker, or started here. */
import { resolve } from 'node:path';
import { putFirstBlobs } from '../../checkpoint/creating.ts';
import { InvalidInputError, StaleWriteError } from '../../errors.ts';
import { loadState } from '../../persistence/state-records.ts';
import { phrase } from '../../phrase.ts';
import type { Claim, Receipt, RecordWrite } from '../../storage/contract.ts';
import { assertTask } from '../../storage/keys.ts';
import { newTaskId } from '../../system/ids.ts';
import { checkMembers } from '../api/checks.ts';
import type { TaskDefinition } from '../api/definition.ts';
import type { Emit } from '../api/events.ts';
import { runnerOf } from '../api/runner.ts';
import { emptyMemory } from '../task/memory.ts';
import { packer } from '../task/packing.ts';
import { enqueue } from '../task/records/queue.ts';
import { type CreationOptions, creation, newTask, type StoredTask, type TaskOptions } from '../task/tasks.ts';
import { announce, toInProgress } from '../task/transitions.ts';
import { handleOf, type TaskHandle } from './handle.ts';
import type { AnyDefinition } from './registry.ts';
import type { Created, RunServices } from './runs.ts';

export interface Starter {
  /** Returns its id. */
  enqueue(definition: AnyDefinition, input: unknown, options: TaskOptions): Promise<string>;
  start(definition: AnyDefinition, input: unknown, options: TaskOptions): Promise<TaskHandle<never>>;
}

export function createStarter(services: RunServices): Starter {
  const { storage, clock, running } = services;

  /** The task, and what must go into the commit that creates it. */
  const prepare = async (
    id: string,
    definition: AnyDefinition,
    input: unknown,
    options: TaskOptions,
    claim?: Claim,
  ): Promise<{ task: StoredTask; records: readonly RecordWrite[] }> => {
    if (options.task_id !== undefined && (await loadState(storage, id))) throw exists(id);
    services.registry.add(definition);
    const { pack } = packer(storage, { task_id: id, lineage: [] }, services.config, {
      ...services,
      redact: services.hooks.redact,
    });
    const { stored, blobs } = pack(input, 'inputs');
    const working_dir = resolve(services.project_dir, options.working_dir ?? '');
    const told_where = options.working_dir !== undefined;
    const task = newTask(id, definition, stored, { ...options, working_dir, told_where }, clock.now());
    const note = { at: task.state.created_at, fence: claim?.fence };
    return { task, records: await putFirstBlobs(storage, id, blobs, note) };
  };

  const make = async (task: StoredTask, options: CreationOptions): Promise<Receipt> => {
    try {
      return await storage.commit(creation(task, options));
    } catch (error) {
      if (error instanceof StaleWriteError) throw exists(task.head.task_id, error);
      throw error;
    }
  };

  return {
    async enqueue(definition, input, options) {
      checkGiven(definition, options);
      const id = options.task_id ?? newTaskId(clock.now());
      const { task, records } = await prepare(id, definition, input, options);
      if (task.state.status === 'queued') await enqueue(storage, task.state.data);
      await make(task, { records });
      tellOfQueued(services.emit, task);
      return id;
    },

    async start(definition, input, options) {
      checkGiven(definition, options);
      const id = options.task_id ?? newTaskId(clock.now());
      running.assertGoing(id);
      const claim = await storage.claim(id);
      let created: Created;
      try {
        const { task, records } = await prepare(id, definition, input, options, claim);
        // In progress from its first commit on: if killed right after it, the task is resumed like any task whose worker
        // died.
        const { state, entries } = toInProgress(
          task.state,
          emptyMemory(),
          task.head.input,
          null,
          clock.now(),
        );
        const by = runnerOf(task.head.definition);
        const moved = { state, entries: entries.map((entry) => ({ ...entry, by })) };
        const { position } = await make(task, { fence: claim.fence, moved, records });
        const code = definition as unknown as TaskDefinition;
        created = { head: task.head, state: moved.state, position: position!, definition: code };
        tellOfQueued(services.emit, task);
        announce(services.emit, task.head, moved.entries);
      } catch (error) {
        await claim.release();
        throw error;
      }
      return handleOf(await running.takeUp(id, { claim, created }));
    },
  };
}

function tellOfQueued(emit: Emit, { state: { task_id: task, task_name } }: StoredTask): void {
  emit({ type: 'task.status', task, task_name, from: null, to: 'queued', reason: null });
}

/** Checks for callers without types. */
function checkGiven(definition: AnyDefinition, { task_id, working_dir, origin = {} }: TaskOptions): void {
  if (task_id !== undefined) assertTask(task_id);
  checkMembers(phrase`The origin of a task`, origin);
  if (typeof definition?.run !== 'function') {
    throw new InvalidInputError('USAGE', phrase`This is not a task: it has no function to run.`, {
      data: { given: typeof definition },
      hint: phrase`Make one with defineTask("name", async (task, input) => …).`,
    });
  }
  if (working_dir !== undefined && typeof working_dir !== 'string') {
    throw new InvalidInputError('USAGE', phrase`The working directory of a task is a path.`, {
      data: { working_dir },
      hint: phrase`Leave it out to work in the project directory.`,
    });
  }
}

function exists(task: string, cause?: unknown): StaleWriteError {
  return new StaleWriteError(phrase`Task ${task} already exists.`, {
    data: { task },
    hint: phrase`Resume that one, or start this one under another id.`,
    ...(cause === undefined ? {} : { cause }),
  });
}
