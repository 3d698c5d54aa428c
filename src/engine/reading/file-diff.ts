/** What changed in files between two points of a task, hunk by hunk, and by whom. Reads the store and git; changes nothing. */

import { answering, isDamage } from '../../errors.ts';
import { countLines, isBinary, textHunks } from '../../merge/hunks.ts';
import type { Storage } from '../../storage/contract.ts';
import { openRepository } from '../../workspace/git/repository.ts';
import { authorsOf, blamed, contentOf } from '../../workspace/restore/file-details.ts';
import { openReader, type Reader } from '../../workspace/snapshot/reader.ts';
import { isLost } from '../../workspace/snapshot/snapshots.ts';
import { openTrees } from '../../workspace/snapshot/trees.ts';
import { diffTrees } from '../../workspace/tree/diff.ts';
import type { TreeEntry } from '../../workspace/tree/tree.ts';
import type { Side } from '../files/authors.ts';
import { isFile } from '../files/changes.ts';
import { modesOf } from '../files/put-back.ts';
import { type MadeVersion, type Versions, versionsBetween } from '../files/versions.ts';
import { unlessWithheld } from '../task/records/withheld.ts';
import type { DiffPoint } from './diff-points.ts';
import { type MadeHunk, type MakersHunk, rowFinder, withMakers } from './made-hunks.ts';

export interface DiffOptions {
  /** Only these files, with their hunks; `true`: of all files, as long as they are few. */
  readonly hunks?: boolean | readonly string[];
  /** How many lines around a change are shown; default: 3. */
  readonly context?: number;
}

export interface FileDiff {
  readonly path: string;
  readonly change: 'created' | 'deleted' | 'modified';
  /** Who changed it on the way: `task`, `shell`, `agent:{name}`, `task:{id}`, `you` for everybody else, or `unknown`. */
  readonly by: readonly string[];
  /** Lines; null where it is not text, or too large. */
  readonly added: number | null;
  readonly removed: number | null;
  readonly binary: boolean;
  readonly mode: { readonly before: string; readonly after: string } | null;
  /** There is too much of it to be counted or shown. */
  readonly too_large: boolean;
  readonly hunks: readonly MadeHunk[] | null;
}

/** In bytes, of one version of a file. */
const MOST_BYTES = 2 * 1024 * 1024;
/** Lines of hunks, where no file is named. */
const MOST_LINES = 20_000;
const AT_ONCE = 16;
const UNKNOWN = 'unknown';

export interface DiffSource {
  readonly storage: Storage;
  readonly project_dir: string;
}

/** Between two points that stay as they are, it is found once. */
export async function diffBetween(
  source: DiffSource,
  from: DiffPoint,
  to: DiffPoint,
  options: DiffOptions = {},
): Promise<readonly FileDiff[] | null> {
  const sides = [from, to].map(({ task, seq, snapshot }) => ({ task, seq, snapshot }));
  if (!isKnown(sides[0]!) || !isKnown(sides[1]!)) return null;
  const find = (): Promise<FileDiff[]> => diffFiles(source, sides[0] as Side, sides[1] as Side, options);
  if (!from.fixed || !to.fixed) return find();
  const known = found.get(source.storage) ?? new Map<string, Promise<FileDiff[]>>();
  found.set(source.storage, known);
  const key = JSON.stringify([...sides, options]);
  const result = known.get(key) ?? find();
  known.delete(key);
  known.set(key, result);
  if (known.size > MOST_KEPT) known.delete(known.keys().next().value!);
  // Its caller has the error; the next one tries again.
  result.catch(() => known.delete(key));
  return result;
}

const MOST_KEPT = 32;
const found = new WeakMap<Storage, Map<string, Promise<FileDiff[]>>>();

function isKnown(side: Omit<Side, 'snapshot'> & { readonly snapshot: string | null }): side is Side {
  return side.snapshot !== null;
}

