/** Starts a task again with the same code and input; the old one is cancelled. */
import { DriftError, EngineError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Claim } from '../../storage/contract.ts';
import { isFinal } from '../../task/status.ts';
import type { Prompter } from '../api/prompter.ts';
import type { FileChoices } from '../files/choices.ts';
import { RestartWanted } from '../git/asking.ts';
import { BY_HAND } from '../git/by-hand.ts';
import { rebasedLine } from '../git/notice.ts';
import type { RepositoryDrift } from '../git/repository-drift.ts';
import { asOnlyWriter } from '../recovery/commit-rollback.ts';
import { canRedo } from '../recovery/redo.ts';
import type { UndoResult } from '../recovery/undo.ts';
import { refuseStillRunning } from '../run/still-running.ts';
import { readMemory } from '../task/journal.ts';
import { packer } from '../task/packing.ts';
import { requireTask } from '../task/tasks.ts';
import type { TaskHandle } from './handle.ts';
import type { AnyDefinition } from './registry.ts';
import type { RunServices } from './runs.ts';
import type { Starter } from './start.ts';
import { cancelTask } from './stop.ts';
import { leftLines } from './take-back.ts';
import type { Timeline } from './timeline.ts';

/** What a restart is made of. */
interface RestartParts {
  readonly start: Starter['start'];
  /** Undoes the task's changes to files. */
  readonly undo: Timeline['undo'];
  /** Redoes them. */
  readonly redo: Timeline['redo'];
}

export interface RestartOptions extends FileChoices {
  /** False keeps the old task's changes to files; default: they are undone first. */
  readonly undo?: boolean;
  /** Rebase the branch onto upstream first; REBASE_REFUSED, and nothing changed, where that cannot be done. */
  readonly upstream?: boolean;
  /** Asked about files that others changed too; default: the engine's. */
  readonly prompter?: Prompter;
}

interface Restarting {
  /** TASK_OWNED while someone runs it. */
  restart(id: string, options?: RestartOptions): Promise<TaskHandle>;
  /** Starts, unless the user answers that the task should start again instead, on top of upstream. */
  orRestart(
    id: string | undefined,
    options: RestartOptions | undefined,
    begin: () => Promise<TaskHandle>,
  ): Promise<TaskHandle>;
}

export function restarting(services: RunServices, parts: RestartParts): Restarting {
  return {
    restart: (id, options) => restartTask(services, parts, id, options),
    async orRestart(id, { on_modified, on_deleted, files, prompter } = {}, begin) {
      try {
        return await begin();
      } catch (error) {
        if (id === undefined || !(error instanceof RestartWanted)) throw error;
        const choices = { on_modified, on_deleted, files, prompter };
        return restartTask(services, parts, id, { ...given(choices), upstream: true });
      }
    },
  };
}

async function restartTask(
  services: RunServices,
  parts: RestartParts,
  id: string,
  { undo = true, upstream = false, ...choices }: RestartOptions = {},
): Promise<TaskHandle<never>> {
  const { head, state } = await requireTask(services.storage, id);
  const { task_name, working_dir, told_where, origin } = head;
  const over = isFinal(state.status);
  if (!over) await refuseStillRunning(services.storage, head, await readMemory(services.storage, head));
  const definition = services.registry.definitionFor(head, (message) => services.notify([message]));
  const input = await packer(services.storage, head, services.config).unpack(head.input);
  const undone = undo ? await undoIfAny(services, parts, id, choices) : null;
  const { drift } = await services.workingDirectories.of(head);
  const moved =
    upstream && (await moveOrBringBack(services, parts, drift, id, undone?.done === true, choices));
  // Nothing is pending in a task that has ended.
  if (!over) {
    if (!moved) await asOnlyWriter(services, id, drift.restarted);
    await cancelTask(services, id, phrase`started again`);
  }
  const handle = await parts.start(definition as unknown as AnyDefinition, input, {
    task_name,
    ...(told_where ? { working_dir } : {}),
    ...(origin ? { origin } : {}),
  });
  const { head: left } = await requireTask(services.storage, id);
  const back =
    undone?.done && (await canRedo(services.storage, left)) ? [services.command(`redo ${id}`)] : [];
  services.notify([
    ...told(undone),
    over
      ? phrase`Task "${task_name}" was started again as ${handle.id}.`
      : phrase`Task "${task_name}" was started again as ${handle.id}; the old one is cancelled.`,
    ...back.map((redo) => phrase`To bring back the old task’s changes to files: ${redo}`),
  ]);
  return handle;
}

/**
 * Null if there is nothing to undo. Changes that cannot be undone would be made twice: then the error says how to restart
 * anyway.
 */
async function undoIfAny(
  { command }: RunServices,
  { undo }: RestartParts,
  id: string,
  choices: FileChoices,
): Promise<UndoResult | null> {
  try {
    return await undo(id, choices);
  } catch (error) {
    if (!(error instanceof EngineError && error.code === 'NOTHING_TO_UNDO')) throw error;
    if (error.data.remains !== true) return null;
    throw new EngineError('NOTHING_TO_UNDO', error.message, {
      data: error.data,
      hint: phrase`Nothing was changed. To start it again and leave its files as they are: ${command(`restart ${id} --keep-files`)}`,
    });
  }
}

/**
 * Returns whether the branch was moved; false if upstream has nothing new. If it cannot be moved, what was undone is redone.
 */
async function moveOrBringBack(
  services: RunServices,
  { redo }: RestartParts,
  drift: RepositoryDrift,
  id: string,
  undone: boolean,
  choices: FileChoices,
): Promise<boolean> {
  try {
    const move = (claim: Claim) => drift.rebase(claim, { without_tests: true, resolution: 'task_restarted' });
    const { onto, backup_ref } = await asOnlyWriter(services, id, move);
    services.notify([rebasedLine(onto, backup_ref)]);
    return true;
  } catch (error) {
    if (error instanceof DriftError && error.data.why === 'nothing new') return false;
    if (undone) await redo(id, choices);
    if (!(error instanceof DriftError)) throw error;
    const { message, data } = error;
    const undo = undone ? [services.command(`undo ${id}`)] : [];
    const steps = [...undo, BY_HAND, services.command(`restart ${id}`)].join('; ');
    throw new DriftError('REBASE_REFUSED', phrase`The task was not started again. ${message}`, {
      data,
      hint: phrase`Nothing was changed. To start it again on top of upstream: ${steps}. To start it again on what is here: ${services.command(`restart ${id}`)}.`,
    });
  }
}

function told(undone: UndoResult | null): string[] {
  if (!undone) return [];
  const { files, notes } = undone;
  return [
    ...(files && files.length > 0 ? [phrase`The old task’s changes to files were undone: ${files}.`] : []),
    ...leftLines(notes),
  ];
}

/** Without what was not given. */
function given<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}
