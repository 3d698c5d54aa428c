/** The task's files that others changed while it was stopped: decides which version to keep, before anything is changed. */

import type { CheckpointRecord } from '../../checkpoint/record/record.ts';
import type { Config } from '../../config/types.ts';
import { EngineError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { choiceFor, FILE_OPTIONS } from '../../workspace/restore/decide.ts';
import { makesToolsRun } from '../../workspace/restore/plan.ts';
import type { TreeChange } from '../../workspace/tree/diff.ts';
import type { Prompter } from '../api/prompter.ts';
import { userResolver } from './ask-user.ts';
import { type Deciding, deciding, type FileChoices } from './choices.ts';
import { unlessLost } from './lost.ts';
import type { FileEntries } from './own-changes.ts';
import type { WorkspaceLink } from './workspace-link.ts';

export interface Outside {
  /** The undecided ones. */
  readonly open: readonly string[];
  /** Restores or merges files as decided, and reports that. */
  apply(): Promise<OutsideApplied>;
}

interface OutsideApplied {
  readonly notes: readonly string[];
  /** The files after it, where it changed any. */
  readonly snapshot?: string;
}

export interface OutsideChoices extends FileChoices {
  /** Decides about what is left open. */
  readonly on_environment?: unknown;
  /** Files that are restored anyway, and decided about then. */
  readonly except?: ReadonlySet<string>;
  /** The file entries of its journal, if already read. */
  readonly known?: FileEntries | undefined;
  /** Files the task only read: asked about if they are gone, reported if they changed. */
  readonly reads?: ReadonlySet<string>;
}

/** Merges are computed here, so that it can refuse before anything is changed. */
export async function decideOutside(
  { workspace, config }: { readonly workspace: WorkspaceLink | null; readonly config: Config },
  checkpoint: CheckpointRecord,
  given: OutsideChoices,
  prompter: Prompter | undefined,
): Promise<Outside> {
  if (!workspace) return { open: [], apply: async () => ({ notes: [] }) };
  const asking = given.on_environment === undefined ? prompter : undefined;
  const { choices } = deciding(config, given, { task: checkpoint.task_id, prompter: asking });
  const open: string[] = [];
  const back: TreeChange[] = [];
  const both: TreeChange[] = [];
  const merged = new Map<string, Uint8Array | null>();
  const read: string[] = [];
  const lost: string[] = [];
  const since = await unlessLost(
    () => workspace.changedSince(checkpoint, given.reads, given.known),
    [],
    (why) => lost.push(phrase`Whether others changed the files of the task is not known: ${why}`),
  );
  for (const { only_read = false, ...change } of since) {
    if (given.except?.has(change.path)) continue;
    if (only_read && change.after !== null) {
      read.push(change.path); // Others may change it, and the task has what it read.
      continue;
    }
    const chosen = await choose(change, choices);
    if (chosen === 'abort') throw aborted(checkpoint, change.path);
    if (chosen === null) open.push(change.path);
    if (chosen === 'use_checkpoint' || chosen === 'restore') back.push(change);
    if (chosen === 'merge') {
      const user = asking ? userResolver(asking, checkpoint.task_id) : null;
      const content = await workspace.merged(checkpoint, change, user);
      if (content === undefined) continue;
      merged.set(change.path, content);
      both.push(change);
    }
  }
  return {
    open,
    apply: async () => {
      const changes = [...back, ...both];
      const undo = changes.length > 0 ? await workspace.putBack(checkpoint, changes, merged) : undefined;
      const changed = read.length > 0 ? [phrase`Changed since the task read them: ${read}.`] : [];
      changed.push(...lost);
      if (undo === undefined) return { notes: changed };
      const { before, after: snapshot } = undo;
      const paths = (which: readonly TreeChange[]): string[] => which.map(({ path }) => path);
      const was = phrase`What was there: vibe-engine files ${before}`;
      const notes = [
        ...changed,
        ...(back.length > 0 ? [`${phrase`Restored as the task had left them: ${paths(back)}.`} ${was}`] : []),
        ...(both.length > 0 ? [`${phrase`Merged with what others changed: ${paths(both)}.`} ${was}`] : []),
      ];
      return { notes, snapshot };
    },
  };
}

/** Null if undecided. */
async function choose(
  { path, before, after }: TreeChange,
  choices: Deciding['choices'],
): Promise<string | null> {
  const kind = after === null ? 'deleted' : 'modified';
  const chosen = choiceFor(path, kind, choices);
  if (chosen !== 'ask') return chosen;
  const options: readonly string[] = FILE_OPTIONS[kind];
  const runs = makesToolsRun(path);
  const answer = await choices.ask?.({ path, kind, current: after, checkpoint: before, options, runs });
  return options.find((option) => option === answer) ?? null;
}

function aborted({ task_id: task, id }: CheckpointRecord, path: string): EngineError {
  return new EngineError('ENVIRONMENT_CHANGED', phrase`Others changed ${path} since the task last ran.`, {
    data: { task, checkpoint: id, path },
    hint: phrase`Nothing was changed. Fix it, then resume the task again.`,
  });
}
