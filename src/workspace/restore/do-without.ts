/** Content that a restore needs and that is lost: the caller says whether to continue without it. */
import { CorruptError, WorkspaceError } from '../../errors.ts';
import type { SnapshotSpan } from '../snapshot/lost-snapshots.ts';
import type { Reader } from '../snapshot/reader.ts';
import type { Tree } from '../tree/tree.ts';
import type { PlanItem } from './plan.ts';

export const NONE_LOST: ReadonlyMap<string, unknown> = new Map();

/** Those snapshots that cannot be read and can be done without, with the reason. */
export async function lostAmong(
  services: { readonly tree: (snapshot: string) => Promise<Tree> },
  first: string,
  spans: readonly SnapshotSpan[],
  doWithout: (lost: string) => Promise<boolean>,
): Promise<ReadonlyMap<string, unknown>> {
  const lost = new Map<string, unknown>();
  const look = async (ids: Iterable<string>): Promise<void> => {
    for (const id of new Set(ids)) {
      try {
        await services.tree(id);
      } catch (error) {
        const isLost = error instanceof CorruptError || isMissing(error, 'SNAPSHOT_NOT_FOUND');
        if (!isLost || !(await doWithout(id))) throw error;
        lost.set(id, error);
      }
    }
  };
  await look([first, ...spans.flatMap(({ from, to }) => [from, to])]);
  // Those on the way are needed only there.
  await look(spans.flatMap(({ from, to, via }) => (lost.has(from) || lost.has(to) ? (via ?? []) : [])));
  return lost;
}

/** Files whose content neither the store nor git has any more stay as they are. */
export async function withoutLost(
  { reader }: { readonly reader: Reader },
  plan: readonly PlanItem[],
  doWithout: (lost: string) => Promise<boolean>,
): Promise<PlanItem[]> {
  const found: PlanItem[] = [];
  for (const item of plan) {
    const { path, action, current, target } = item;
    const isSame = current?.kind === 'file' && target?.kind === 'file' && current.hash === target.hash;
    const isNeeded = action !== 'keep' && target?.kind === 'file' && !isSame;
    try {
      if (isNeeded) await reader.contents([{ path, entry: target }]);
      found.push(item);
    } catch (error) {
      if (!isMissing(error, 'CONTENT_MISSING') || !isNeeded) throw error;
      if (!(await doWithout(`file/${target.hash}`))) throw error;
      const why = target.git === undefined ? 'content_lost' : 'content_missing';
      found.push({ ...item, action: 'keep', target: current, why });
    }
  }
  return found;
}

export function isMissing(error: unknown, code: 'CONTENT_MISSING' | 'SNAPSHOT_NOT_FOUND'): boolean {
  return error instanceof WorkspaceError && error.code === code;
}
