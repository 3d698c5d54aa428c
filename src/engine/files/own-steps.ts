/** What a task did to each file, step by step, and of which files that is not known. */
import { isAtOrAbove, joinSteps, type OwnChange } from '../../workspace/restore/plan.ts';
import { diffKnown } from '../../workspace/tree/diff.ts';
import type { Tree } from '../../workspace/tree/tree.ts';
import { filesIn, ofFiles } from './changes.ts';
import type { OwnSpan } from './spans.ts';

interface OwnSteps {
  /** By path, oldest first; none where they cancel out. */
  readonly own: ReadonlyMap<string, readonly OwnChange[]>;
  /** Changed where an undo asks: by the task, by others, or by both. */
  readonly in_doubt: readonly string[];
  /** False if a part is not known: an operation is in progress or was interrupted, or a snapshot is gone. */
  readonly complete: boolean;
}

/** `canMiss`: an error of a snapshot that only makes it incomplete. */
export async function ownChanges(
  spans: readonly OwnSpan[],
  treeOf: (snapshot: string) => Promise<Tree>,
  canMiss: (error: unknown) => boolean = () => false,
): Promise<OwnSteps> {
  const own = new Map<string, OwnChange[]>();
  const in_doubt = new Set<string>();
  let complete = true;
  for (const { from, to, paths, doubtful } of spans) {
    if (to === null) complete = false;
    if (to === null) continue;
    try {
      const changes = diffKnown(await treeOf(from), await treeOf(to)).filter(
        ({ path }) => !paths || paths.some((one) => isAtOrAbove(path, one)),
      );
      if (doubtful) for (const path of filesIn(changes)) in_doubt.add(path);
      else
        for (const { path, before, after } of ofFiles(changes))
          own.set(path, joinSteps(own.get(path) ?? [], { before, after }));
    } catch (error) {
      if (!canMiss(error)) throw error;
      complete = false;
    }
  }
  return { own, in_doubt: [...in_doubt].sort(), complete };
}