async function diffFiles(
  { storage, project_dir }: DiffSource,
  from: Side,
  to: Side,
  { hunks: wanted = false, context }: DiffOptions = {},
): Promise<FileDiff[]> {
  // It reads objects only; it does not use holds.
  const repository = await openRepository(project_dir, 'none');
  try {
    const reader = openReader(storage, repository);
    const named = typeof wanted === 'boolean' ? null : new Set(wanted);
    const tree = openTrees(storage);
    const changes = diffTrees(await tree(from.snapshot), await tree(to.snapshot)).filter(
      ({ path, before, after }) => (isFile(before) || isFile(after)) && (named?.has(path) ?? true),
    );
    const nobody: Versions = () => [];
    const apart = named ? [...named] : wanted === true ? 'all' : [];
    const versionsOf =
      changes.length === 0
        ? nobody
        : await versionsBetween(storage, [from, to], tree, undefined, apart).catch(
            answering(isUnreadable, nobody),
          );
    let lines = 0;
    const one = async ({ path, before, after }: (typeof changes)[number]) => {
      const versions = versionsOf(path);
      const by = [...new Set(versions.slice(1).map((version) => version.by ?? UNKNOWN))];
      const isShown = named !== null || (wanted === true && lines < MOST_LINES);
      const about = { path, change: kindOf(before, after), by, mode: modesOf(before, after) } as const;
      const text = await compared({ path, before, after, versions }, reader, isShown ? { context } : null);
      lines += text.hunks?.reduce((sum, hunk) => sum + hunk.lines.length, 0) ?? 0;
      return { ...about, ...text, too_large: text.too_large || (wanted === true && !isShown) };
    };
    const found = await unlessWithheld(storage, to.task, () => inParts(changes, one));
    const makers = found.flatMap(({ hunks }) => hunks?.flatMap((hunk) => hunk.makers) ?? []);
    const numbered = await rowFinder(storage, to.task, makers);
    return found.map((file) => ({ ...file, hunks: file.hunks?.map(numbered) ?? null }));
  } finally {
    repository?.close();
  }
}

/** In order, several at once. */
async function inParts<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE)
    done.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map(work))));
  return done;
}

/** Then nobody is named. */
function isUnreadable(error: unknown): boolean {
  return isDamage(error) || isLost(error);
}

interface Changed {
  readonly path: string;
  readonly before: TreeEntry | null;
  readonly after: TreeEntry | null;
  readonly versions: readonly MadeVersion[];
}

interface Compared extends Pick<FileDiff, 'added' | 'removed' | 'binary' | 'too_large'> {
  readonly hunks: readonly MakersHunk[] | null;
}
const NOTHING: Compared = { added: null, removed: null, binary: false, too_large: false, hunks: null };

async function compared(
  { path, before, after, versions }: Changed,
  reader: Reader,
  shown: { readonly context: number | undefined } | null,
): Promise<Compared> {
  if ([before, after].some((entry) => entry?.kind === 'file' && entry.size > MOST_BYTES))
    return { ...NOTHING, too_large: true };
  if ([before, after].some((entry) => entry?.kind === 'omitted')) return { ...NOTHING, too_large: true };
  const [a, b] = [await contentOf(reader, path, before), await contentOf(reader, path, after)];
  if (isBinary(a) || isBinary(b)) return { ...NOTHING, binary: true };
  if (!shown) return { ...NOTHING, ...countLines(a, b) };
  const around = shown.context === undefined ? {} : { context: shown.context };
  const made = await blamed(versions, reader, path);
  const authors = { removed: authorsOf(made.removed), added: authorsOf(made.added) };
  const hunks = textHunks(a, b, { ...around, ...authors }).map((hunk) => withMakers(hunk, versions, made));
  const count = (kind: string): number =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.kind === kind).length, 0);
  return { ...NOTHING, added: count('add'), removed: count('remove'), hunks };
}

function kindOf(before: TreeEntry | null, after: TreeEntry | null): FileDiff['change'] {
  return !isFile(before) ? 'created' : !isFile(after) ? 'deleted' : 'modified';
}
