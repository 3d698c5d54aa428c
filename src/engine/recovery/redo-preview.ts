/** What a redo would bring back. Reads only. */
import { phrase } from '../../phrase.ts';
import { undoing } from '../../workspace/restore/restore.ts';
import { servicesAt } from '../run/services.ts';
import { parseEntry } from '../task/entries.ts';
import { isDead } from '../task/records/head.ts';
import { requireTask } from '../task/tasks.ts';
import type { RollbackServices } from './commit-rollback.ts';
import { chosenIn, conversationCut } from './previewing.ts';
import { isFilesOnly, nothingToRedo, redoable } from './redo.ts';
import type { PreviewOptions } from './rollback.ts';
import type { RedoPreview } from './rollback-results.ts';

/** NOTHING_TO_REDO where there is none. Needs no claim. */
export async function previewRedo(
  services: RollbackServices,
  task: string,
  options: PreviewOptions = {},
): Promise<RedoPreview> {
  const { storage } = services;
  const { seq: expect } = await storage.position(task); // First: a later write makes the preview outdated.
  const { head, state } = await requireTask(storage, task);
  const { undone } = await redoable(storage, head);
  const { from, to } = head.undone.at(-1)!;
  const files_only = isFilesOnly(head, undone);
  const entries: Record<string, number> = {};
  const steps: RedoPreview['steps'][number][] = [];
  if (!files_only)
    for await (const { seq, data } of storage.read(task, { from, to })) {
      if (isDead(undone.dead, seq)) continue;
      const entry = parseEntry(data, seq);
      entries[entry.t] = (entries[entry.t] ?? 0) + 1;
      if (entry.t === 'step' || (entry.t === 'failure' && entry.final))
        steps.push({ id: entry.id, name: entry.name, status: entry.t === 'step' ? 'success' : 'failed' });
    }
  const { workspace } = await servicesAt(services, head);
  const previewed = async (undo: NonNullable<typeof undone.files>) => {
    if (!workspace) throw nothingToRedo(task, phrase`it changed files, and files are not captured here`);
    return workspace.previewRedo(task, undoing(undo), chosenIn(services, options));
  };
  const plan = undone.files && (await previewed(undone.files));
  return {
    task,
    checkpoint: undone.checkpoint,
    entries,
    steps,
    files: plan?.filter(({ action }) => action !== 'keep').map(({ path }) => path) ?? null,
    plan,
    expect,
    conversation:
      files_only && undone.checkpoint !== null ? null : await conversationCut(storage, head, null),
    status: files_only ? state.status : undone.state.status,
    files_only,
    more: head.undone.length,
  };
}
