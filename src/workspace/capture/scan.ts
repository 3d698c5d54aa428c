/** Walks a workspace. A directory whose times did not change is not listed again; a file that did not costs one lstat. */
import { join } from 'node:path';
import { WorkspaceError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Done } from '../../system/progress.ts';
import { takeTurn } from '../../system/turn.ts';
import type { Judge } from '../rules/judge.ts';
import { RULE_FILE } from '../rules/rules.ts';
import { EMPTY_TREE, indexOfName, joinPath, parentOf } from '../tree/tree.ts';
import type { Dirty } from './dirty.ts';
import {
  carryOver,
  type Draft,
  draftOf,
  isAsSeen,
  type Seen,
  setEntry,
  staysOmitted,
  wasDirectory,
} from './draft.ts';
import { type Looked, listNames, lookAt, type Outlook, omit, type Pending, statOf } from './look.ts';

interface ScanOptions {
  readonly root: string;
  readonly judge: Judge;
  readonly now: number;
  /** Called with the number of names looked at. */
  readonly at: Done;
  /** The rules changed: every name is checked again. */
  readonly again: boolean;
  /** What was captured stays so when it is ignored. */
  readonly keepsCaptured: boolean;
  /** Names of stores' files, which snapshots leave out. */
  readonly isStores: (directory: string, name: string) => boolean;
  /** Called with every file whose bytes have to be read. */
  readonly found: (pending: Pending) => void;
  /** Called with a directory that was captured and that was closed to its owner since, before it is read. */
  readonly closed: (path: string) => void;
  /** Called before a directory is looked at. */
  readonly entering?: (path: string) => void;
  /** Every name in the directory is known to be what was seen. */
  readonly isUnchanged?: (path: string) => boolean;
}

export const NOTHING_SEEN: Seen = { tree: EMPTY_TREE, stamps: new Map() };

interface Visit {
  readonly path: string;
  /** Nothing came or went in it since it was seen. */
  readonly unchanged: boolean;
  readonly again: boolean;
}

/** Looks at everything, or at `dirty` names and below them only. */
export async function scan(options: ScanOptions, seen: Seen, dirty?: Dirty): Promise<Map<string, Draft>> {
  const drafts = new Map<string, Draft>();
  const visits: Visit[] = [];
  let looked = 0;

  const take = (looked: Looked, again: boolean): void => {
    if (!looked) return;
    if ('draft' in looked) options.found(looked);
    else
      visits.push({
        path: looked.enter,
        again,
        unchanged: looked.unchanged && seen.stamps.has(looked.enter),
      });
  };

  /** Nothing is to be looked at but what is below it. */
  const passOver = (path: string, draft: Draft): void => {
    drafts.set(path, draft);
    for (const [index, name] of draft.names.entries()) {
      const below = joinPath(path, name);
      if (wasDirectory(draft, index))
        visits.push({ path: below, unchanged: seen.stamps.has(below), again: false });
    }
  };

  const whole = ({ path, unchanged, again: inherited }: Visit): void => {
    const before = seen.tree.get(path);
    const list = () =>
      likeBefore(
        listNames(join(options.root, path), (name) => options.isStores(path, name)),
        before?.names,
      );
    options.entering?.(path);
    if (unchanged && !inherited && options.isUnchanged?.(path)) {
      passOver(path, draftOf(before!.names, path, seen));
      return;
    }
    let names = unchanged && !inherited ? before!.names : list();
    const again = inherited || ruleFileChanged(options.root, path, names, seen);
    if (again && unchanged && !inherited) names = list();
    if (!names) {
      cannotBeListed(options.root, path, drafts);
      return;
    }
    const draft = draftOf(names, path, seen);
    drafts.set(path, draft);
    const outlook = outlookOn(options, path, again);
    const aligned = draft.entries === null;
    for (let index = 0; index < names.length; index++) {
      if (aligned && unchanged && !again && staysOmitted(draft, index)) continue;
      const at = aligned ? index : before ? indexOfName(before.names, names[index]!) : -1;
      take(lookAt(draft, index, at, outlook, false), again);
    }
  };

  const parts = (directory: string, dirtyNames: ReadonlyMap<string, boolean>): void => {
    const before = seen.tree.get(directory);
    if (!before || !seen.stamps.has(directory) || !isReached(options.root, directory)) return;
    const dirtyOnes = [...dirtyNames.keys()].filter((name) => !options.isStores(directory, name));
    const all = new Set([...before.names, ...dirtyOnes]);
    const names = all.size === before.names.length ? before.names : [...all].sort();
    const draft = draftOf(names, directory, seen);
    drafts.set(directory, draft);
    const aligned = draft.entries === null;
    const outlook = outlookOn(options, directory, false);
    for (const [index, name] of names.entries()) {
      const at = aligned ? index : indexOfName(before.names, name);
      const replaced = dirtyNames.get(name);
      if (replaced !== undefined) take(lookAt(draft, index, replaced ? -1 : at, outlook, true), false);
      else if (!aligned) carryOver(draft, index, at);
    }
  };

  if (dirty) for (const [directory, names] of dirty) parts(directory, names);
  else visits.push({ path: '', unchanged: false, again: options.again });
  for (let visit = visits.pop(); visit; visit = visits.pop()) {
    whole(visit);
    looked += drafts.get(visit.path)?.names.length ?? 0;
    options.at(looked);
    await takeTurn();
  }
  return drafts;
}

