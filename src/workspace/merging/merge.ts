/** Merges the changes of another workspace of the store, or of another task, into the current files. */

import { mergeText } from '../../merge/text.ts';
import { askResolvers } from '../resolve/ask.ts';
import type { Resolver } from '../resolve/resolver.ts';
import type { RestoreOutcome, Undo } from '../restore/apply.ts';
import { finishRestores } from '../restore/carry-out.ts';
import { leadsOut, linksIn, withoutLinksOut } from '../restore/links.ts';
import { above } from '../restore/own-part.ts';
import { makesToolsRun, type PlanItem } from '../restore/plan.ts';
import { alone, applyDecided, type RestoreServices } from '../restore/restore.ts';
import type { LayerChange } from '../snapshot/layer.ts';
import { entryAt, everyEntry, type FileEntry, type Tree } from '../tree/tree.ts';
import type { ThreeTrees, TreeMerge, TreeMergeConflict, Version } from './parts.ts';
import { mergeTrees } from './tree-merge.ts';

export interface MergeTreesOptions {
  /** The snapshot that both started from. */
  readonly base: string;
  /** The snapshot that is taken in. */
  readonly theirs: string;
  /** Asked one after the other about a text that both changed at the same lines. */
  readonly resolvers?: readonly Resolver[];
  /** What is wanted with the files as they are, for resolvers. */
  readonly intent?: string;
  /** Which side to keep in an unresolved conflict. Default: nothing is changed. */
  readonly on_conflict?: 'ours' | 'theirs';
  readonly signal?: AbortSignal;
}

export interface MergedTrees extends RestoreOutcome {
  /** False: see `conflicts`; nothing was changed. */
  readonly done: boolean;
  /** Those that no resolver settled. */
  readonly conflicts: readonly TreeMergeConflict[];
  /** What `undo` takes; null when nothing was changed. */
  readonly undo: Undo | null;
}

export async function mergeInto(services: RestoreServices, options: MergeTreesOptions): Promise<MergedTrees> {
  return alone(services, async () => {
    await finishRestores(services);
    await services.storage.renewBlobs(null, [options.base, options.theirs]);
    const before = await services.take();
    const trees = {
      base: await services.tree(options.base),
      ours: before.tree,
      theirs: await services.tree(options.theirs),
    };
    const keep = async (bytes: Uint8Array): Promise<string> =>
      (await services.storage.putBlobs(null, [{ kind: 'file', bytes }]))[0]!.slice('file/'.length);
    const merge = insideOnly(trees, await mergeTrees({ contents: services.reader.contents, keep }, trees));
    const resolved = await resolveTexts(services, keep, merge.conflicts, options);
    const { conflicts } = resolved;
    if (conflicts.length > 0 && !options.on_conflict)
      return { done: false, conflicts, undo: null, restored: [], left: [], displaced: [] };
    const chosen = options.on_conflict === 'theirs' ? conflicts.flatMap((one) => asTheirs(trees, one)) : [];
    const changes = new Map(
      [...merge.changes, ...resolved.changes, ...chosen].map(({ path, after }) => [path, after]),
    );
    const decided = [...changes].map(([path, target]): PlanItem => {
      const action = target === null ? 'remove' : 'put';
      const current = entryAt(before.tree, path);
      return {
        path,
        action,
        current,
        target,
        why: null,
        steps: [],
        doubtful: false,
        runs: makesToolsRun(path),
      };
    });
    const inside = withoutLinksOut(decided, trees.ours, trees.theirs);
    const applied = await applyDecided(services, before, inside, [options.theirs, before.id]);
    return { ...applied, done: true, conflicts };
  });
}

/** Links that would lead out of the workspace are left out. */
function insideOnly({ ours, theirs }: ThreeTrees, merge: TreeMerge): TreeMerge {
  const linksAt = linksIn(ours, theirs);
  const out = ({ path, after }: LayerChange) =>
    after?.kind === 'symlink' && leadsOut(path, after.target, linksAt);
  const conflicts = merge.changes.filter(out).map(
    ({ path, after }): TreeMergeConflict => ({
      path,
      kind: 'symlink',
      base: null,
      ours: null,
      theirs: { path, entry: after! },
    }),
  );
  return {
    ...merge,
    changes: merge.changes.filter((change) => !out(change)),
    conflicts: [...merge.conflicts, ...conflicts],
  };
}

async function resolveTexts(
  { root, storage, reader }: RestoreServices,
  keep: (bytes: Uint8Array) => Promise<string>,
  conflicts: readonly TreeMergeConflict[],
  { resolvers = [], intent = '', signal }: MergeTreesOptions,
): Promise<{ changes: LayerChange[]; conflicts: TreeMergeConflict[] }> {
  const changes: LayerChange[] = [];
  const left: TreeMergeConflict[] = [];
  for (const conflict of conflicts) {
    const files = [conflict.base, conflict.ours, conflict.theirs].filter(isFile);
    if (conflict.kind !== 'text' || files.length < 3 || resolvers.length === 0) {
      left.push(conflict);
      continue;
    }
    const [base, ours, theirs] = (await reader.contents(files)) as [Uint8Array, Uint8Array, Uint8Array];
    const merge = mergeText(base, ours, theirs);
    const whole = { path: conflict.path, base, ours, theirs };
    const answer = await askResolvers(
      { storage, root, resolvers, since: async () => null, intent },
      whole,
      merge,
      signal,
    );
    if (!answer.resolved) left.push(conflict);
    else {
      const { mode } = files[1]!.entry;
      const entry = {
        kind: 'file',
        mode,
        size: answer.bytes.length,
        hash: await keep(answer.bytes),
      } as const;
      changes.push({ path: conflict.path, after: entry });
    }
  }
  return { changes, conflicts: left };
}

function isFile(version: Version | null): version is Version & { entry: FileEntry } {
  return version?.entry.kind === 'file';
}

/** Everything at its paths, and in its way, becomes what theirs has there; except what was not captured. */
function asTheirs({ ours, theirs }: ThreeTrees, conflict: TreeMergeConflict): LayerChange[] {
  const places = [conflict.path, conflict.ours?.path, conflict.theirs?.path].filter(
    (path) => path !== undefined,
  );
  const paths = new Set(
    places.flatMap((path) => [...above(path), path, ...below(ours, path), ...below(theirs, path)]),
  );
  return [...paths]
    .filter((path) => entryAt(ours, path)?.kind !== 'omitted')
    .map((path) => ({ path, after: entryAt(theirs, path) }))
    .filter(
      ({ path, after }) =>
        after?.kind !== 'omitted' && (after || !places.some((place) => place.startsWith(`${path}/`))),
    );
}

function below(tree: Tree, path: string): string[] {
  return [...everyEntry(tree, path)].map(([inside]) => inside);
}
