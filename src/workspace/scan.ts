/** Walks a workspace. A directory whose times did not change is not listed again; a file that did not costs one lstat. */
import { join } from 'node:path';
import { WorkspaceError } from '../errors.ts';
import { readWhole } from '../system/hash-files.ts';
import * as io from '../system/io.ts';
import { takeTurn } from '../system/turn.ts';
import { parseIgnoreFile } from './gitignore.ts';
import {
  type Draft,
  type Known,
  listNames,
  lookAt,
  type Outlook,
  type Pending,
  type Seen,
  STAMP,
} from './look.ts';
import type { Inside, Rules, Scope } from './rules.ts';
import { type Directory, EMPTY_TREE, type Entry, indexOfName, joinPath, parentOf } from './tree.ts';

export interface ScanOptions {
  readonly root: string;
  readonly rules: Rules;
  /** Case does not count in ignore files. */
  readonly foldCase: boolean;
  readonly now: number;
  /** The rules changed: every name is judged anew. */
  readonly anew: boolean;
  /** Called before a directory is looked at. */
  readonly entering?: (path: string) => void;
}

/** Names to look at, by directory; true where the name itself came, went or was replaced. */
export type Dirty = ReadonlyMap<string, ReadonlyMap<string, boolean>>;

export interface Scanned {
  readonly drafts: ReadonlyMap<string, Draft>;
  readonly pending: readonly Pending[];
}

export const NOTHING_SEEN: Seen = { tree: EMPTY_TREE, stamps: new Map() };

interface Visit {
  readonly path: string;
  readonly inside: Inside;
  /** Nothing came or went in it since it was seen. */
  readonly unchanged: boolean;
  readonly anew: boolean;
}

/** Looks at everything, or below `dirty` names only. */
export async function scan(options: ScanOptions, seen: Seen, dirty?: Dirty): Promise<Scanned> {
  const drafts = new Map<string, Draft>();
  const pending: Pending[] = [];
  const visits: Visit[] = [];
  const scopes = scopeFinder(options);

  const look = (draft: Draft, index: number, known: Known | null, visit: Visit, force: boolean): void => {
    const { root, rules, now } = options;
    const outlook: Outlook = { root, rules, now, scope: () => scopes(draft.path), inside: visit.inside };
    const looked = lookAt(draft, index, known, outlook, { judged: !visit.anew, force });
    if (looked.kind === 'pending') pending.push(looked.pending);
    if (looked.kind !== 'enter') return;
    const { path, inside } = looked;
    visits.push({ path, inside, anew: visit.anew, unchanged: looked.unchanged && seen.tree.has(path) });
  };

  const whole = (visit: Visit): void => {
    const { path } = visit;
    const before = seen.tree.get(path);
    options.entering?.(path);
    const listed = visit.unchanged && !visit.anew ? before!.names : listNames(join(options.root, path));
    const anew =
      visit.anew || (before !== undefined && ruleFileChanged(options.root, path, listed ?? [], seen));
    const names = listed === before?.names && anew ? listNames(join(options.root, path)) : listed;
    if (!names) {
      cannotBeListed(options.root, path, drafts);
      return;
    }
    const draft = draftOf(path, names, before);
    drafts.set(path, draft);
    const stamps = seen.stamps.get(path);
    for (let index = 0; index < names.length; index++) {
      const at = names === before?.names ? index : before ? indexOfName(before.names, names[index]!) : -1;
      const entry = at < 0 || !stamps ? null : before!.entries[at]!;
      if (entry?.kind === 'omitted' && names === before?.names && staysOmitted(entry)) {
        draft.entries[index] = entry;
        continue;
      }
      const known = entry && { entry, stamps: stamps!, at: at * STAMP };
      look(draft, index, known, anew === visit.anew ? visit : { ...visit, anew }, false);
    }
  };

  const parts = (directory: string, names: ReadonlyMap<string, boolean>): void => {
    const before = seen.tree.get(directory);
    const stamps = seen.stamps.get(directory);
    if (!before || !stamps) return;
    const kept = before.names.filter((name) => !names.has(name));
    const draft = draftOf(directory, [...kept, ...names.keys()].sort(), before);
    drafts.set(directory, draft);
    const inside = insideOf(options.rules, scopes, directory);
    const visit: Visit = { path: directory, inside, unchanged: true, anew: false };
    for (const [index, name] of draft.names.entries()) {
      const at = indexOfName(before.names, name);
      const known = at < 0 ? null : { entry: before.entries[at]!, stamps, at: at * STAMP };
      const came = names.get(name);
      if (came === undefined) {
        draft.entries[index] = before.entries[at]!;
        for (let field = 0; field < STAMP; field++)
          draft.stamps[index * STAMP + field] = stamps[at * STAMP + field]!;
      } else look(draft, index, came ? null : known, visit, true);
    }
  };

  if (dirty) for (const [directory, names] of dirty) parts(directory, names);
  else visits.push({ path: '', inside: 'nothing special', unchanged: false, anew: options.anew });
  for (let visit = visits.pop(); visit; visit = visits.pop()) {
    whole(visit);
    await takeTurn();
  }
  return { drafts, pending };
}

