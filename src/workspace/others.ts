/** What a task changed while others are known to have changed files too: theirs taken out of it. Pure. */
import type { TreeChange } from './diff.ts';
import { sameEntry, type TreeEntry } from './tree.ts';

/** What others changed in the same time, oldest first. */
export interface OthersChanges {
  readonly changes: readonly TreeChange[];
  /** They were not alone either: which of these are theirs is not known. */
  readonly doubtful?: boolean;
  /** Shortly before or after, not in the same time: theirs only where it fits with what was there. */
  readonly near?: boolean;
}

export interface OwnSteps {
  readonly path: string;
  /** Without those of others, oldest first; none when all of it was theirs. */
  readonly steps: readonly Pick<TreeChange, 'before' | 'after'>[];
  /** Others may have changed it too. */
  readonly doubtful: boolean;
}

export function withoutOthers(changes: readonly TreeChange[], others: readonly OthersChanges[]): OwnSteps[] {
  const { sure = [], doubtful = [] } = Object.groupBy(others, (one) => (one.doubtful ? 'doubtful' : 'sure'));
  const theirs = Map.groupBy(
    sure.flatMap(({ changes, near = false }) => changes.map((change) => ({ ...change, near }))),
    ({ path }) => path,
  );
  const unsure = new Set(doubtful.flatMap((one) => one.changes.map(({ path }) => path)));
  return changes.map((change) => {
    const { path } = change;
    return { path, steps: ownSteps(change, theirs.get(path) ?? []), doubtful: unsure.has(path) };
  });
}

type Theirs = TreeChange & { readonly near: boolean };

/** From what was there to what the others found, from what they left to what the next one found, and so on. */
function ownSteps({ before, after }: TreeChange, theirs: readonly Theirs[]): OwnSteps['steps'] {
  const steps: { before: TreeEntry | null; after: TreeEntry | null }[] = [];
  let at = before;
  for (const other of between(theirs, before, after)) {
    steps.push({ before: at, after: other.before });
    at = other.after;
  }
  steps.push({ before: at, after });
  return steps.filter((step) => !sameEntry(step.before, step.after));
}

/** Those that came after the first look and before the last one: their times are not exact enough to tell. */
function between(
  theirs: readonly Theirs[],
  first: TreeEntry | null,
  last: TreeEntry | null,
): readonly Theirs[] {
  const found = theirs.findIndex(({ before }) => sameEntry(before, first));
  // Where they came back to it, all up to there is nothing.
  const again = theirs.findLastIndex(({ after }) => sameEntry(after, first)) + 1;
  const from = Math.max(found, again);
  const rest = theirs.slice(from);
  const end = rest.findLastIndex(({ after }) => sameEntry(after, last));
  if (end >= 0) return rest.slice(0, end + 1);
  const later = rest.findIndex(({ before }) => sameEntry(before, last));
  let at = first;
  return (later < 0 ? rest : rest.slice(0, later)).filter(({ near, before, after }) => {
    const follows = !near || sameEntry(before, at);
    if (follows) at = after;
    return follows;
  });
}
