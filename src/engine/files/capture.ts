/** The files at a checkpoint: a snapshot, and what changed since the checkpoint before it. */
import { type CheckpointRecord, type FileChange, NO_CHANGES } from '../../checkpoint/record/record.ts';
import type { TreeChange } from '../../workspace/tree/diff.ts';
import { sameEntry, type TreeEntry } from '../../workspace/tree/tree.ts';
import type { Entry, FileSpan } from '../task/entries.ts';
import type { Memory } from '../task/memory.ts';
import { fileChanges } from './changes.ts';
import type { WorkspaceLink } from './workspace-link.ts';

export type CapturedFiles = Pick<CheckpointRecord, 'file_changes' | 'snapshot'>;

interface FileCapture {
  /** Notes what is about to be written. */
  take(entries: readonly Entry[]): void;
  /** For a checkpoint now; `last` when none comes after it in this run. */
  now(last: boolean): Promise<CapturedFiles>;
}

/** `before` gives the snapshot of the newest checkpoint there was when the run began. */
export function createFileCapture(
  workspace: WorkspaceLink | null,
  memory: Memory,
  before: () => Promise<string | undefined>,
): FileCapture {
  let previous: Promise<string | undefined> | undefined;
  /** Since the checkpoint before. */
  let spans: FileSpan[] = [];
  let began = new Set<string>();
  let just: string | undefined;
  /** A process that a command left behind may still be writing, even if no watch reports it. */
  let ranCommands = false;

  /** Who changed each file last, as far as the task did. */
  const authors = async (
    workspace: WorkspaceLink,
  ): Promise<Map<string, { by: FileChange['by']; left: TreeEntry | null }>> => {
    const last = new Map<string, { by: FileChange['by']; left: TreeEntry | null }>();
    for (const span of spans) {
      const { from, to } = span.own ?? span;
      for (const { path, after } of await workspace.diff(from, to))
        last.set(path, { by: span.by, left: after });
    }
    return last;
  };

  return {
    take(entries) {
      just = undefined;
      began = new Set();
      for (const entry of entries) {
        if (entry.t === 'begin' && entry.snapshot !== undefined) {
          just = entry.snapshot;
          began.add(entry.id);
        } else if ((entry.t === 'step' || entry.t === 'failure') && entry.files) {
          just = entry.files.to;
          spans.push(entry.files);
          ranCommands ||= entry.files.by === 'shell';
        }
      }
    },
    async now(last) {
      if (!workspace) return { file_changes: NO_CHANGES };
      const full = last && ranCommands;
      // The snapshot of the entries written with the checkpoint is recent enough.
      const snapshot = (full ? undefined : just) ?? (await workspace.snapshot({ full }));
      previous ??= before();
      const from = (await previous) ?? snapshot;
      const changes = from === snapshot ? [] : await workspace.diff(from, snapshot);
      const authored = changes.length > 0 ? await authors(workspace) : null;
      const inProgress = [...memory.begun.keys()].some((id) => !began.has(id));
      previous = Promise.resolve(snapshot);
      spans = [];
      const others = inProgress ? 'unknown' : 'outside';
      const authorOf = ({ path, after }: TreeChange): FileChange['by'] => {
        const own = authored?.get(path);
        return own && sameEntry(own.left, after) ? own.by : others;
      };
      return { snapshot, file_changes: fileChanges(changes, authorOf) };
    },
  };
}
