/**
 * What changed since it was asked last, told by the system. It is believed only as long as nothing can have been missed:
 * after an overflow, an error, too late a start or a name that is not clear the answer is that everything has to be looked at.
 */
import { join } from 'node:path';
import { platform } from '../../system/platform.ts';
import { RULE_FILE } from '../rules/rules.ts';
import { isOwnName, nameProblem } from '../tree/names.ts';
import type { Tree } from '../tree/tree.ts';
import { type Dirty, isSpelledOtherwise } from './dirty.ts';
import { watchDirectories } from './watch-directories.ts';
import { watchTree } from './watch-tree.ts';
import type { WatchListener } from './watcher.ts';

export interface Watch {
  /** Whether watches are available here. */
  readonly works: boolean;
  /** Names to look at; null when everything has to be. `known`: what was seen last. */
  dirty(known: Tree): Promise<Dirty | null>;
  /** To be called before a directory is listed. */
  entering(path: string): void;
  /** Begins again, before everything is looked at; these directories are known. */
  restart(directories: Iterable<string>): Promise<void>;
  /** Everything was looked at: from here on nothing is missed. */
  trust(): void;
  /** Changes could not be read: the next time everything has to be scanned. */
  distrust(): void;
  close(): void;
}

/** Overflow is silent: the kernel drops what is beyond its queue, on Linux 16,384 events by default. */
const MOST_EVENTS_A_TURN = 4_000;

/** Null where the platform does not tell, or not reliably. */
export function openWatch(root: string, stateDir: string): Watch | null {
  if (platform.watches === null) return null;
  let dirty = new Map<string, Map<string, boolean>>();
  let eventsThisTurn = 0;
  /** `starting`: all is watched, and being looked at for the first time. `off`: no watches are to be had. */
  let state: 'blind' | 'starting' | 'trusted' | 'off' = 'blind';

  const distrust = (): void => {
    if (state !== 'off') state = 'blind';
  };

  const note: WatchListener['note'] = (directory, kind, name) => {
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

  const giveUp = (): void => {
    state = 'off';
    watcher.close();
  };

  const open = platform.watches === 'tree' ? watchTree : watchDirectories;
  const watcher = open(root, join(stateDir, 'cookies'), { note, distrust, giveUp });

  return {
    get works() {
      return state !== 'off';
    },
    async dirty(known) {
      if (state !== 'trusted' || !(await watcher.caughtUp())) return null;
      // It may have been lost while waiting.
      if ((state as string) !== 'trusted') return null;
      const changed = dirty;
      dirty = new Map();
      watcher.replaced(changed);
      return platform.folds_names && isSpelledOtherwise(changed, known, root) ? null : changed;
    },
    entering(path) {
      if (state !== 'off') watcher.entering(path);
    },
    async restart(directories) {
      dirty = new Map();
      if (state === 'off') return;
      state = 'starting';
      if (!(await watcher.restart(directories))) giveUp();
    },
    trust() {
      if (state === 'starting') state = 'trusted';
    },
    distrust,
    close: giveUp,
  };
}
