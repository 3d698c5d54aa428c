/** The registered code of tasks, and what happens when it differs from what a task was started with. */
import type { Config } from '../../config/types.ts';
import { EngineError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { TaskDefinition } from '../api/definition.ts';
import type { Head } from '../task/records/head.ts';

// A definition whose input type is unknown to the engine: the input comes from the store.
export type AnyDefinition = TaskDefinition<never, unknown>;

export interface Registry {
  add(definition: AnyDefinition): void;
  /** Whether one of them declares that it needs the tool. */
  declares(tool: string): boolean;
  /** The code to run a task with; refuses before anything has run. */
  definitionFor(head: Head, warn: (message: string) => void): TaskDefinition;
}

export function createRegistry(policy: Config['recovery']['on_definition_change']): Registry {
  const known = new Map<string, Map<string, TaskDefinition>>();
  return {
    add(definition) {
      const versions = known.get(definition.name) ?? new Map<string, TaskDefinition>();
      // Maps keep insertion order: the newest one is the last.
      versions.delete(definition.fingerprint);
      versions.set(definition.fingerprint, definition as unknown as TaskDefinition);
      known.set(definition.name, versions);
    },

    declares: (tool) =>
      [...known.values()].some((versions) =>
        [...versions.values()].some(({ env_requirements }) => Object.hasOwn(env_requirements, tool)),
      ),

    definitionFor({ definition: { name, fingerprint }, task_id, task_name }, warn) {
      const versions = known.get(name);
      const same = versions?.get(fingerprint);
      if (same) return same;
      const newest = [...(versions?.values() ?? [])].at(-1);
      if (!newest) {
        throw new EngineError(
          'TASK_UNKNOWN',
          phrase`The code of task "${task_name}" (${task_id}) is not registered here: "${name}".`,
          {
            data: { task: task_id, definition: name, known: [...known.keys()] },
            hint: phrase`Name the file with its code with --file, or register the code with the engine first.`,
          },
        );
      }
      const message = phrase`The code of "${name}" is not what task "${task_name}" (${task_id}) was started with.`;
      if (policy === 'warn') {
        warn(`${message} ${phrase`It continues with the new code; remembered results are kept.`}`);
        return newest;
      }
      throw new EngineError('DEFINITION_CHANGED', message, {
        data: { task: task_id, definition: name, started_with: fingerprint, found: newest.fingerprint },
        hint:
          policy === 'pin'
            ? phrase`Keep the version it was started with next to the new one, or set recovery.on_definition_change to "warn".`
            : phrase`Put the old code back, start the task again, or set recovery.on_definition_change to "warn".`,
      });
    },
  };
}
