/** The engine's questions about files, answered by a workspace and the task's journal. */

import type { CheckpointRecord } from '../../checkpoint/record/record.ts';
import { phrase } from '../../phrase.ts';
import { rootId } from '../../workspace/git/noted.ts';
import type { HeldReservation } from '../../workspace/reservations/reservations.ts';
import { unanswered } from '../../workspace/restore/decide.ts';
import { withoutOthers } from '../../workspace/restore/others.ts';
import { joinSteps, type OwnChange } from '../../workspace/restore/plan.ts';
import type { RestoreResult, SnapshotSpan } from '../../workspace/restore/restore.ts';
import { entryAt, sameEntry, type TreeEntry } from '../../workspace/tree/tree.ts';
import type { Services } from '../api/services.ts';
import type { Point } from '../task/cut.ts';
import { isWithheld, unlessWithheld } from '../task/records/withheld.ts';
import { filesIn, ofFiles } from './changes.ts';
import { createFileAccess, type OpenWorkspace } from './file-access.ts';
import { nothingCaptured, unlessLost } from './lost.ts';
import { mergeOutside } from './merge-outside.ts';
import { LOOK_BACK, withOthers } from './others.ts';
import { type FileEntries, firstSnapshot, pointOf, spansAfter, spansOf } from './own-changes.ts';
import { ownPart } from './own-part.ts';
import { isDirectory, lostSnapshotNotes, notesOn, planned } from './put-back.ts';
import type { SpanReader } from './spans.ts';
import { versionsSince } from './versions.ts';
import type { WorkspaceLink } from './workspace-link.ts';

interface OwnChanged {
  readonly steps: readonly OwnChange[];
  /** The snapshots that the first one began with, and the last one ended with. */
  readonly since: string;
  readonly until: string;
}
type OwnChanges = Map<string, OwnChanged>;