/** What the name is cannot have changed: otherwise the directory would have. */
function staysOmitted(entry: Entry & { kind: 'omitted' }): boolean {
  return entry.why !== 'too_large' && entry.why !== 'unreadable';
}

function draftOf(path: string, names: readonly string[], before: Directory | undefined): Draft {
  return {
    path,
    names,
    entries: new Array<Entry | undefined>(names.length),
    stamps: new Float64Array(names.length * STAMP).fill(Number.NaN),
    before,
  };
}

/** A directory that is gone again is not in the snapshot; one that may not be listed stands in it as not captured. */
function cannotBeListed(root: string, path: string, drafts: ReadonlyMap<string, Draft>): void {
  const parent = path === '' ? undefined : drafts.get(parentOf(path));
  if (!parent) throw rootIsGone(root);
  const index = indexOfName(parent.names, path.slice(path.lastIndexOf('/') + 1));
  const isThere = io.lstat(join(root, path)) !== null;
  parent.entries[index] = isThere ? { kind: 'omitted', why: 'unreadable' } : undefined;
}

function rootIsGone(root: string): WorkspaceError {
  return new WorkspaceError('WORKSPACE_UNSAFE', `The workspace ${root} cannot be listed.`, {
    data: { root },
    hint: 'Check that the directory is still there and may be read.',
  });
}

function ruleFileChanged(root: string, directory: string, names: readonly string[], seen: Seen): boolean {
  const before = seen.tree.get(directory)!;
  const at = indexOfName(before.names, RULE_FILE);
  if (at < 0 || !names.includes(RULE_FILE)) return at >= 0 !== names.includes(RULE_FILE);
  const stat = io.lstat(join(root, directory, RULE_FILE));
  const stamps = seen.stamps.get(directory);
  return stamps?.[at * STAMP] !== stat?.mtimeMs || stamps?.[at * STAMP + 1] !== stat?.ctimeMs;
}

export const RULE_FILE = '.gitignore';

/** The ignore files that concern a directory, each read at most once a scan, and only when something is judged by it. */
function scopeFinder({ root, rules, foldCase }: ScanOptions): (directory: string) => Scope | null {
  const found = new Map<string, Scope | null>();
  const find = (directory: string): Scope | null => {
    const known = found.get(directory);
    if (known !== undefined) return known;
    const above = directory === '' ? rules.outer : find(parentOf(directory));
    const text = readWhole(join(root, directory, RULE_FILE))?.bytes.toString();
    const scope =
      text === undefined ? above : { directory, patterns: parseIgnoreFile(text, { foldCase }), above };
    found.set(directory, scope);
    return scope;
  };
  return find;
}

/** Told anew from the root downwards, for a directory that is looked at without those above it. */
function insideOf(rules: Rules, scopes: (directory: string) => Scope | null, directory: string): Inside {
  let inside: Inside = 'nothing special';
  let above = '';
  for (const name of directory === '' ? [] : directory.split('/')) {
    const path = joinPath(above, name);
    const scope = above;
    const why = rules.leaveOut(path, true, () => scopes(scope), inside);
    inside = why === 'ignored' ? 'ignored' : rules.within(path, inside);
    above = path;
  }
  return inside;
}
