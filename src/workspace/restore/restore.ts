/** Restores files: first a snapshot, then the plan, then the questions, and only then the files. */

import { answering } from '../../errors.ts';
import type { LocalLocks } from '../../system/locks/locks.ts';
import type { WantedFile } from '../capture/capture.ts';
import type { Dirty } from '../capture/dirty.ts';
import { recordResolutions } from '../resolve/recorded.ts';
import type { Resolver } from '../resolve/resolver.ts';
import { readableSpans, type SnapshotSpan } from '../snapshot/lost-snapshots.ts';
import { isLost } from '../snapshot/snapshots.ts';
import { diffKnown } from '../tree/diff.ts';
import { assertFits, type NameRules } from '../tree/names.ts';
import { entryAt, joinPath, parentOf, type Tree } from '../tree/tree.ts';
import type { RestoreItem, RestoreOutcome, Undo } from './apply.ts';
import { type CarryServices, carryOut, finishRestores } from './carry-out.ts';
import { assertThere } from './content-there.ts';
import { assertDecidable, decideAll, type RestoreChoices } from './decide.ts';
import { closedAbove } from './directories.ts';
import { lostAmong, NONE_LOST, withoutLost } from './do-without.ts';
import { sizeOf } from './file-details.ts';
import { keepCurrent } from './keep-current.ts';
import { withoutLinksOut } from './links.ts';
import { type Answer, isMergedBack, mergedAs, undecidedLines } from './merge-back.ts';
import { shownPath } from './on-disk.ts';
import { changedByOthers } from './own-part.ts';
import { type KeepReason, type OwnSpan, type PlanItem, planRestore } from './plan.ts';
import { withSafeBits } from './safe-bits.ts';
import { capturedLater, isRepositoryLost, uncapturedSince } from './uncaptured.ts';

export type { SnapshotSpan };

export interface RestoreOptions extends RestoreChoices {
  /** The snapshot to go back to. */
  readonly to: string;
  /**
   * Spans of snapshots, in order, between which only the task changed files: those changes are undone. Default: all changes
   * between `to` and the newest snapshot are the task's, and later ones are others'.
   */
  readonly own?: readonly SnapshotSpan[];
  /** Only these paths; default: all. */
  readonly paths?: readonly string[];
  /** What for, as resolvers are told; default: to undo the task's changes. */
  readonly intent?: string;
  /** Asked in this order where a merge meets lines that both changed, before `ask` is. */
  readonly resolvers?: readonly Resolver[];
  /**
   * Called when everything is decided, before the first file is changed; `before` is the snapshot that was taken first,
   * `decided` the blobs of files about whose lines somebody decided.
   */
  readonly begin?: (before: string, decided: Readonly<Record<string, string>>) => Promise<void>;
  /** Called before the first file is changed with the restored files whose content tools execute. */
  readonly naming?: (files: readonly string[]) => void;
  /**
   * Called for each lost snapshot or content: whether to continue without it, leaving those files as they are. Otherwise it
   * is an error before anything is changed. Default: content is only checked to exist, not read, before the first change.
   */
  readonly do_without?: (lost: string) => Promise<boolean>;
  /** Called with snapshots that cannot be read; `unknown`: what was there before the first change is not known either. */
  readonly onLost?: (snapshots: readonly string[], unknown: boolean) => void;
  /** Since when commands ran, in milliseconds: what they may have done to uncaptured files is reported. */
  readonly ran_since?: number;
  /** The snapshot before the first of them. */
  readonly ran_from?: string;
  /** The snapshot before a restore that was interrupted and that this one completes: `undo` undoes both. */
  readonly since?: string;
}

/** What is undone, and where that leads. */
export type Steps = Required<Pick<RestoreOptions, 'to' | 'own'>>;

export interface RestoreResult extends RestoreOutcome {
  /** Files of the task that stay as they are, by the plan or by choice. */
  readonly kept: readonly { readonly path: string; readonly why: KeepReason | 'chosen' }[];
  /** Files that were merged; `by`: the resolver that settled lines which both had changed. */
  readonly merged: readonly { readonly path: string; readonly by?: string }[];
  readonly undo: Undo;
}

export interface RestoreServices extends CarryServices {
  readonly nameRules: NameRules;
  readonly locks: () => Promise<LocalLocks>;
  readonly newest: () => Promise<string>;
  /** A snapshot; of these names alone, when nothing else can have changed since the last. */
  readonly take: (dirty?: Dirty) => Promise<{ id: string; tree: Tree }>;
  readonly tree: (snapshot: string) => Promise<Tree>;
  /** Captures these files from now on, even if the rules exclude them. */
  readonly also: (files: readonly WantedFile[]) => void;
  /** A snapshot like another one, except for these paths, which are as in a third. */
  readonly blend: (like: string, paths: readonly string[], asIn: string) => Promise<string>;
}

