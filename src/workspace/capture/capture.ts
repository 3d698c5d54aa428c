/** Takes snapshots of one workspace, each as a difference to the one before it. */
import { hash } from 'node:crypto';
import { RENEW_AFTER_MS } from '../../storage/clock.ts';
import type { Storage } from '../../storage/contract.ts';
import type { Clock } from '../../system/clock.ts';
import { openClosed } from '../../system/closed.ts';
import { type OnProgress, type Tracking, tracked } from '../../system/progress.ts';
import type { Comparer } from '../../system/stats/compare.ts';
import type { StatTable } from '../../system/stats/table.ts';
import type { KeptObjects } from '../git/kept-objects.ts';
import type { Repository } from '../git/repository.ts';
import { createJudge, isLeftOut, type Judge } from '../rules/judge.ts';
import { type CaptureSettings, makeRules, NOTHING_TRACKED, type Tracked } from '../rules/rules.ts';
import type { StoresHere } from '../rules/store-files.ts';
import { isWhole, type StoredSnapshot, saveSnapshot } from '../snapshot/snapshots.ts';
import { diffTrees, type TreeChange, withOmitted } from '../tree/diff.ts';
import { EMPTY_TREE, entryAt, parentOf, type Tree } from '../tree/tree.ts';
import { type CapturedContent, NO_CONTENT, openKeeper } from './content.ts';
import type { Dirty } from './dirty.ts';
import type { Seen } from './draft.ts';
import { openFileClock } from './file-clock.ts';
import { finishScan } from './finish.ts';
import type { Pending } from './look.ts';
import { NOTHING, remembered, stampOfRoot } from './remembered.ts';
import { scan } from './scan.ts';
import { cacheFile, type StatCache, tableOf, writeStatCache } from './stat-cache.ts';

interface Capture {
  /** All of the tree, or what is dirty in it. */
  take(dirty: Dirty | null, how?: Taking): Promise<Taken>;
  /** The newest snapshot, of any process. */
  newest(): Promise<StoredSnapshot | null>;
  /** From now on these files are captured, even if the rules exclude them. */
  also(files: readonly WantedFile[]): void;
  /** Keeps the times for the next process. */
  close(): void;
}

interface Taking {
  /** Called with each directory before it is read. */
  readonly entering?: ((path: string) => void) | undefined;
  /** Only commits to the store name it: it is stored with the next. */
  readonly promised?: boolean | undefined;
}

export interface WantedFile {
  readonly path: string;
  /** The largest size it has had, or will have. */
  readonly size: number;
}

interface Taken {
  readonly id: string;
  /** Null where it did not have to be read: it is the one before. */
  readonly stored: StoredSnapshot | null;
  /** Since the snapshot before it, of any process. */
  readonly changes: readonly TreeChange[];
}

interface CaptureServices {
  readonly root: string;
  readonly stateDir: string;
  readonly storage: Storage;
  readonly repository: Repository | null;
  readonly settings: CaptureSettings;
  readonly foldCase: boolean;
  readonly clock: Clock;
  readonly onProgress?: OnProgress | undefined;
  readonly load: (snapshot: string) => Promise<StoredSnapshot>;
  readonly stores: StoresHere;
  readonly kept: KeptObjects;
  readonly comparer: Comparer;
  /** What was captured stays so when it is ignored. */
  readonly keepsCaptured: boolean;
}

/** A snapshot that has more of them is given new ones. */
const MOST_HOLDS = 8;

