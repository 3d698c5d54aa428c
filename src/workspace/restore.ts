/** Going back: a snapshot first, then the plan, then everyone who has to be asked, and only then the files. */
import { join } from 'node:path';
import * as z from 'zod';
import { WorkspaceError } from '../errors.ts';
import type { Storage } from '../storage/contract.ts';
import { newId } from '../system/ids.ts';
import type { LocalLocks } from '../system/locks.ts';
import { applyRestore, type RestoreItem, type RestoreOutcome } from './apply.ts';
import { closedAbove } from './apply-directories.ts';
import { decideAll, type RestoreChoices } from './decide.ts';
import type { FileLocks } from './file-locks.ts';
import { encodeLayer } from './layer.ts';
import { decodeLayer } from './layer-reader.ts';
import { leadsOut, withoutLinksOut } from './links.ts';
import { mergeBack } from './merge-back.ts';
import { assertFits, type NameRules } from './names.ts';
import { changedByOthers } from './own-part.ts';
import { type KeepReason, type PlanItem, planRestore } from './plan.ts';
import type { Reader } from './reader.ts';
import { withSafeBits } from './safe-bits.ts';
import type { Dirty } from './scan.ts';
import { entryAt, joinPath, parentOf, type Tree, type TreeEntry } from './tree.ts';

export interface RestoreOptions extends RestoreChoices {
  /** The snapshot to go back to. */
  readonly to: string;
  /**
   * Spans of snapshots, in order, between which only the task changed files: those changes are undone. Left out, all
   * that changed between `to` and the newest snapshot is the task's, and what changed since then is others'.
   */
  readonly own?: readonly SnapshotSpan[];
  /** Nothing but these; all unless told. */
  readonly paths?: readonly string[];
  /** Called when all is decided, before the first file is changed; `before` is the snapshot that was taken first. */
  readonly begin?: (before: string) => Promise<void>;
  /** Called before the first file is changed with those that are put back and that make tools run something. */
  readonly naming?: (files: readonly string[]) => void;
  /** The snapshot before a restore that was cut off and that this one brings to its end: `undo` takes back both. */
  readonly since?: string;
}

export interface SnapshotSpan {
  readonly from: string;
  readonly to: string;
  /** Others may have changed files between them too: whoever is asked says whose the changes are. */
  readonly doubtful?: boolean;
  /** The task changed nothing but these files between them. */
  readonly paths?: readonly string[];
  /**
   * Spans of others in the same time, oldest first: what they changed is theirs. `doubtful`: they were not alone either, and
   * whoever is asked says whose the changes are.
   */
  readonly others?: readonly Pick<SnapshotSpan, 'from' | 'to' | 'doubtful'>[];
}

export interface RestoreResult extends RestoreOutcome {
  /** Files of the task that keep what is there, by the plan or by choice. */
  readonly kept: readonly { readonly path: string; readonly why: KeepReason | 'chosen' }[];
  /** Files that were merged; `review` when the result should be looked at. */
  readonly merged: readonly { readonly path: string; readonly review: boolean }[];
  /** The snapshots before and after, without what others saved meanwhile: `undo` takes it. */
  readonly undo: string;
}

export interface RestoreWorld {
  readonly root: string;
  /** Where it is: what was begun there is finished there. */
  readonly place: string;
  readonly stateDir: string;
  readonly storage: Storage;
  readonly reader: Reader;
  readonly nameRules: NameRules;
  readonly locks: () => Promise<LocalLocks>;
  readonly fileLocks: () => Promise<FileLocks>;
  readonly newest: () => Promise<string>;
  /** A snapshot; of these names alone, when nothing else can have changed since the last. */
  readonly take: (dirty?: Dirty) => Promise<{ id: string; tree: Tree }>;
  readonly tree: (snapshot: string) => Promise<Tree>;
  /** A snapshot like another one but for these paths, which are as a third has them. */
  readonly blend: (like: string, paths: readonly string[], asIn: string) => Promise<string>;
}