/** What commands may have done to what no snapshot has: it stays as it is. */
export async function notCapturedIn(
  services: RestoreServices,
  options: RestoreOptions,
  decided: readonly Pick<PlanItem, 'path' | 'action'>[],
  { before, checkpoint, spans }: Pick<Planned, 'before' | 'checkpoint' | 'spans'>,
): Promise<string[]> {
  if (options.ran_since === undefined) return [];
  const trees = await treesOf(services, options, [checkpoint, ...spans.map(({ from }) => from)]);
  return [
    ...capturedLater(decided, trees),
    ...uncapturedSince(services.root, trees, before.tree, options.ran_since),
    ...((await isRepositoryLost(services.root, checkpoint)) ? ['.git'] : []),
  ];
}

/** The trees before anything ran, and at the target. */
async function treesOf({ tree }: RestoreServices, { ran_from }: RestoreOptions, trees: readonly Tree[]) {
  const first = ran_from === undefined ? null : await tree(ran_from).catch(answering(isLost, null));
  return [...(first ? [first] : []), ...trees].map((from) => ({ from }));
}

export async function restore(services: RestoreServices, options: RestoreOptions): Promise<RestoreResult> {
  return alone(services, async () => {
    await finishRestores(services);
    const { before, checkpoint, plan, snapshots, spans } = await planNow(services, options);
    // One that completes another has decided before, and may find its files done.
    if (options.since === undefined) assertDecidable(plan, options);
    const merged: (RestoreResult['merged'][number] & { readonly answers: readonly Answer[] })[] = [];
    const { storage } = services;
    const own: Record<string, string> = {};
    const answered = await decideAll(plan, options, async (item) => {
      const result = await mergedAs(services, item, options);
      if (!isMergedBack(result)) {
        if (options.hunks?.[item.path]) throw undecidedLines(item.path, result.conflict);
        return null;
      }
      const { entry, bytes, decided: byHand, ...how } = result;
      if (bytes) await storage.putBlobs(null, [{ kind: 'file', bytes }]);
      if (byHand) own[item.path] = entry.hash;
      merged.push({ path: item.path, ...how });
      return entry;
    });
    const decided = withoutLinksOut(answered, checkpoint, before.tree);
    const begin = (id: string): Promise<void> => options.begin?.(id, own) ?? Promise.resolve();
    const applied = await applyDecided(services, before, decided, snapshots, {
      ...options,
      begin,
      checkpoint,
    });
    const kept: RestoreResult['kept'][number][] = decided
      .filter(({ action }) => action === 'keep')
      .map(
        ({ path, why }) =>
          ({ path, why: why === 'modified' || why === 'deleted' || !why ? 'chosen' : why }) as const,
      );
    const told = new Set(kept.map(({ path }) => path));
    for (const path of await notCapturedIn(services, options, decided, { before, checkpoint, spans }))
      if (!told.has(path)) kept.push({ path, why: 'not_captured' });
    for (const { merge, bytes } of merged.flatMap(({ answers }) => answers))
      await recordResolutions(storage, merge, bytes);
    return {
      ...applied,
      kept: kept.map((one) => ({ ...one, path: shownPath(one.path) })),
      merged: merged.map(({ answers: _, ...how }) => how),
    };
  });
}

interface ApplyOptions extends Pick<RestoreOptions, 'naming' | 'since'> {
  readonly begin?: (before: string) => Promise<void>;
  /** Directories that were closed then and still are get opened for their content. */
  readonly checkpoint?: Tree;
}

/** Applies what was decided; `snapshots` hold the content. `undo` reverts it. */
export async function applyDecided(
  services: RestoreServices,
  before: { readonly id: string; readonly tree: Tree },
  wanted: readonly PlanItem[],
  snapshots: readonly string[],
  { begin, naming, since = before.id, checkpoint = before.tree }: ApplyOptions = {},
): Promise<RestoreOutcome & { undo: Undo }> {
  const decided = wanted.map((item) => ({ ...item, target: withSafeBits(item.current, item.target) }));
  const changes = decided
    .filter(({ action }) => action === 'put' || action === 'remove')
    .map(({ path, current, target }): RestoreItem => ({ path, expected: current, target }));
  const opened = closedAbove(
    changes.map(({ path }) => path),
    checkpoint,
    before.tree,
  );
  const items = [...changes, ...opened];
  assertFits(
    items.flatMap(({ path, target }) => (target ? [path] : [])),
    services.nameRules,
  );
  const runs = decided.filter(({ action, runs }) => action === 'put' && runs).map(({ path }) => path);
  if (runs.length > 0) naming?.(runs);
  await assertThere(services, items);
  await keepCurrent(services, items);
  if (items.length > 0) await begin?.(before.id);
  const applied = items.length === 0 ? NOTHING_APPLIED : await carryOut(services, items, snapshots);
  const after = await services.take(dirtyFrom(items, before.tree));
  const others = changedByOthers(await services.tree(since), after.tree, decided).map(({ path }) => path);
  const own = others.length === 0 ? after.id : await services.blend(after.id, others, since);
  const restored = applied.restored.filter((path) => !opened.some((one) => one.path === path));
  return { ...applied, restored, undo: { before: since, after: own } };
}

