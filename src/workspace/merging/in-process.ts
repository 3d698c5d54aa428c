/** Merges trees by our own plan: the same wherever it runs, with git or without. */
import { mergeText } from '../../merge/text.ts';
import { type Decision, planTreeMerge } from '../../merge/tree.ts';
import type { LayerChange } from '../snapshot/layer.ts';
import { entryAt, type FileEntry, type TreeEntry } from '../tree/tree.ts';
import {
  applicable,
  changedParts,
  type MergeServices,
  type ThreeTrees,
  type TreeMerge,
  type TreeMergeConflict,
  type TreeName,
  type Version,
  type Versions,
} from './parts.ts';
import { similarityOf } from './similarity.ts';

export async function mergeInProcess(services: MergeServices, trees: ThreeTrees): Promise<TreeMerge> {
  const parts = changedParts(trees);
  const decisions = planTreeMerge(parts, { similarity: await similarityOf(services, parts) });
  const changes: LayerChange[] = [];
  const conflicts: TreeMergeConflict[] = [];
  for (const decision of decisions) {
    const { path, from, result, conflict } = decision;
    const versions = versionsOf(trees, from);
    if (conflict) {
      // Moved to two places: one conflict, where ours has it.
      if (conflict !== 'rename/rename' || path === from.ours)
        conflicts.push({ path, kind: conflict, ...versions });
    } else if (result.do !== 'merge') changes.push({ path, after: takenFrom(trees, decision) });
    else {
      const merged = await mergeFiles(services, versions);
      if (merged.outcome !== 'clean') conflicts.push({ path, kind: 'text', ...versions });
      else {
        const { length: size } = merged.bytes;
        const hash = await services.keep(merged.bytes);
        changes.push({ path, after: { kind: 'file', mode: result.mode, size, hash } });
      }
    }
  }
  return { changes: applicable(trees.ours, changes, conflicts), conflicts };
}

async function mergeFiles(services: MergeServices, { base, ours, theirs }: Versions) {
  const files = [base, ours, theirs] as (Version & { entry: FileEntry })[];
  const [before, mine, yours] = (await services.contents(files)) as [Uint8Array, Uint8Array, Uint8Array];
  return mergeText(before, mine, yours);
}

function takenFrom(trees: ThreeTrees, { from, result }: Decision): TreeEntry | null {
  if (result.do !== 'take') return null;
  const source = entryAt(trees[result.side], from[result.side]!)!;
  // The mode may be the other side's.
  return result.entry.kind === 'file' ? { ...(source as FileEntry), mode: result.entry.mode } : result.entry;
}

export function versionsOf(trees: ThreeTrees, from: Decision['from']): Versions {
  const version = (tree: TreeName): Version | null => {
    const path = from[tree];
    const entry = path === undefined ? null : entryAt(trees[tree], path);
    return entry && { path: path!, entry };
  };
  return { base: version('base'), ours: version('ours'), theirs: version('theirs') };
}
