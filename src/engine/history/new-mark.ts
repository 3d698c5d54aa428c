/** The mark of a new checkpoint; `marks.ts` reads it. */
import type { CheckpointRecord } from '../../checkpoint/record/record.ts';
import { usualPriority } from '../../checkpoint/triggers.ts';
import { packValue } from '../../checkpoint/values/pack.ts';
import { packNamed } from '../../checkpoint/values/stored.ts';
import type { CheckpointsConfig } from '../../config/types.ts';
import type { NewBlob } from '../../storage/contract.ts';
import type { Entry } from '../task/entries.ts';
import type { Mark } from '../task/mark.ts';
import type { Moment } from './checkpoint-body.ts';
import { agentOf, snapshotOf, usualTrigger } from './marks.ts';

/** Without what the entry says. */
export function newMark(
  moment: Omit<Moment, 'journal' | 'at'>,
  entry: Entry,
  drops: readonly number[],
  settings: CheckpointsConfig,
): { readonly mark: Mark; readonly blobs: readonly NewBlob[] } {
  const { sequence, trigger, priority, agent, snapshot, file_changes, metadata, requires, error } = moment;
  const blobs: NewBlob[] = [];
  const mark: { -readonly [K in keyof Mark]: Mark[K] } = { n: sequence };
  if (trigger !== usualTrigger(entry)) mark.by = trigger;
  if (priority !== usualPriority(trigger)) mark.priority = priority;
  if (agent !== agentOf(entry)) mark.agent = agent;
  if (snapshot !== snapshotOf(entry)) mark.snapshot = snapshot;
  if (hasChanges(file_changes)) {
    const { stored, blob } = packValue(file_changes, 'file_changes', settings);
    mark.changes = stored;
    if (blob) blobs.push(blob);
  }
  if (Object.keys(metadata).length > 0) {
    const packed = packNamed(metadata, settings);
    mark.metadata = packed.stored;
    blobs.push(...packed.blobs);
  }
  if (Object.keys(requires).length > 0) mark.requires = { ...requires };
  if (error) mark.error = error;
  if (drops.length > 0) mark.drops = drops.map((n) => sequence - n);
  return { mark, blobs };
}

function hasChanges({ modified, created, deleted }: CheckpointRecord['file_changes']): boolean {
  return modified.length + created.length + deleted.length > 0;
}