export async function previewRestore(world: RestoreWorld, options: RestoreOptions): Promise<PlanItem[]> {
  return (await planNow(world, options)).plan;
}

export async function restore(world: RestoreWorld, options: RestoreOptions): Promise<RestoreResult> {
  return alone(world, async () => {
    await finishRestores(world);
    const { before, checkpoint, plan, snapshots } = await planNow(world, options);
    const merged: { path: string; review: boolean }[] = [];
    const answered = await decideAll(plan, options, async (item) => {
      const result = await mergeBack(item, world.reader, world.storage);
      if (result) merged.push({ path: item.path, review: result.review });
      return result?.entry ?? null;
    });
    const decided = withoutLinksOut(answered, checkpoint, before.tree);
    const applied = await applyDecided(world, before, decided, snapshots, { ...options, checkpoint });
    const kept = decided
      .filter(({ action }) => action === 'keep')
      .map(
        ({ path, why }) =>
          ({ path, why: why === 'modified' || why === 'deleted' || !why ? 'chosen' : why }) as const,
      );
    return { ...applied, kept, merged };
  });
}

interface ApplyOptions extends Pick<RestoreOptions, 'begin' | 'naming' | 'since'> {
  /** Directories that are as closed as they were then are opened for what is in them. */
  readonly checkpoint?: Tree;
}

/** Brings about what was decided; `snapshots` hold what is to be there. `undo` takes it back. */
export async function applyDecided(
  world: RestoreWorld,
  before: { readonly id: string; readonly tree: Tree },
  wanted: readonly PlanItem[],
  snapshots: readonly string[],
  { begin, naming, since = before.id, checkpoint = before.tree }: ApplyOptions = {},
): Promise<RestoreOutcome & { undo: string }> {
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
    world.nameRules,
  );
  const runs = decided.filter(({ action, runs }) => action === 'put' && runs).map(({ path }) => path);
  if (runs.length > 0) naming?.(runs);
  if (items.length > 0) await begin?.(before.id);
  const applied = items.length === 0 ? NOTHING_APPLIED : await carryOut(world, items, snapshots);
  const after = await world.take(dirtyFrom(items, before.tree));
  const others = changedByOthers(await world.tree(since), after.tree, decided).map(({ path }) => path);
  const own = others.length === 0 ? after.id : await world.blend(after.id, others, since);
  const restored = applied.restored.filter((path) => !opened.some((one) => one.path === path));
  return { ...applied, restored, undo: `${since}..${own}` };
}

export type UndoOptions = Omit<RestoreOptions, 'to' | 'own' | 'paths' | 'since'>;

/** Undoes what a restore did, as a restore of its own: what others changed since stays. */
export function undoRestore(world: RestoreWorld, undo: string, choices: UndoOptions): Promise<RestoreResult> {
  const [before, after] = undo.split('..') as [string, string];
  return restore(world, { ...choices, to: before, own: [{ from: before, to: after }] });
}

const NOTHING_APPLIED: RestoreOutcome = { restored: [], left: [], displaced: [] };

async function planNow(world: RestoreWorld, { to, own, paths }: RestoreOptions) {
  const named = own ?? [{ from: to, to: await world.newest() }];
  const all = named.flatMap((span) => [span, ...(span.others ?? [])]);
  const snapshots = [...new Set([to, ...all.flatMap(({ from, to }) => [from, to])])];
  // Clean-up leaves them until the restore has begun; from then on, what it has written down.
  await world.storage.renewBlobs(null, snapshots);
  const checkpoint = await world.tree(to);
  const withTrees = async <S extends Pick<SnapshotSpan, 'from' | 'to'>>(span: S) => ({
    ...span,
    ...{ from: await world.tree(span.from), to: await world.tree(span.to) },
  });
  const spans = [];
  for (const span of named) {
    const others = [];
    for (const other of span.others ?? []) others.push(await withTrees(other));
    spans.push({ ...(await withTrees(span)), others });
  }
  const before = await world.take();
  const plan = withoutLinksOut(planRestore(checkpoint, spans, before.tree), checkpoint, before.tree);
  const chosen = paths ? plan.filter(({ path }) => paths.includes(path)) : plan;
  return { before, checkpoint, plan: chosen, snapshots: [...snapshots, before.id] };
}

