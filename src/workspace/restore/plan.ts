/**
 * What it takes to undo a task's own changes, as a pure function of trees. What others changed stays: where both changed the
 * same file, the plan has a question.
 */
import { diffKnown, type TreeChange } from '../tree/diff.ts';
import { entryAt, omittedAbove, parentOf, sameEntry, type Tree, type TreeEntry } from '../tree/tree.ts';
import { withoutOthers } from './others.ts';

/** Between these two trees only the task itself changed files. */
export interface OwnSpan {
  readonly from: Tree;
  readonly to: Tree;
  /** Others may have changed files too: the plan asks about each. */
  readonly doubtful?: boolean;
  /** It changed no others. */
  readonly paths?: readonly string[];
  /** Nobody knows whether the task did anything here: what is new since is others'. */
  readonly unseen?: boolean;
  /** What others are known to have changed between them, oldest first; see `OthersChanges` for the rest. */
  readonly others?: readonly {
    readonly from: Tree;
    readonly to: Tree;
    readonly doubtful?: boolean;
    readonly near?: boolean;
  }[];
}

export interface PlanItem {
  readonly path: string;
  /** `put` covers everything but removal: content, links, directories, modes. */
  readonly action: 'put' | 'remove' | 'keep' | 'ask';
  /** What is there now. */
  readonly current: TreeEntry | null;
  /** What is to be there; for a question, as it was at the checkpoint. */
  readonly target: TreeEntry | null;
  /** Why it is kept as it is, or what is asked. */
  readonly why: KeepReason | 'modified' | 'deleted' | null;
  /** The task's own changes to undo, oldest first. */
  readonly steps: readonly OwnChange[];
  /** Some of them may be others': a merge cannot know which to remove. */
  readonly doubtful: boolean;
  /** Tools execute its content: the person who is asked should know. */
  readonly runs: boolean;
}

export type KeepReason =
  /** It is already as it should be. */
  | 'already'
  /** Its current content was not captured, so it could not be brought back. */
  | 'not_captured'
  /** Its content was in git, which no longer has it. */
  | 'content_missing'
  /** The store has lost it. */
  | 'content_lost'
  /** Something that is not a directory is in the way. */
  | 'blocked'
  /** A link that would lead out of the workspace. */
  | 'link_outside'
  /** It appeared where nobody knows what the task did. */
  | 'new';

export type OwnChange = Pick<TreeChange, 'before' | 'after'>;

export function planRestore(checkpoint: Tree, own: readonly OwnSpan[], now: Tree): PlanItem[] {
  const changed = new Map<string, OwnChange[]>();
  const doubtful = new Set<string>();
  const fresh = new Set<string>();
  for (const { from, to, doubtful: inDoubt, paths, unseen, others = [] } of own) {
    const theirs = others.map((span) => ({ ...span, changes: diffKnown(span.from, span.to) }));
    for (const { path, steps, doubtful: disputed } of withoutOthers(diffKnown(from, to), theirs)) {
      if (paths && !paths.some((one) => isAtOrAbove(path, one))) continue;
      if (unseen && entryAt(from, path) === null && !changed.has(path)) {
        fresh.add(path);
        continue;
      }
      if (inDoubt || disputed) doubtful.add(path);
      changed.set(path, steps.reduce(joinSteps, changed.get(path) ?? []));
    }
  }
  const items = [...changed]
    .filter(([, steps]) => steps.length > 0)
    .map(([path, steps]) => planPath(path, steps, entryAt(checkpoint, path), now))
    .map((item) => (doubtful.has(item.path) ? askAbout({ ...item, doubtful: true }) : item));
  const put = new Set(items.filter(({ action }) => action !== 'keep').map(({ path }) => path));
  return [...items, ...newOnes(fresh, changed, now)]
    .map((item) =>
      isBlocked(item, now, put) ? { ...item, action: 'keep' as const, why: 'blocked' as const } : item,
    )
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Those that stay, because they may be anybody's. */
function newOnes(paths: ReadonlySet<string>, own: ReadonlyMap<string, unknown>, now: Tree): PlanItem[] {
  return [...paths].flatMap((path): PlanItem[] => {
    const current = entryAt(now, path);
    if (own.has(path) || current === null || isDirectory(current)) return [];
    const runs = makesToolsRun(path);
    return [{ path, action: 'keep', current, target: current, why: 'new', steps: [], doubtful: true, runs }];
  });
}

/** Directories above a file are made for it. */
export function isAtOrAbove(path: string, file: string): boolean {
  return path === file || file.startsWith(`${path}/`);
}

/** Directories follow the files in them. */
function askAbout(item: PlanItem): PlanItem {
  const changes = item.action === 'put' || item.action === 'remove';
  if (!changes || isDirectory(item.current) || isDirectory(item.target)) return item;
  return { ...item, action: 'ask', why: item.current === null ? 'deleted' : 'modified' };
}

/** Consecutive changes of the task count as one; changes that cancel out count as none. */
export function joinSteps(steps: readonly OwnChange[], next: OwnChange): OwnChange[] {
  const last = steps.at(-1);
  if (!last || !sameEntry(last.after, next.before)) return [...steps, next];
  const joined = { before: last.before, after: next.after };
  const rest = steps.slice(0, -1);
  return sameEntry(joined.before, joined.after) ? rest : [...rest, joined];
}

function planPath(
  path: string,
  steps: readonly OwnChange[],
  atCheckpoint: TreeEntry | null,
  now: Tree,
): PlanItem {
  const current = entryAt(now, path);
  const item = { path, current, steps, doubtful: false, runs: makesToolsRun(path) };
  const keep = (why: KeepReason, target = current): PlanItem => ({ ...item, action: 'keep', target, why });
  const notCaptured = [current, ...steps.flatMap(({ before, after }) => [before, after])];
  if (notCaptured.some((entry) => entry?.kind === 'omitted') || omittedAbove(now, path))
    return keep('not_captured');

  let value = current;
  for (const { before, after } of steps.toReversed()) {
    if (sameEntry(value, after) || (!isDirectory(before) && isSameDirectory(value, after))) value = before;
    else if (!sameEntry(value, before)) {
      if (isDirectory(value) && isDirectory(before)) continue;
      const why = current === null ? 'deleted' : 'modified';
      return { ...item, action: 'ask', target: atCheckpoint, why };
    }
  }
  if (sameEntry(value, current)) return keep('already');
  return { ...item, action: value === null ? 'remove' : 'put', target: value, why: null };
}

function isDirectory(entry: TreeEntry | null): boolean {
  return entry?.kind === 'dir';
}

/** A directory is the one that the task created, even if its mode has changed. */
function isSameDirectory(a: TreeEntry | null, b: TreeEntry | null): boolean {
  return isDirectory(a) && isDirectory(b);
}

/** Something by others is where a directory has to be. */
function isBlocked({ path, action }: PlanItem, now: Tree, changing: ReadonlySet<string>): boolean {
  if (action === 'keep') return false;
  for (let above = parentOf(path); above !== ''; above = parentOf(above)) {
    const entry = entryAt(now, above);
    if (entry && entry.kind !== 'dir') return !changing.has(above);
  }
  return false;
}

const RUNS =
  /(^|\/)(\.claude|\.cursor|\.vscode|\.husky|\.devcontainer)\/|(^|\/)(\.mcp\.json|\.envrc|\.npmrc)$/;

export function makesToolsRun(path: string): boolean {
  return RUNS.test(path);
}