export type UndoOptions = Omit<RestoreOptions, 'to' | 'own' | 'paths' | 'since'>;

/** Undoes what a restore did, as a restore of its own: what others changed since stays. */
export function undoRestore(
  services: RestoreServices,
  undo: Undo,
  choices: UndoOptions,
): Promise<RestoreResult> {
  return restore(services, { ...choices, ...undoing(undo) });
}

/** What undoes it. */
export function undoing({ before, after }: Undo): Steps {
  return { to: before, own: [{ from: before, to: after }] };
}

const NOTHING_APPLIED: RestoreOutcome = { restored: [], left: [], displaced: [] };

interface Planned {
  /** The files as they are. */
  readonly before: { readonly id: string; readonly tree: Tree };
  readonly checkpoint: Tree;
  readonly plan: readonly PlanItem[];
  readonly snapshots: readonly string[];
  readonly spans: readonly OwnSpan[];
}

/** What there is to do, before any question is answered. Changes no file. */
export async function planNow(services: RestoreServices, options: RestoreOptions): Promise<Planned> {
  const { to, own, paths } = options;
  const wanted = own ?? [{ from: to, to: await services.newest() }];
  const lost = options.do_without ? await lostAmong(services, to, wanted, options.do_without) : NONE_LOST;
  const { spans: named, unknown } = readableSpans(to, wanted, lost);
  if (unknown && named.length === 0) throw [...lost.values()][0];
  if (lost.size > 0) options.onLost?.([...lost.keys()], unknown);
  const all = named.flatMap((span) => [span, ...(span.others ?? [])]);
  const first = lost.has(to) ? named[0]?.from : to;
  const ids = [first, ...all.flatMap(({ from, to }) => [from, to])];
  const snapshots = [...new Set(ids.filter((id) => id !== null && id !== undefined))];
  // Clean-up keeps them until the restore has started; from then on, what its record names.
  await services.storage.renewBlobs(null, snapshots);
  const withTrees = async <S extends Pick<SnapshotSpan, 'from' | 'to'>>(span: S) => ({
    ...span,
    from: await services.tree(span.from),
    to: await services.tree(span.to),
  });
  const known: OwnSpan[] = [];
  const untilNow: (Omit<OwnSpan, 'to'> & { readonly to: null })[] = [];
  for (const { to: end, ...span } of named) {
    const others = [];
    for (const other of span.others ?? []) others.push(await withTrees(other));
    if (end === null) untilNow.push({ ...span, from: await services.tree(span.from), to: end, others });
    else known.push({ ...(await withTrees({ ...span, to: end })), others });
  }
  services.also(keptOnce(known));
  const before = await services.take();
  const spans = [...known, ...untilNow.map((span) => ({ ...span, to: before.tree }))];
  const checkpoint = first === undefined ? before.tree : await services.tree(first);
  const plan = withoutLinksOut(planRestore(checkpoint, spans, before.tree), checkpoint, before.tree);
  const chosen = paths ? plan.filter(({ path }) => paths.includes(path)) : plan;
  const possible = options.do_without ? await withoutLost(services, chosen, options.do_without) : chosen;
  return { before, checkpoint, plan: possible, snapshots: [...snapshots, before.id], spans };
}

/** Files of the task that were captured despite the rules: they can be restored only if they are captured now, too. */
function keptOnce(spans: readonly { readonly from: Tree; readonly to: Tree }[]): WantedFile[] {
  return spans
    .flatMap(({ from, to }) => diffKnown(from, to))
    .filter(({ before, after }) => before?.kind !== 'omitted' && after?.kind !== 'omitted')
    .filter(({ before, after }) => before?.kind === 'file' || after?.kind === 'file')
    .map(({ path, before, after }) => ({ path, size: Math.max(sizeOf(before), sizeOf(after)) }));
}

/** One restore at a time in a workspace, across all processes. */
export async function alone<T>(services: RestoreServices, work: () => Promise<T>): Promise<T> {
  const claim = await (await services.locks()).claim('restore', 0);
  try {
    return await work();
  } finally {
    await claim.release();
  }
}

/** The paths, each where its directory is known already. */
function dirtyFrom(items: readonly RestoreItem[], known: Tree): Dirty {
  const dirty = new Map<string, Map<string, boolean>>();
  for (const { path } of items) {
    let at = path;
    while (parentOf(at) !== '' && entryAt(known, parentOf(at))?.kind !== 'dir') at = parentOf(at);
    const directory = parentOf(at);
    const names = dirty.get(directory) ?? new Map<string, boolean>();
    dirty.set(
      directory,
      names.set(joinPath('', at.slice(directory === '' ? 0 : directory.length + 1)), true),
    );
  }
  return dirty;
}