const intentSchema = z.strictObject({
  version: z.literal(1),
  root: z.string(),
  /** Layers with what was there and what is to be there, in base 64. */
  expected: z.base64(),
  target: z.base64(),
  /** Ids of snapshots and blobs with what is to be there: clean-up leaves them. */
  needs: z.array(z.string()),
});
const CATEGORY = 'restores';

/** Written down before it is begun, so that whoever comes after a crash can finish it. */
async function carryOut(
  world: RestoreWorld,
  items: readonly RestoreItem[],
  snapshots: readonly string[],
): Promise<RestoreOutcome> {
  const { storage, root } = world;
  const layerOf = (pick: 'expected' | 'target') =>
    Buffer.from(encodeLayer(items.map((item) => ({ path: item.path, after: item[pick] })))).toString(
      'base64',
    );
  const contents = items.flatMap(({ target }) => (target?.kind === 'file' ? [`file/${target.hash}`] : []));
  const id = newId('r');
  const key = `${world.place}/${id}`;
  await storage.save(CATEGORY, key, {
    version: 1,
    root,
    expected: layerOf('expected'),
    target: layerOf('target'),
    needs: [...snapshots, ...contents],
  });
  const applied = await apply(world, id, items);
  await storage.delete(CATEGORY, key);
  return applied;
}

/** Finishes what a process that died had begun; answers what came of each. Only while nobody restores here. */
export async function finishRestores(world: RestoreWorld): Promise<RestoreOutcome[]> {
  const { storage } = world;
  const { keys } = await storage.page(CATEGORY, { prefix: `${world.place}/` });
  const finished: RestoreOutcome[] = [];
  for (const key of keys) {
    const intent = intentSchema.safeParse(await storage.load(CATEGORY, key)).data;
    if (!intent) throw cannotFinish(key);
    const before = changesIn(intent.expected);
    const after = changesIn(intent.target);
    const items = [...after]
      .filter(([path, target]) => target?.kind !== 'symlink' || !leadsOut(path, target.target))
      .map(([path, target]) => {
        const expected = before.get(path) ?? null;
        return { path, expected, target: withSafeBits(expected, target) };
      });
    finished.push(await apply(world, key.slice(world.place.length + 1), items));
    await storage.delete(CATEGORY, key);
  }
  return finished;
}

function changesIn(base64: string): Map<string, TreeEntry | null> {
  const changes = decodeLayer(Buffer.from(base64, 'base64')).flatMap(({ directory, names, entries }) =>
    names.map((name, index): [string, TreeEntry | null] => [joinPath(directory, name), entries[index]!]),
  );
  return new Map(changes);
}

function cannotFinish(key: string): WorkspaceError {
  return new WorkspaceError(
    'SNAPSHOT_NOT_FOUND',
    'A restore was cut off, and what it was to do cannot be read.',
    {
      data: { restore: key },
      hint: `Look at the files, then remove the record ${CATEGORY}/${key} from the store.`,
    },
  );
}

async function apply(
  world: RestoreWorld,
  id: string,
  items: readonly RestoreItem[],
): Promise<RestoreOutcome> {
  const { root, storage, stateDir, reader } = world;
  const { turn } = await world.fileLocks();
  const sorted = items.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const stage = join(stateDir, `restore-${id}`);
  return applyRestore({ root, storage, stage, id, contents: reader.contents, turn }, sorted);
}

/** Whether a restore was begun here and not finished. */
export async function isUnfinished(world: RestoreWorld): Promise<boolean> {
  return (await world.storage.page(CATEGORY, { prefix: `${world.place}/`, limit: 1 })).keys.length > 0;
}

/** One restore at a time in a workspace, in whichever process. */
export async function alone<T>(world: RestoreWorld, work: () => Promise<T>): Promise<T> {
  const claim = await (await world.locks()).claim('restore', 0);
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
