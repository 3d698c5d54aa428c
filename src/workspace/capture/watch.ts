/**
 * What changed since it was asked last, told by the kernel. It is believed only as long as nothing can have been missed:
 * after an overflow, an error or too late a start the answer is that everything has to be looked at.
 */
import { join } from 'node:path';
import { ensureDir, removeIfExists } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import { RULE_FILE } from '../rules/rules.ts';
import { isOwnName, nameProblem } from '../tree/names.ts';
import { joinPath } from '../tree/tree.ts';
import type { Dirty } from './dirty.ts';

export interface Watch {
  /** Whether watches are to be had here. */
  readonly works: boolean;
  /** Names to look at; null when everything has to be. */
  dirty(): Promise<Dirty | null>;
  /** To be called before a directory is listed. */
  entering(path: string): void;
  /** Begins anew, before everything is looked at; these directories are known. */
  restart(directories: Iterable<string>): void;
  /** Everything was looked at: from here on nothing is missed. */
  trust(): void;
  /** What was told could not be looked at: next time everything has to be. */
  distrust(): void;
  close(): void;
}

/** Overflow is silent: the kernel drops what is beyond its queue, 16,384 events unless told otherwise. */
const MOST_EVENTS_A_TURN = 4_000;
const COOKIE_TIMEOUT_MS = 2_000;

/** Only where the kernel tells of one directory at a time, in order: Linux. Null elsewhere. */
export function openWatch(root: string, stateDir: string): Watch | null {
  if (process.platform !== 'linux') return null;
  const cookies = cookieJar(join(stateDir, 'cookies'));
  const watchers = new Map<string, () => void>();
  let dirty = new Map<string, Map<string, boolean>>();
  let eventsThisTurn = 0;
  /** `starting`: all is watched, and being looked at for the first time. `off`: no watches are left to be had. */
  let state: 'blind' | 'starting' | 'trusted' | 'off' = 'blind';

  const distrust = (): void => {
    if (state !== 'off') state = 'blind';
  };

  const note = (directory: string, kind: 'rename' | 'change', name: string | null): void => {
    if (eventsThisTurn++ === 0) {
      setImmediate(() => {
        eventsThisTurn = 0;
      });
    }
    if (eventsThisTurn > MOST_EVENTS_A_TURN) distrust();
    if (name !== null && isOwnName(name)) return;
    // A rule concerns more than itself; one that is listed under another name is found by listing.
    if (name === null || name === RULE_FILE || nameProblem(name)) {
      distrust();
      return;
    }
    const names = dirty.get(directory) ?? new Map<string, boolean>();
    dirty.set(directory, names.set(name, names.get(name) || kind === 'rename'));
  };

  const enter = (path: string): void => {
    if (watchers.has(path) || state === 'off') return;
    try {
      watchers.set(
        path,
        io.watch(join(root, path), (kind, name) => note(path, kind, name), distrust),
      );
    } catch (error) {
      // One that is gone is told of by the directory it was in; one that cannot be reached is not captured. With no
      // watch left there is nothing to rely on.
      if (!['ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG'].includes(io.errnoOf(error) ?? '')) giveUp();
    }
  };

  const leave = (path: string): void => {
    watchers.get(path)?.();
    watchers.delete(path);
  };

  /** A directory that came, went or was replaced is not the one that is watched, nor are those in it. */
  const leaveReplaced = (changed: Dirty): void => {
    for (const [directory, names] of changed) {
      for (const [name, replaced] of names) {
        const path = joinPath(directory, name);
        if (!replaced || !watchers.has(path)) continue;
        for (const below of [...watchers.keys()]) {
          if (below === path || below.startsWith(`${path}/`)) leave(below);
        }
      }
    }
  };

  const giveUp = (): void => {
    state = 'off';
    for (const path of [...watchers.keys()]) leave(path);
  };

  return {
    get works() {
      return state !== 'off';
    },
    async dirty() {
      if (state !== 'trusted' || !(await cookies.seen())) return null;
      // It may have been lost while waiting.
      if ((state as string) !== 'trusted') return null;
      const changed = dirty;
      dirty = new Map();
      leaveReplaced(changed);
      return changed;
    },
    entering: enter,
    restart(directories) {
      for (const path of [...watchers.keys()]) leave(path);
      dirty = new Map();
      if (state !== 'off') state = 'starting';
      for (const path of directories) enter(path);
    },
    trust() {
      if (state === 'starting') state = 'trusted';
    },
    distrust,
    close() {
      giveUp();
      cookies.close();
    },
  };
}

interface CookieJar {
  /** Whether all that happened before has been told of. */
  seen(): Promise<boolean>;
  close(): void;
}

/** Events come in order: once a file of our own is told of, everything before it was. */
function cookieJar(directory: string): CookieJar {
  ensureDir(directory);
  const waiting = new Map<string, (seen: boolean) => void>();
  let number = 0;
  let broken = false;
  const stop = io.watch(
    directory,
    (_, name) => waiting.get(name ?? '')?.(true),
    () => {
      broken = true;
    },
  );
  return {
    async seen() {
      if (broken) return false;
      const name = `${process.pid}-${number++}`;
      const answer = new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(false), COOKIE_TIMEOUT_MS);
        waiting.set(name, (seen) => {
          clearTimeout(timer);
          resolve(seen);
        });
      });
      io.close(io.open(join(directory, name), 'wx'));
      const seen = await answer;
      waiting.delete(name);
      removeIfExists(join(directory, name));
      return seen;
    },
    close: stop,
  };
}
