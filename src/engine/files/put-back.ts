/** Notes about restored files: also about those that were not, so that they are not overlooked. */

import { phrase } from '../../phrase.ts';
import type { RestoreOutcome } from '../../workspace/restore/apply.ts';
import { shownPath } from '../../workspace/restore/on-disk.ts';
import type { PlanItem } from '../../workspace/restore/plan.ts';
import type { PreviewItem } from '../../workspace/restore/preview.ts';
import type { RestoreResult } from '../../workspace/restore/restore.ts';
import type { TreeEntry } from '../../workspace/tree/tree.ts';
import { hashOf } from './changes.ts';
import type { FileNotes, PlannedFile } from './workspace-link.ts';

export function notesOn({ left, kept, displaced, merged }: RestoreResult): FileNotes {
  const stayed = kept.filter(({ why }) => why !== 'already');
  return {
    left: [...left, ...stayed].sort((a, b) => (a.path < b.path ? -1 : 1)),
    displaced,
    review: merged.filter(({ by }) => by !== undefined).map(({ path }) => path),
  };
}

/** Why a file stays as it is. */
export const LEFT: Readonly<Record<string, string>> = {
  chosen: phrase`as chosen`,
  changed: phrase`someone changed it at that moment`,
  blocked: phrase`something is in its way`,
  attributes: phrase`its owner, its access list or its attributes could not be kept`,
  not_captured: phrase`its current content was not captured`,
  content_missing: phrase`its content was in git, and is no longer there`,
  content_lost: phrase`the store has lost its content`,
  link_outside: phrase`it is a link out of the project`,
  new: phrase`it is new, and nobody knows whose it is`,
};

/** Of snapshots that cannot be read. */
export function lostSnapshotNotes(snapshots: readonly string[], unknown: boolean): string[] {
  return [
    phrase`⚠️ These snapshots cannot be read: ${snapshots}. You are asked about files that changed between the snapshots before and after them, because others may have changed them.`,
    ...(unknown ? [phrase`⚠️ The task’s first changes are no longer known: they stay as they are.`] : []),
  ];
}

/** For an interrupted restore that the next process finished. */
export function finishedLaterNotes({ left, displaced }: RestoreOutcome): string[] {
  return [
    ...left.map(
      ({ path, why }) => phrase`⚠️ ${path} was left as it is when files were restored: ${LEFT[why] ?? why}.`,
    ),
    ...displaced.map(
      ({ path, blob }) => phrase`⚠️ ${path} was saved while files were restored: kept as ${blob}.`,
    ),
  ];
}

export function planned(plan: readonly PreviewItem[]): PlannedFile[] {
  return plan
    .filter((item) => item.why === 'not_captured' || !isDirectory(item))
    .map(({ steps: _, target: __, current, wanted, ...item }) => ({
      ...item,
      path: shownPath(item.path),
      before_hash: hashOf(current),
      after_hash: hashOf(wanted),
      mode: modesOf(current, wanted),
    }));
}

/** Null where both have the same, or one has none. */
export function modesOf(before: TreeEntry | null, after: TreeEntry | null): PlannedFile['mode'] {
  if (before?.kind !== 'file' || after?.kind !== 'file' || before.mode === after.mode) return null;
  const shown = (mode: number): string => mode.toString(8).padStart(4, '0');
  return { before: shown(before.mode), after: shown(after.mode) };
}

/** Directories follow the files in them, and are not reported, unless their mode changed. */
export function isDirectory({ current, target }: Pick<PlanItem, 'current' | 'target'>): boolean {
  if (current?.kind === 'dir' && target?.kind === 'dir') return current.mode === target.mode;
  return (target ?? current)?.kind === 'dir';
}