/** `watch`: from the first snapshot on. */
export function linkWorkspace(services: Services, open: OpenWorkspace, watch: boolean): WorkspaceLink {
  const { storage } = services;
  const { workspace, reservations, resolvers } = open;
  const place = rootId(workspace.root);
  const naming = (files: readonly string[]): void => services.notify(whatToolsRun(files));
  const access = createFileAccess(services, open);
  let watching: Promise<boolean> | undefined;

  const snapshot = async (options?: { readonly full?: boolean }): Promise<string> => {
    watching ??= watch ? workspace.watch() : Promise.resolve(false);
    await watching.catch((error) => {
      watching = undefined;
      throw error;
    });
    return (await workspace.snapshot({ ...options, promised: true })).id;
  };

  /** The spans, the last of them up to the files as they are, and what other tasks did in the meantime. */
  const own = async (task: string, reader: SpanReader, most?: number): Promise<SnapshotSpan[]> => {
    const known = await withOthers(storage, { task, place, most }, reader.spans());
    const all = new Set(known.flatMap(({ others }) => others.flatMap(({ from, to }) => [from, to])));
    const there = new Set<string>();
    await Promise.all([...all].map(async (id) => ((await isThere(id)) ? there.add(id) : null)));
    const spans: SnapshotSpan[] = [];
    for (const { during: _, others, ...span } of known)
      spans.push({
        ...span,
        to: span.to ?? (await snapshot()),
        others: others.filter(({ from, to }) => there.has(from) && there.has(to)),
      });
    return spans;
  };
  const isThere = (id: string): Promise<boolean> =>
    workspace.tree(id).then(
      () => true,
      () => false,
    );

  /** What a task changed, each file from before its first change on. */
  const changesBy = async (task: string, reader: SpanReader, most?: number): Promise<OwnChanges> => {
    const paths: OwnChanges = new Map();
    const diff = (from: string, to: string) =>
      unlessLost(
        () => workspace.diff(from, to),
        [],
        (why) => services.notify([filesUnknown(why)]),
      );
    for (const { from, to, paths: only, unseen, others = [] } of await own(task, reader, most)) {
      const theirs = [];
      for (const { doubtful = false, near = false, ...span } of others)
        theirs.push({ doubtful, near, changes: await diff(span.from, span.to) });
      for (const { path, steps } of withoutOthers(await diff(from, to), theirs)) {
        if (steps.length === 0 || (only && !only.includes(path))) continue;
        const known = paths.get(path);
        if (unseen && !known && steps[0]!.before === null) continue;
        const since = known?.steps.length ? known.since : from;
        paths.set(path, { since, until: to, steps: steps.reduce(joinSteps, known?.steps ?? []) });
      }
    }
    return paths;
  };
  /** What it did not change back. */
  const changedBy = async (task: string, reader: SpanReader, most?: number): Promise<string[]> => {
    const changes = [...(await changesBy(task, reader, most))].flatMap(([path, { steps }]) =>
      steps.length === 0 ? [] : [{ path, before: steps[0]!.before, after: steps.at(-1)!.after }],
    );
    return filesIn(changes.filter(({ before, after }) => !sameEntry(before, after))).sort();
  };

  /** The files as the task left them; null while an operation is in progress. */
  const leftBy = async (checkpoint: CheckpointRecord, known?: FileEntries): Promise<string | null> =>
    (await spansAfter(storage, checkpoint.task_id, pointOf(checkpoint), known)).newest();

  const backTo = async (task: string, point: Point, known?: FileEntries) => {
    const reader = await spansAfter(storage, task, point, known);
    const spans = await own(task, reader);
    const ran = reader.ran();
    // If nothing was captured, the target is the state before the task's first change since then.
    const to = point.snapshot ?? spans[0]?.from ?? ran?.from ?? (await snapshot());
    return { to, own: spans, ...(ran && { ran_since: ran.since, ran_from: ran.from }) };
  };

  const changedIn = async ({ restored, merged, undo }: RestoreResult): Promise<string[]> => {
    const [before, after] = [await workspace.tree(undo.before), await workspace.tree(undo.after)];
    const files = restored.filter(
      (path) => !isDirectory({ current: entryAt(before, path), target: entryAt(after, path) }),
    );
    return [...new Set([...files, ...merged.map(({ path }) => path)])].sort();
  };

  /** Withheld content is not lost: it has its own error. */
  const doingWithout = (task: string) => ({
    do_without: async (lost: string) => !(await isWithheld(storage, task, lost)),
  });
  const onLost = (snapshots: readonly string[], unknown: boolean): void =>
    services.notify(lostSnapshotNotes(snapshots, unknown));

  return {
    root: workspace.root,
    place,
    access,
    async reserve(task, agent, { files = [], reads = [] }) {
      const owner = `${task}${agent}`;
      const held: HeldReservation[] = [];
      const release = async (): Promise<void> => {
        for (const one of held) await one.release();
      };
      try {
        for (const [operation, paths] of [['write', files] as const, ['read', reads] as const])
          if (paths.length > 0) held.push(await reservations.reserve({ owner, operation, paths }));
      } catch (error) {
        await release();
        throw error;
      }
      return release;
    },
    takeBackReserved: reservations.takeBack,
    snapshot,
    flush: workspace.flush,
    diff: (from, to) => unlessLost(() => workspace.diff(from, to), []),
    async settle(task, from, now, paths) {
      const since = await unlessLost(
        () => workspace.diff(from, now),
        null,
        (why) => services.notify([filesUnknown(why)]),
      );
      if (since === null) return null;
      const changed = filesIn(since).filter((path) => paths?.includes(path) ?? true);
      const others = await changedBy(task, await spansOf(storage, task));
      return { changed, unchanged: others.filter((path) => !changed.includes(path)) };
    },
    ownPart: (from, to, wrote) => ownPart(workspace, from, to, wrote),
    async changedSince(checkpoint, reads = new Set(), known) {
      if (checkpoint.snapshot === undefined) return [];
      const left = await leftBy(checkpoint, known);
      if (left === null) return []; // An operation was interrupted: its changes are reported separately.
      const changes = await workspace.diff(left, await snapshot());
      if (changes.length === 0) return [];
      const reader = await spansOf(storage, checkpoint.task_id, known);
      const mine = new Set(await changedBy(checkpoint.task_id, reader));
      return ofFiles(changes)
        .filter(({ path }) => mine.has(path) || reads.has(path))
        .map((change) => (mine.has(change.path) ? change : { ...change, only_read: true }));
    },
    merged: (checkpoint, change, user) =>
      unlessWithheld(storage, checkpoint.task_id, async () => {
        const { path, before, after } = change;
        const left = await leftBy(checkpoint);
        const own = (await changesBy(checkpoint.task_id, await spansOf(storage, checkpoint.task_id))).get(
          path,
        );
        const now = await snapshot();
        const read = async (entry: TreeEntry | null, snapshot: string | null | undefined) => {
          if (entry === null) return null;
          const found = snapshot ? entryAt(await workspace.tree(snapshot), path) : null;
          if (entry.kind !== 'file' || !sameEntry(found, entry)) throw unanswered([path]);
          return workspace.read(snapshot!, path);
        };
        if (!own?.steps.length) throw unanswered([path]);
        const sides = {
          path,
          // What others had changed by then may be changed again.
          base:
            (await workspace.without(path, before, own.steps)) ??
            (await read(own.steps[0]!.before, own.since)),
          ours: await read(before, left),
          theirs: await read(after, now),
        };
        const intent = 'what the task did to this file';
        const asked = user ? [...resolvers, user] : resolvers;
        const asking = { storage, root: workspace.root, resolvers: asked, intent, since: async () => null };
        return mergeOutside(asking, sides);
      }),
    putBack: (checkpoint, changes, merged) =>
      unlessWithheld(storage, checkpoint.task_id, async () => {
        const left = await leftBy(checkpoint);
        if (left === null) return undefined;
        const now = await snapshot();
        const tree = await workspace.tree(now);
        // The user who was asked has not seen later changes.
        const again = changes.filter(({ path, after }) => !sameEntry(entryAt(tree, path), after));
        if (again.length > 0) throw unanswered(again.map(({ path }) => path));
        const paths = changes.map(({ path }) => path);
        let wanted = now;
        for (const [path, content] of merged) wanted = await workspace.amend(wanted, path, content, left);
        const own = [
          { from: left, to: now, paths: paths.filter((path) => !merged.has(path)) },
          { from: wanted, to: now, paths: [...merged.keys()] },
        ];
        const { undo } = await workspace.restore({ to: left, own, paths, naming });
        return undo;
      }),
    lastLeft: (task, path, now) =>
      unlessLost(async () => {
        const first = await firstSnapshot(storage, task);
        if (first === null) return undefined;
        const name = access.nameInSnapshots(path);
        const start = await access.readAt(first, path);
        if (start === undefined || (start && Buffer.compare(start, now) === 0)) return undefined;
        const reader = await spansOf(storage, task);
        const sure = { ...reader, spans: () => reader.spans().filter(({ doubtful }) => !doubtful) };
        const own = (await changesBy(task, sure)).get(name);
        return own?.steps.length ? access.readAt(own.until, path) : start;
      }, undefined),
    filesModified: (task, known) =>
      unlessLost(async () => changedBy(task, await spansOf(storage, task, known), LOOK_BACK), []),
    previewRollback: (task, point, { known, whole = false, ...how } = {}) =>
      unlessWithheld(storage, task, async () => {
        const refuse = (_: readonly string[], unknown: boolean): void => {
          if (whole && unknown) throw nothingCaptured(task);
        };
        const back = await backTo(task, point, known);
        const options = { ...how, ...back, ...doingWithout(task), onLost: refuse };
        const from = { ...point, snapshot: back.to };
        const versions = versionsSince(storage, from, task, workspace.tree, known);
        return planned(await workspace.preview({ ...options, versions, may_leave: !whole, resolvers }));
      }),
    rollback: (task, point, { whole = false, ...how }, known) =>
      unlessWithheld(storage, task, async () => {
        const back = await backTo(task, point, known);
        // Everything is read before the first change: an interrupted restore would be finished without it.
        const without = whole ? { do_without: async () => false } : { ...doingWithout(task), onLost };
        const options = { ...how, ...back, ...without, may_leave: !whole };
        const result = await workspace.restore({ ...options, naming, resolvers });
        return { files: await changedIn(result), undo: result.undo, place, notes: notesOn(result) };
      }),
    previewRedo: (task, steps, how) =>
      unlessWithheld(storage, task, async () =>
        planned(await workspace.preview({ ...how, ...steps, ...AGAIN, resolvers })),
      ),
    redo: (task, steps, how) =>
      unlessWithheld(storage, task, async () => {
        const result = await workspace.restore({ ...how, ...steps, ...AGAIN, naming, resolvers });
        const { before: from, after: to } = result.undo;
        const files = await changedIn(result);
        return { ...notesOn(result), files, ...(from === to ? {} : { changed: { from, to, place } }) };
      }),
  };
}

const AGAIN = { may_leave: true, intent: phrase`to do once more what a task did to this file` };

function filesUnknown(why: string): string {
  return phrase`Which files the task changed is not known for all of its steps: ${why}`;
}

export function whatToolsRun(files: readonly string[]): string[] {
  return [phrase`⚠️ Tools execute the content of these files, and they are restored: ${files.join(', ')}`];
}
