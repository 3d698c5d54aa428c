/** What a task changed while others are known to have changed files, too: without their changes. Pure. */
import type { TreeChange } from '../tree/diff.ts';
import { sameEntry, type TreeEntry } from '../tree/tree.ts';

/** What others changed in the same time, oldest first. */
interface OthersChanges {
  readonly changes: readonly TreeChange[];
  /** Who they are, where that is asked. */
  readonly task?: string;
  /** Others ran at the same time as them: which changes are whose is not known. */
  readonly doubtful?: boolean;
  /** Shortly before or after, not in the same time: counted as theirs only if it fits what was there. */
  readonly near?: boolean;
}

interface OwnSteps {
  readonly path: string;
  /** Without those of others, oldest first; none when all of it was theirs. */
  readonly steps: readonly Step[];
  /** All of it, oldest first. */
  readonly parts: readonly Part[];
  /** Others may have changed it too. */
  readonly doubtful: boolean;
}

type Step = Pick<TreeChange, 'before' | 'after'>;

interface Part extends Step {
  /** Which of the others did it; null where it was none of them. */
  readonly other: { readonly task: string | null } | null;
}

export function withoutOthers(changes: readonly TreeChange[], others: readonly OthersChanges[]): OwnSteps[] {
  const theirs = Map.groupBy(
    others.flatMap(({ changes, task = null, near = false, doubtful = false }) =>
      changes.map((change) => ({ ...change, task, near, doubtful })),
    ),
    ({ path }) => path,
  );
  return changes.map((change) => {
    const { path } = change;
    const all = theirs.get(path) ?? [];
    const apart = beforeOrAfter(change, all);
    const meanwhile = all.filter((one) => !apart.has(one));
    const sure = meanwhile.filter((one) => !one.doubtful);
    const parts = partsOf(change, sure);
    const steps = parts.filter(({ other }) => other === null).map(({ before, after }) => ({ before, after }));
    return { path, steps, parts, doubtful: sure.length < meanwhile.length };
  });
}

type Theirs = TreeChange & {
  readonly task: string | null;
  readonly near: boolean;
  readonly doubtful: boolean;
};

/** Changes that started from what was left here, or ended with what was found here, happened at another time. */
function beforeOrAfter({ before, after }: TreeChange, theirs: readonly Theirs[]): ReadonlySet<Theirs> {
  const found = new Set<Theirs>();
  let at = after;
  for (const one of theirs) {
    if (!one.near || !sameEntry(one.before, at)) continue;
    found.add(one);
    at = one.after;
  }
  at = before;
  for (const one of theirs.toReversed()) {
    if (!one.near || !sameEntry(one.after, at)) continue;
    found.add(one);
    at = one.before;
  }
  return found;
}

/** From what was there to what the others found, from what they left to what the next one found, and so on. */
function partsOf({ before, after }: TreeChange, theirs: readonly Theirs[]): readonly Part[] {
  const parts: Part[] = [];
  let at = before;
  for (const other of between(theirs, before, after)) {
    if (sameEntry(at, other.after)) continue; // Seen before, or what was done in between cancels out.
    parts.push({ before: at, after: other.before, other: null });
    parts.push({ before: other.before, after: other.after, other });
    at = other.after;
  }
  parts.push({ before: at, after, other: null });
  return parts.filter((part) => !sameEntry(part.before, part.after));
}

/** Those between the first and the last snapshot: their times are too coarse to be more exact. */
function between(
  theirs: readonly Theirs[],
  first: TreeEntry | null,
  last: TreeEntry | null,
): readonly Theirs[] {
  const found = theirs.findIndex(({ before }) => sameEntry(before, first));
  // If they came back to an earlier state, everything up to there cancels out.
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
