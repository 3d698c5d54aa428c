/** What the fault campaign runs while calls fail, and what it demands at once: typed errors, no commit after a lost sync. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { Storage } from '../../src/storage/contract.ts';
import type { IoCall } from '../../src/system/io.ts';
import { Broken, checkLane, codeOf, type Progress } from './oracle.ts';
import { type LaneRunner, runLane } from './runner.ts';
import { openStore, type StorePlace } from './stores.ts';

export type Census = readonly IoCall[];

const SESSIONS = 2;
const STEPS = 5;

/** Opens, writes, tends, closes; twice. Errors of the project are what it is here for, all others are Broken. */
export async function runScript(
  place: StorePlace,
  lanes: readonly Progress[],
  lost?: LostSyncs,
): Promise<void> {
  for (let session = 0; session < SESSIONS; session++) {
    const storage = await typed(() => openStore(place));
    if (!storage) continue;
    try {
      await runSession(storage, lanes, lost);
    } finally {
      await typed(() => storage.close());
    }
  }
}

async function runSession(storage: Storage, lanes: readonly Progress[], lost?: LostSyncs): Promise<void> {
  const failuresBefore = lost?.failures ?? 0;
  let poisoned = false;
  const runners = lanes.map((progress) => ({
    progress,
    runner: runLane(storage, progress.lane),
    at: progress.acked,
  }));
  for (const one of runners) one.at = (await typed(() => checkLane(storage, one.progress))) ?? -1;
  for (let step = 0; step < STEPS; step++) {
    const work = async (one: (typeof runners)[number]): Promise<void> => {
      const outcome = await attempt(storage, one);
      if (outcome === 'acked' && poisoned) {
        throw new Broken('a commit was acknowledged by a store whose sync had failed a commit before');
      }
      if (outcome === 'failed' && (lost?.failures ?? 0) > failuresBefore) poisoned = true;
    };
    // Alone and together: stores sync one commit otherwise than several.
    if (step % 2 === 0) for (const one of runners) await work(one);
    else await Promise.all(runners.map((one) => attempt(storage, one)));
  }
  await typed(() => storage.flush());
}

/** The lane's next operation. After a failure the store is asked what it shows, and the lane goes on from there. */
async function attempt(
  storage: Storage,
  one: { progress: Progress; runner: LaneRunner; at: number },
): Promise<'acked' | 'failed' | 'unknown'> {
  if (one.at < 0) one.at = (await typed(() => checkLane(storage, one.progress))) ?? -1;
  if (one.at < 0) return 'unknown';
  const { progress, runner } = one;
  const n = one.at + 1;
  progress.tried = Math.max(progress.tried ?? 0, n);
  const done = await typed(async () => {
    await runner.run(n);
    return true;
  });
  if (!done) {
    one.at = -1;
    return 'failed';
  }
  progress.acked = n;
  one.at = n;
  await typed(() => runner.tend(n));
  return 'acked';
}

/** What it answers, or undefined when it failed with an error of the project. */
async function typed<T>(run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    codeOf(error);
    return undefined;
  }
}

interface Lost {
  readonly from: number;
  readonly to: number;
  rewritten: boolean;
}

/**
 * What the kernel does when a sync fails: the bytes stay readable for now, but count as written, so that a second
 * sync succeeds and yet they never reach the disk.
 */
export class LostSyncs {
  failures = 0;
  readonly #root: string;
  /** What the disk has of each file. */
  readonly #synced = new Map<string, Buffer>();
  readonly #lost = new Map<string, Lost>();

  constructor(root: string) {
    this.#root = root;
  }

  note({ op, path, range }: IoCall, fails: boolean): void {
    if (!path.startsWith(this.#root)) return;
    if (op === 'truncate' || op === 'unlink' || op === 'rename') this.#lost.delete(path);
    // Another file takes the name, synced before.
    if (op === 'rename') this.#synced.delete(path);
    if (op === 'open' && !this.#synced.has(path)) this.#synced.set(path, contentOf(path));
    const lost = this.#lost.get(path);
    if (lost && op === 'write' && range && range[0] <= lost.from && range[1] >= lost.to)
      lost.rewritten = true;
    if (op !== 'fsync' && op !== 'fdatasync') return;
    if (fails) this.failures++;
    if (!isFile(path)) return;
    const content = contentOf(path);
    if (fails) this.#lost.set(path, differing(this.#synced.get(path) ?? NOTHING, content));
    else if (!lost || lost.rewritten) {
      this.#lost.delete(path);
      this.#synced.set(path, content);
    }
  }

  /** Takes away what never reached the disk. */
  cutPower(): void {
    for (const [path, { from, to }] of this.#lost) {
      if (!existsSync(path)) continue;
      const content = readFileSync(path);
      const end = Math.min(to, content.length);
      content.fill(0, from, end);
      this.#synced.get(path)?.copy(content, from, from, end);
      writeFileSync(path, content);
    }
  }
}

const NOTHING = Buffer.alloc(0);

/** From the first byte that is not the same to the last. */
function differing(before: Buffer, now: Buffer): Lost {
  let from = 0;
  while (from < now.length && before[from] === now[from]) from++;
  let to = now.length;
  while (to > from && (before[to - 1] ?? 0) === now[to - 1]) to--;
  return { from, to, rewritten: false };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function contentOf(path: string): Buffer {
  return isFile(path) ? readFileSync(path) : NOTHING;
}
