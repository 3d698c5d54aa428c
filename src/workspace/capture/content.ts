/** Reads the files that changed and makes sure that their bytes are kept: as an existing git object, or as a blob. */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { NewBlob, Storage } from '../../storage/contract.ts';
import {
  gitDigest,
  type HashAnswer,
  readClosed,
  readWhole,
  STAT_FIELDS,
  type WholeFile,
} from '../../system/hashing/hash-files.ts';
import { type HashPool, openHashPool } from '../../system/hashing/hash-pool.ts';
import type { Done } from '../../system/progress.ts';
import { takeTurn } from '../../system/turn.ts';
import type { Repository } from '../git/repository.ts';
import { NOTHING_TRACKED, type Tracked } from '../rules/rules.ts';
import type { FileEntry } from '../tree/tree.ts';
import { setEntry, setStamp } from './draft.ts';
import { omit, type Pending, statOf } from './look.ts';

interface ContentServices {
  readonly root: string;
  readonly storage: Storage;
  readonly repository: Repository | null;
  readonly tracked: () => Tracked;
  readonly now: number;
  /** Objects that earlier snapshots hold, and so this one. */
  readonly held: Set<string>;
  /** Names what is left to git once more. */
  readonly keep: (objects: ReadonlySet<string>) => void;
  /** Called with the number of files read. */
  readonly at: Done;
}

interface Keeper {
  /** May be called during the scan: files that git tracks are hashed in parallel. */
  add(one: Pending): void;
  /** Fills in the drafts. */
  finish(): Promise<CapturedContent>;
}

export interface CapturedContent {
  /** The git trees that hold what was not copied. */
  readonly holds: readonly string[];
  /** What is copied, and not stored yet: few enough to be stored with the snapshot. */
  readonly blobs: readonly NewBlob[];
}

export const NO_CONTENT: CapturedContent = { holds: [], blobs: [] };

export function openKeeper(services: ContentServices): Keeper {
  const hasher = trackedHasher(services);
  const others: Pending[] = [];
  const { objects } = services.repository ? services.tracked() : NOTHING_TRACKED;
  return {
    add: (one) => (objects.has(one.path) ? hasher.add(one) : void others.push(one)),
    async finish() {
      const found = new Map<Pending, FileEntry>();
      const read = (done: number): void => services.at(done, others.length + hasher.count());
      const rest = [...others, ...(await hasher.finish(found, read))];
      const blobs = blobQueue(services.storage);
      for (const [index, one] of rest.entries()) {
        if (index > 0) await takeTurn();
        read(found.size);
        await readAndKeep(services, one, found, blobs);
      }
      const holds = await holdObjects(services, found, blobs);
      for (const [{ draft, index }, entry] of found) setEntry(draft, index, entry);
      return { holds, blobs: blobs.unstored() };
    },
  };
}

/** Reading fewer is faster than starting threads. */
const MANY = 400;
const BATCH = 250;

interface TrackedHasher {
  add(one: Pending): void;
  /** Resolves those whose bytes are the tracked object's; returns the others. */
  finish(found: Map<Pending, FileEntry>, read: (done: number) => void): Promise<Pending[]>;
  /** How many there are. */
  count(): number;
}

function trackedHasher({ root, repository, tracked }: ContentServices): TrackedHasher {
  const waiting: Pending[] = [];
  const batches: { files: Pending[]; answer: Promise<HashAnswer> }[] = [];
  let pool: HashPool | undefined;
  let count = 0;
  const send = (): void => {
    pool ??= openHashPool(root, repository!.algorithm);
    const files = waiting.splice(0, BATCH);
    const answer = pool.hash(files.map(({ path }) => path));
    // It is looked at when all are there.
    answer.catch(() => {});
    batches.push({ files, answer });
  };
  return {
    count: () => count,
    add(one) {
      count++;
      waiting.push(one);
      if (waiting.length >= (pool ? BATCH : MANY)) send();
    },
    async finish(found, read) {
      if (!pool) return waiting;
      while (waiting.length > 0) send();
      const { objects } = tracked();
      const rest: Pending[] = [];
      try {
        for (const { files, answer } of batches) {
          read(found.size);
          const hashes = await answer;
          for (const [index, one] of files.entries()) {
            const entry = entryFrom(one, hashes, index, objects.get(one.path)!);
            if (entry) found.set(one, entry);
            else rest.push(one);
          }
        }
      } finally {
        await pool.close();
      }
      return rest;
    },
  };
}