/** `left`: by the process before this one. */
export function openCapture(services: CaptureServices, left: StatCache | null): Capture {
  const { root, stateDir, storage, repository, settings, foldCase, comparer } = services;
  /** Not read while it is enough to know that nothing changed. */
  let unread = left;
  let whole: boolean | undefined;
  let last = NOTHING;
  let saved = last;
  /** Stays when what it was stored as is gone. */
  let before = EMPTY_TREE;
  const held = new Set<string>();
  const alsoCaptured = new Set<string>();
  const { clock } = services;
  const fileClock = openFileClock(stateDir, root);
  /** By which it is judged what is captured. Under a watch it stays until that tells of an ignore file, or the rules change. */
  let judging: { readonly judge: Judge; readonly rules: string; readonly index: string } | undefined;
  let renewed = Number.NEGATIVE_INFINITY;

  const read = async (): Promise<void> => {
    if (!unread) return;
    last = saved = await remembered(unread, services.load);
    before = last.seen.tree;
    unread = null;
  };

  /** Clean-up keeps what is new. False if it was removed in the meantime. */
  const renew = async (snapshot: string): Promise<boolean> => {
    const now = clock.now().getTime();
    if (now - renewed < RENEW_AFTER_MS) return true;
    const there = await storage.renewBlobs(null, [snapshot]);
    if (there.length > 0) renewed = now;
    return there.length > 0;
  };

  /** In which directories; null if that is not known without the snapshot. Empty: it is still the newest one. */
  const changedSinceLeft = async (rules: string, index: string): Promise<ReadonlySet<string> | null> => {
    const was = unread?.head ?? { ...last, root: last.rootStamp, snapshot: last.stored?.id };
    if (was.snapshot === undefined || was.rules !== rules || was.index !== index) return null;
    if (was.root === '' || was.root !== stampOfRoot(root)) return null;
    if (unread) whole ??= await isWhole(storage, was.snapshot);
    if ((unread && !whole) || !(await renew(was.snapshot))) return null;
    return comparer.differing(root, unread?.table ?? tableNow());
  };
  let table: { readonly of: Seen; readonly is: StatTable } | undefined;
  const tableNow = (): StatTable => {
    if (table?.of !== last.seen) table = { of: last.seen, is: tableOf(last.seen) };
    return table.is;
  };

  /**
   * Some of the holds are for what is long gone from the tree: when there are many, new holds are made for everything in it.
   */
  const holdsOn = async (tree: Tree, added: readonly string[]): Promise<readonly string[]> => {
    const all = [...(last.stored?.holds ?? []), ...added];
    if (all.length <= MOST_HOLDS || added.length === 0) return all;
    const fresh = await repository!.hold(objectsIn(tree));
    if (fresh) {
      held.clear();
      services.kept.keep(repository!, objectsIn(tree));
    }
    return fresh ?? all;
  };

  const save = (): void => {
    const { stored, rules, index, rootStamp } = last;
    if (!stored || last === saved) return;
    const head = { version: 2, snapshot: stored.id, rules, index, root: rootStamp } as const;
    writeStatCache(cacheFile(stateDir), head, tableNow());
    saved = last;
  };

  return {
    async newest() {
      await read();
      return last.stored;
    },
    also(files) {
      const fresh = files.filter(({ path }) => !alsoCaptured.has(path));
      if (fresh.length === 0) return;
      const tracked = () => repository?.tracked() ?? NOTHING_TRACKED;
      const ruleSet = makeRules(settings, tracked, repository?.outerIgnoreFiles() ?? [], foldCase);
      const judge = createJudge(root, ruleSet, foldCase);
      for (const file of fresh) if (isLeftOut(judge, file)) alsoCaptured.add(file.path);
    },
    close() {
      save();
      fileClock.close();
      comparer.close();
    },
    take: (dirty, how = {}) => tracked(services.onProgress, (progress) => take(dirty, how, progress)),
  };

  async function take(
    dirty: Dirty | null,
    { entering, promised = false }: Taking,
    progress: Tracking,
  ): Promise<Taken> {
    const { index, ignores } = repository?.fingerprint() ?? { index: '', ignores: '' };
    const stores = services.stores.now();
    const rules = hash(
      'sha256',
      JSON.stringify([settings, ignores, foldCase, ...stores.fingerprint, ...alsoCaptured]),
    );
    const changed = dirty === null ? await changedSinceLeft(rules, index) : null;
    if (changed?.size === 0)
      return { id: last.stored?.id ?? left!.head.snapshot, stored: last.stored, changes: [] };
    await read();
    if (last.stored && !(await renew(last.stored.id))) {
      // It cannot be used: everything is scanned again.
      last = NOTHING;
      held.clear();
    }
    // The files are as the last snapshot has them: the one that ends an operation begins the next.
    if (dirty?.size === 0 && last.stored && last.rules === rules && last.index === index)
      return { id: last.stored.id, stored: last.stored, changes: [] };
    const taken_at = clock.now().getTime();
    // Read once per snapshot: it is looked up for every file.
    const tracked = lazy(() => repository?.tracked() ?? NOTHING_TRACKED).get;
    const again =
      last.rules !== rules || (last.index !== index && leavesOutTracked(last.seen.tree, tracked()));
    const now = fileClock.now();
    const partly = dirty !== null && !again;
    const isJudged = partly && entering && judging?.rules === rules && judging.index === index;
    if (!isJudged) {
      const ruleSet = makeRules(settings, tracked, repository?.outerIgnoreFiles() ?? [], foldCase);
      judging = { judge: createJudge(root, ruleSet, foldCase, new Set(alsoCaptured)), rules, index };
    }
    const rootStamp = partly ? last.rootStamp : stampOfRoot(root, now);
    const at = progress.of('read_files');
    const keep = (objects: ReadonlySet<string>): void => services.kept.keep(repository!, objects);
    const keeper = lazy(() => openKeeper({ root, storage, repository, tracked, now, held, at, keep }));
    const opened: (() => void)[] = [];
    const options = {
      root,
      closed: (path: string): void => {
        const close = openClosed(path);
        if (close) opened.push(close);
      },
      judge: judging!.judge,
      now,
      again,
      keepsCaptured: services.keepsCaptured,
      isStores: stores.isOf,
      found: (one: Pending) => keeper.get().add(one),
      at: progress.of('scan'),
      ...(entering && { entering }),
      ...(changed && { isUnchanged: (directory: string) => !changed.has(directory) }),
    };
    let drafts: Awaited<ReturnType<typeof scan>>;
    let kept: CapturedContent;
    try {
      drafts = await scan(options, last.seen, partly ? dirty : undefined);
      kept = keeper.made ? await keeper.get().finish() : NO_CONTENT;
    } finally {
      for (const close of opened.reverse()) close();
    }
    const { touched, ...seen } = finishScan(drafts, last.seen, partly);
    const changes = diffTrees(before, seen.tree, touched);
    const since = last.stored ? changes : diffTrees(EMPTY_TREE, seen.tree);
    const told = withOmitted(changes, before, seen.tree);
    before = seen.tree;
    for (const { before } of changes) if (before?.kind === 'file' && before.git) held.add(before.git);
    const holds = await holdsOn(seen.tree, kept.holds);
    const stored = await saveSnapshot(storage, last.stored, {
      tree: seen.tree,
      since,
      holds,
      blobs: kept.blobs,
      promised,
    });
    if (stored !== last.stored) renewed = taken_at;
    const isSame = !partly && stored === last.stored && sameStamps(seen, last.seen);
    if (!isSame || rules !== last.rules || index !== last.index || rootStamp !== last.rootStamp)
      last = { seen, stored, rules, index, rootStamp };
    // Not after every partial scan: saving would cost more than the scan.
    if (!partly) save();
    return { id: stored.id, stored, changes: told };
  }
}

/** Whether git tracks by now what was left out when it did not. */
function leavesOutTracked(tree: Tree, { objects }: Tracked): boolean {
  for (const path of objects.keys()) {
    for (let at = path; at !== ''; at = parentOf(at)) {
      const entry = entryAt(tree, at);
      if (entry?.kind === 'omitted' && (entry.why === 'ignored' || entry.why === 'secret')) return true;
      if (entry) break;
    }
  }
  return false;
}

function objectsIn(tree: Tree): Set<string> {
  const objects = new Set<string>();
  for (const { entries } of tree.values())
    for (const entry of entries) if (entry.kind === 'file' && entry.git !== undefined) objects.add(entry.git);
  return objects;
}

function lazy<T>(make: () => T): { get: () => T; readonly made: boolean } {
  let value: T | undefined;
  return {
    get: () => (value ??= make()),
    get made() {
      return value !== undefined;
    },
  };
}

function sameStamps(a: Seen, b: Seen): boolean {
  if (a.stamps.size !== b.stamps.size) return false;
  for (const [path, stamps] of a.stamps) if (b.stamps.get(path) !== stamps) return false;
  return true;
}
