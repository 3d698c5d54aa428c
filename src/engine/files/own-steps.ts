/** What a task did to each file, step by step, and of which files that is not known. */
import type { Storage } from '../../storage/contract.ts';
import { withoutOthers } from '../../workspace/restore/others.ts';
import { isAtOrAbove, joinSteps, type OwnChange } from '../../workspace/restore/plan.ts';
import { diffKnown } from '../../workspace/tree/diff.ts';
import type { Tree } from '../../workspace/tree/tree.ts';
import { ofFiles } from './changes.ts';
import { changesByOthers, withOthers } from './others.ts';
import type { OwnSpans } from './own-changes.ts';

interface OwnSteps {
  /** By path, oldest first; none where they cancel out. */
  readonly own: ReadonlyMap<string, readonly OwnChange[]>;
  /** Changed where an undo asks: by the task, by others, or by both. */
  readonly in_doubt: readonly string[];
  /** False if a part is not known: an operation is in progress or was interrupted, or a snapshot is gone. */
  readonly complete: boolean;
}

interface Source {
  readonly storage: Storage;
  readonly task: string;
  readonly treeOf: (snapshot: string) => Promise<Tree>;
  /** How many other tasks are read; default: all. */
  readonly most?: number;
}

/** Without what other tasks did in the meantime. `canMiss`: an error of a snapshot that only makes it incomplete. */
export async function ownChanges(
  { storage, task, treeOf, most }: Source,
  { place, ...reader }: OwnSpans,
  canMiss: (error: unknown) => boolean = () => false,
): Promise<OwnSteps> {
  const spans = await withOthers(storage, { task, place, most }, reader.spans());
  const own = new Map<string, OwnChange[]>();
  const in_doubt = new Set<string>();
  let complete = true;
  for (const { from, to, paths, doubtful, others } of spans) {
    if (to === null) complete = false;
    if (to === null) continue;
    try {
      const changes = ofFiles(diffKnown(await treeOf(from), await treeOf(to))).filter(
        ({ path }) => !paths || paths.some((one) => isAtOrAbove(path, one)),
      );
      const theirs = await changesByOthers(others, new Set(changes.map(({ path }) => path)), treeOf);
      for (const { path, steps, doubtful: isDisputed } of withoutOthers(changes, theirs)) {
        if (steps.length === 0) continue;
        if (doubtful || isDisputed) in_doubt.add(path);
        else own.set(path, steps.reduce(joinSteps, own.get(path) ?? []));
      }
    } catch (error) {
      if (!canMiss(error)) throw error;
      complete = false;
    }
  }
  return { own, in_doubt: [...in_doubt].sort(), complete };
}