/** Null unless it is still the file that was looked at, with the bytes of the object. */
function entryFrom(
  one: Pending,
  { digests, stats }: HashAnswer,
  index: number,
  object: string,
): FileEntry | null {
  const bytes = Buffer.from(digests.buffer);
  const width = 32 + object.length / 2;
  const git = bytes.toString('hex', index * width + 32, (index + 1) * width);
  if (git !== object || one.stamp.some((field, n) => field !== stats[index * STAT_FIELDS + n])) return null;
  const hash = bytes.toString('hex', index * width, index * width + 32);
  return { kind: 'file', mode: one.mode, size: one.stamp[3], hash, git };
}

async function readAndKeep(
  services: ContentServices,
  one: Pending,
  found: Map<Pending, FileEntry>,
  blobs: BlobQueue,
  mayBeGit = true,
): Promise<void> {
  const { draft, index, path, known } = one;
  const full = join(services.root, path);
  // A captured file that was closed to its owner since is still captured.
  const file = readSettled(full) ?? (known ? readClosed(full) : null);
  if (!file) {
    if (statOf(full)) omit(draft, index, 'unreadable');
    else setEntry(draft, index, undefined);
    return;
  }
  stampAs(one, file, services.now);
  const { bytes, mode } = file;
  const sha256 = hash('sha256', bytes);
  const base = { kind: 'file', mode, size: bytes.length, hash: sha256 } as const;
  if (known?.hash === sha256 && (mayBeGit || known.git === undefined)) {
    const sameMode = known.mode === mode;
    found.set(one, sameMode ? known : known.git === undefined ? base : { ...base, git: known.git });
    return;
  }
  const object = mayBeGit && services.repository ? services.tracked().objects.get(path) : undefined;
  if (object !== undefined && gitDigest(services.repository!.algorithm, bytes).toString('hex') === object) {
    found.set(one, { ...base, git: object });
    return;
  }
  found.set(one, base);
  await blobs.add({ kind: 'file', bytes });
}

const TRIES = 3;

/** Repeats while someone is writing to it; the last read counts. */
function readSettled(path: string): WholeFile | null {
  for (let left = TRIES; ; left--) {
    const file = readWhole(path);
    if (!file || file.settled || left === 1) return file;
  }
}

/** Notes the times of what was read, unless it may change again without changing them. */
function stampAs({ draft, index }: Pending, { stat, settled, fullMode }: WholeFile, now: number): void {
  const [mtimeMs, ctimeMs, ino, size] = stat;
  setStamp(
    draft,
    index,
    { mtimeMs: settled ? mtimeMs : Number.NaN, ctimeMs, ino, size, mode: fullMode },
    now,
  );
}

/** Objects that cannot be held, or that another machine could not get, are copied after all. */
async function holdObjects(
  services: ContentServices,
  found: Map<Pending, FileEntry>,
  blobs: BlobQueue,
): Promise<string[]> {
  const newly = [...found].filter(
    ([{ known }, { git }]) => git !== undefined && git !== known?.git && !services.held.has(git),
  );
  if (newly.length === 0) return [];
  const { repository, storage } = services;
  let objects: ReadonlySet<string> = new Set(newly.map(([, { git }]) => git!));
  if (storage.shared) objects = await repository!.inRemote(objects);
  const holds = objects.size === 0 ? [] : await repository!.hold(objects);
  if (holds) services.keep(objects);
  for (const [one, { git }] of newly) {
    if (holds && objects.has(git!)) continue;
    found.delete(one);
    await readAndKeep(services, one, found, blobs, false);
    await takeTurn();
  }
  return holds ?? [];
}

interface BlobQueue {
  add(blob: NewBlob): Promise<void>;
  /** What is not stored yet. */
  unstored(): readonly NewBlob[];
}

const MOST_QUEUED_BYTES = 16 * 1024 * 1024;

/** Stored store-wide, since tasks share most of their files. */
function blobQueue(storage: Storage): BlobQueue {
  let queued: NewBlob[] = [];
  let bytes = 0;
  return {
    unstored: () => queued,
    async add(blob) {
      queued.push(blob);
      bytes += blob.bytes.length;
      if (bytes < MOST_QUEUED_BYTES) return;
      const due = queued;
      queued = [];
      bytes = 0;
      await storage.putBlobs(null, due);
    },
  };
}