/** Not through a link that replaced a directory: its target is not in the workspace. */
function isReached(root: string, directory: string): boolean {
  for (let end = directory.indexOf('/'); directory !== ''; end = directory.indexOf('/', end + 1)) {
    const above = end < 0 ? directory : directory.slice(0, end);
    const found = statOf(join(root, above));
    if (found === 'unreadable' || !found?.isDirectory()) return false;
    if (end < 0) return true;
  }
  return true;
}

function outlookOn(options: ScanOptions, path: string, again: boolean): Outlook {
  const { root, judge, now, keepsCaptured, closed } = options;
  const inner = path === '' ? '' : `${path}/`;
  return { full: `${root}/${inner}`, inner, judge, now, again, keepsCaptured, closed };
}

/** The same list object as before if it has the same names: then everything that belongs to it can be shared. */
function likeBefore(names: string[] | null, before: readonly string[] | undefined): readonly string[] | null {
  if (!names || !before || names.length !== before.length) return names;
  return names.every((name, index) => name === before[index]) ? before : names;
}

/** A directory that is gone again is not in the snapshot; one that may not be listed is in it as not captured. */
function cannotBeListed(root: string, path: string, drafts: ReadonlyMap<string, Draft>): void {
  const parent = path === '' ? undefined : drafts.get(parentOf(path));
  if (!parent) throw rootIsGone(root);
  const index = indexOfName(parent.names, path.slice(path.lastIndexOf('/') + 1));
  if (statOf(join(root, path))) omit(parent, index, 'unreadable');
  else setEntry(parent, index, undefined);
}

function rootIsGone(root: string): WorkspaceError {
  return new WorkspaceError('WORKSPACE_UNSAFE', phrase`The workspace ${root} cannot be listed.`, {
    data: { root },
    hint: phrase`Check that the directory is still there and may be read.`,
  });
}

/** What is ignored in a directory and below depends on the ignore file in it. */
function ruleFileChanged(
  root: string,
  directory: string,
  names: readonly string[] | null,
  seen: Seen,
): boolean {
  const before = seen.tree.get(directory);
  if (!before || !names) return false;
  const at = indexOfName(before.names, RULE_FILE);
  const isThere = indexOfName(names, RULE_FILE) >= 0;
  if (at < 0 || !isThere) return at >= 0 !== isThere;
  const stat = statOf(join(root, directory, RULE_FILE));
  if (stat === 'unreadable') return false;
  return !stat || !isAsSeen(draftOf(before.names, directory, seen), at, stat);
}
