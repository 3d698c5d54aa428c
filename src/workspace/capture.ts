/** Taking snapshots of one workspace: each is told from the one before it. */
import { hash } from 'node:crypto';
import { RENEW_AFTER_MS } from '../storage/clock.ts';
import type { Storage } from '../storage/contract.ts';
import type { Clock } from '../system/clock.ts';
import { openKeeper } from './content.ts';
import { diffTrees, type TreeChange, withOmitted } from './diff.ts';
import type { Seen } from './draft.ts';
import { finishScan } from './finish.ts';
import { createJudge } from './judge.ts';
import type { Pending } from './look.ts';
import type { Repository } from './repository.ts';
import { type CaptureSettings, makeRules, NOTHING_TRACKED, type Tracked } from './rules.ts';
import { type Dirty, NOTHING_SEEN, scan } from './scan.ts';
import { loadSnapshot, type StoredSnapshot, saveSnapshot } from './snapshots.ts';
import { cacheFile, fileSystemNow, readStatCache, writeStatCache } from './stat-cache.ts';
import { EMPTY_TREE, entryAt, parentOf, type Tree } from './tree.ts';

export interface Capture {
  /** All of the tree, or what is dirty in it. */
  take(dirty: Dirty | null, entering?: (path: string) => void): Promise<Taken>;
  /** The id of the newest snapshot. */
  readonly newest: string | undefined;
  /** The newest tree and the times of what is in it. */
  readonly seen: Seen;
  /** Keeps the times for the next process. */
  save(): void;
}

export interface Taken {
  readonly stored: StoredSnapshot;
  /** Since the snapshot before it, whichever process took that. */
  readonly changes: readonly TreeChange[];
}

export interface CaptureWorld {
  readonly root: string;
  readonly stateDir: string;
  readonly storage: Storage;
  readonly repository: Repository | null;
  readonly settings: CaptureSettings;
  readonly foldCase: boolean;
  readonly clock: Clock;
}

/** Where the last snapshot left off, in this process or in another. */
export interface Remembered {
  readonly seen: Seen;
  readonly stored: StoredSnapshot | null;
  /** What it was captured by. */
  readonly rules: string;
  readonly index: string;
}

const NOTHING: Remembered = { seen: NOTHING_SEEN, stored: null, rules: '', index: '' };

/** A snapshot that has more of them is given new ones. */
const MOST_HOLDS = 8;

export function openCapture(world: CaptureWorld, remembered: Remembered): Capture {
  const { root, stateDir, storage, repository, settings, foldCase } = world;
  let last = remembered;
  let saved = last;
  /** Stays when what it was stored as is gone. */
  let before = last.stored?.tree ?? EMPTY_TREE;
  const held = new Set<string>();
  const { clock } = world;
  let renewed = Number.NEGATIVE_INFINITY;

  /** Clean-up leaves what is young. What it took meanwhile cannot be built on: everything is looked at anew. */
  const renew = async (): Promise<void> => {
    const now = clock.now().getTime();
    if (!last.stored || now - renewed < RENEW_AFTER_MS) return;
    const there = await storage.renewBlobs(null, [last.stored.id]);
    renewed = now;
    if (there.length > 0) return;
    last = NOTHING;
    held.clear();
  };

  /** Some of the holds are for what is long gone from the tree: when they are many, all that is in it is held anew. */
  const holdsOn = async (tree: Tree, added: readonly string[]): Promise<readonly string[]> => {
    const all = [...(last.stored?.holds ?? []), ...added];
    if (all.length <= MOST_HOLDS || added.length === 0) return all;
    const anew = await repository!.hold(objectsIn(tree));
    if (anew) held.clear();
    return anew ?? all;
  };

  const save = (): void => {
    const { stored, seen, rules, index } = last;
    if (!stored || last === saved) return;
    const head = { version: 1, snapshot: stored.id, rules, index } as const;
    writeStatCache(cacheFile(stateDir), head, seen.tree, seen.stamps);
    saved = last;
  };

  return {
    get newest() {
      return last.stored?.id;
    },
    get seen() {
      return last.seen;
    },
    save,
    async take(dirty, entering) {
      await renew();
      const taken_at = clock.now().getTime();
      // Asked once a snapshot: it is looked up for every file.
      const listing = lazy(() => repository?.tracked() ?? NOTHING_TRACKED);
      const tracked = listing.get;
      const { index, ignores } = repository?.fingerprint() ?? { index: '', ignores: '' };
      const rules = hash('sha256', JSON.stringify([settings, ignores, foldCase]));
      const anew =
        last.rules !== rules || (last.index !== index && leavesOutTracked(last.seen.tree, tracked()));
      const now = fileSystemNow(stateDir, root);
      const ruleSet = makeRules(settings, tracked, repository?.outerIgnoreFiles() ?? [], foldCase);
      const partly = dirty !== null && !anew;
      const keeper = lazy(() => openKeeper({ root, storage, repository, tracked, now, held }));
      const options = {
        root,
        judge: createJudge(root, ruleSet, foldCase),
        now,
        anew,
        found: (one: Pending) => keeper.get().add(one),
        ...(entering && { entering }),
      };
      const drafts = await scan(options, last.seen, partly ? dirty : undefined);
      const added = keeper.made ? await keeper.get().finish() : [];
      const seen = finishScan(drafts, last.seen, partly);
      const changes = diffTrees(before, seen.tree);
      const since = last.stored ? changes : diffTrees(EMPTY_TREE, seen.tree);
      const told = withOmitted(changes, before, seen.tree);
      before = seen.tree;
      for (const { before } of changes) if (before?.kind === 'file' && before.git) held.add(before.git);
      const holds = await holdsOn(seen.tree, added);
      const stored = await saveSnapshot(storage, last.stored, seen.tree, since, holds);
      if (stored !== last.stored) renewed = taken_at;
      const isSame = !partly && stored === last.stored && sameStamps(seen, last.seen);
      if (!isSame || rules !== last.rules || index !== last.index) last = { seen, stored, rules, index };
      // Not after every look at a few files: it would cost more than they do.
      if (!partly) save();
      return { stored, changes: told };
    },
  };
}

/** From the stat cache and the snapshot it belongs to. */
export async function remember(stateDir: string, storage: Storage): Promise<Remembered> {
  const cache = readStatCache(cacheFile(stateDir));
  if (!cache) return NOTHING;
  const { snapshot, rules, index } = cache.head;
  try {
    const stored = await loadSnapshot(storage, snapshot);
    const stamps = cache.stampsFor(stored.tree);
    return stamps ? { seen: { tree: stored.tree, stamps }, stored, rules, index } : NOTHING;
  } catch {
    // Gone from the store, or of another store: everything is looked at anew.
    return NOTHING;
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
