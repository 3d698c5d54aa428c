/**
 * What other processes change, as hints: told by the system where it tells of one directory at a time, and found by a look at
 * everything in any case. A watch costs the kernel something, so only tasks that somebody works on are watched.
 */
import { ensureDir, namesIn } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import { platform } from '../../system/platform.ts';
import { takeTurn } from '../../system/turn.ts';
import { createHints, type Hint, keepLooking } from '../hints.ts';
import { isTaskId } from '../keys.ts';
import type { Layout } from './layout.ts';
import { taskIds } from './list.ts';

type Tell = (hint: Hint) => void;

/** How often everything is looked at; and what is worked on, where nothing is watched. */
const ALL_MS = 2000;
const OWNED_MS = 200;
/** Looking takes no more than this part of the time, however many tasks there are. */
const SHARE = 0.01;

export async function* changesIn(layout: Layout, signal: AbortSignal): AsyncGenerator<Hint> {
  const hints = createHints(signal);
  const watches = openWatches(layout, hints.tell);
  const looking = openLooking(layout, hints.tell);
  try {
    await looking.atAll();
    hints.tell(null);
    void keepLooking(lookingWith(looking, watches), 0, hints, signal);
    yield* hints.taken();
  } finally {
    watches.close();
  }
}

/** At what is worked on, where nothing is watched; at everything when that is due. */
function lookingWith(looking: Looking, watches: Watches): () => Promise<number> {
  let due = performance.now() + ALL_MS;
  return async () => {
    const began = performance.now();
    if (began >= due) {
      await looking.atAll();
      due = performance.now() + Math.max(ALL_MS, (performance.now() - began) / SHARE);
    } else if (!watches.work()) looking.atOwned();
    const left = due - performance.now();
    return watches.work() ? left : Math.min(left, OWNED_MS);
  };
}

interface Looking {
  /** Tells what is not as it was at the last look; the first look tells everything. */
  atAll(): Promise<void>;
  /** The same for what is worked on. */
  atOwned(): void;
}

function openLooking(layout: Layout, tell: Tell): Looking {
  const known = new Map<string, string>();
  let shared = '';
  let isFirst = true;

  const lookAt = (task: string, owned: ReadonlySet<string>): void => {
    const version = `${versionOf(layout.taskLog(task))} ${owned.has(task)}`;
    if (known.get(task) === version) return;
    known.set(task, version);
    if (!isFirst) tell(task);
  };
  const lookOutside = (): void => {
    const version = versionOf(layout.sharedLog);
    if (version === shared) return;
    shared = version;
    if (!isFirst) tell(null);
  };

  return {
    async atAll() {
      lookOutside();
      const owned = ownedTasks(layout);
      const tasks = new Set(taskIds(layout));
      for (const task of tasks) {
        await takeTurn();
        lookAt(task, owned);
      }
      for (const task of known.keys()) {
        if (tasks.has(task)) continue;
        known.delete(task);
        tell(task);
      }
      isFirst = false;
    },
    atOwned() {
      lookOutside();
      const owned = ownedTasks(layout);
      for (const task of owned) lookAt(task, owned);
    },
  };
}

function versionOf(path: string): string {
  const found = io.lstat(path);
  return found ? `${found.ino} ${found.size} ${found.mtimeMs}` : '';
}

/** Also those of processes that have died. */
function ownedTasks(layout: Layout): Set<string> {
  return new Set(namesIn(layout.fence('').dir).flatMap(({ name }) => taskNamed(layout, name) ?? []));
}

function taskNamed(layout: Layout, name: string): string | null {
  const task = layout.keyOf(`${name}.json`);
  return isTaskId(task) ? task : null;
}

interface Watches {
  /** Whether what is worked on is watched. */
  work(): boolean;
  close(): void;
}

/** Most are worked on by somebody who does not stay for long. */
const MOST_WATCHED = 1000;

function openWatches(layout: Layout, tell: Tell): Watches {
  const stops: (() => void)[] = [];
  const followed = new Map<string, () => void>();
  let works = platform.watches === 'directories';

  const giveUp = (): void => {
    works = false;
    close();
  };
  const close = (): void => {
    for (const stop of [...stops.splice(0), ...followed.values()]) stop();
    followed.clear();
  };
  const leave = (task: string): void => {
    followed.get(task)?.();
    followed.delete(task);
  };
  const follow = (task: string): void => {
    if (!works || followed.has(task)) return;
    const log = layout.taskLog(task).slice(layout.taskDir(task).length + 1);
    try {
      const seen = (_: string, name: string | null) => void ((name === null || name === log) && tell(task));
      followed.set(
        task,
        io.watch(layout.taskDir(task), { tree: false }, seen, () => leave(task)),
      );
    } catch (error) {
      // One that is not there yet is followed when its directory is made.
      if (!['ENOENT', 'ENOTDIR'].includes(io.errnoOf(error) ?? '')) giveUp();
    }
    if (followed.size > MOST_WATCHED) leave(followed.keys().next().value!);
  };
  /** The name of a task in a directory: made, removed, claimed or released. */
  const noted = (kind: 'rename' | 'change', name: string | null): void => {
    const task = name === null ? null : taskNamed(layout, name);
    if (task === null) return;
    if (kind === 'rename' && !io.lstat(layout.taskLog(task))) leave(task);
    follow(task);
    tell(task);
  };

  if (works) {
    const log = layout.sharedLog.slice(layout.root.length + 1);
    const outside = (_: string, name: string | null) => void ((name === null || name === log) && tell(null));
    try {
      ensureDir(layout.fence('').dir);
      ensureDir(layout.tasksDir);
      stops.push(io.watch(layout.root, { tree: false }, outside, giveUp));
      stops.push(io.watch(layout.tasksDir, { tree: false }, noted, giveUp));
      stops.push(io.watch(layout.fence('').dir, { tree: false }, noted, giveUp));
      for (const task of ownedTasks(layout)) follow(task);
    } catch (error) {
      if (io.errnoOf(error) === undefined) throw error;
      giveUp();
    }
  }
  return { work: () => works, close };
}
