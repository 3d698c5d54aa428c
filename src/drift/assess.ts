/**
 * How severe new upstream commits are: found by trying the merge in a scratch place, uncommitted and untracked work
 * included.
 */
import { openGitObjects } from '../system/git/objects.ts';
import { changesBetween, type PathChange } from './changes.ts';
import { type CommitNote, type CommitWithFiles, commitsIn, withoutFiles } from './commits.ts';
import type { Git } from './git.ts';
import { type FileHunks, hunksOf, NO_HUNKS } from './hunks.ts';
import { mergeTrees } from './merge-tree.ts';
import { fetchMissing } from './missing.ts';
import { openQuarantine, type Quarantine } from './quarantine.ts';
import { inCommon, type Judgement, judge, type Overlap, type Severity } from './severity.ts';
import type { ChangedPath } from './status.ts';
import type { Upstream } from './upstream.ts';
import { captureWork } from './work.ts';

export interface Assessment {
  readonly level: Severity;
  /** What makes the whole high: `history rewritten`, `no history in common`, `unsettled conflict`. */
  readonly why: readonly string[];
  /** What both sides touched, and what else cannot be merged. */
  readonly files: readonly AssessedFile[];
  /** What upstream brought, newest first; the newest 200. */
  readonly commits: readonly CommitNote[];
}

interface AssessedFile extends Overlap {
  readonly hunks: FileHunks;
  /** Those of upstream that touched it. */
  readonly commits: readonly CommitNote[];
}

interface Subject {
  readonly head: string;
  readonly upstream_head: string;
  /** What is not committed. */
  readonly changed: readonly ChangedPath[];
  /** Upstream's history was rewritten. */
  readonly rewritten: boolean;
  /** From where contents that a partial clone lacks may be fetched, and for how long. */
  readonly asking: { readonly upstream: Upstream; readonly timeout_ms: number } | null;
}

const MOST_COMMITS = 200;
const MOST_FILES = 100;
const LARGE_BYTES = 32 * 1024 * 1024;

export async function assess(git: Git, subject: Subject): Promise<Assessment> {
  const quarantine = openQuarantine(git.place);
  try {
    return await assessIn(quarantine, subject);
  } finally {
    quarantine.remove();
  }
}

async function assessIn(quarantine: Quarantine, subject: Subject): Promise<Assessment> {
  const { git } = quarantine;
  const { head, upstream_head, changed, rewritten, asking } = subject;
  const ours =
    changed.length === 0
      ? head
      : (await captureWork(quarantine, head, { stand_in_over: LARGE_BYTES })).commit;
  const base = await git.text(['merge-base', head, upstream_head]);
  if (base !== null)
    await fetchMissing(git, {
      upstream: asking?.upstream ?? null,
      timeout_ms: asking?.timeout_ms ?? 0,
      wanted: [
        [base, ours],
        [base, upstream_head],
      ],
    });
  const [merge, commits] = await Promise.all([
    mergeTrees(git, ours, upstream_head),
    commitsIn(git, [`${head}..${upstream_head}`], MOST_COMMITS),
  ]);
  const [mine, other] =
    base === null
      ? [[], []]
      : await Promise.all([changesBetween(git, base, ours), changesBetween(git, base, upstream_head)]);
  const hunks = await readHunks(quarantine, inCommon(mine, other).slice(0, MOST_FILES));
  const binary = new Set([...hunks].flatMap(([path, found]) => (found === null ? [path] : [])));
  const conflicts = merge?.conflicts ?? null;
  const judgement = judge({ ours: mine, theirs: other, conflicts, rewritten, binary });
  return described(withUnsettled(judgement, changed), hunks, commits);
}

/** A conflict that is still open in the worktree comes before everything else. */
function withUnsettled(judgement: Judgement, changed: readonly ChangedPath[]): Judgement {
  if (!changed.some(({ kind }) => kind === 'unmerged')) return judgement;
  return { ...judgement, level: 'high', why: [...judgement.why, 'unsettled conflict'] };
}

function described(
  { level, why, overlaps }: Judgement,
  hunks: ReadonlyMap<string, FileHunks | null>,
  commits: readonly CommitWithFiles[],
): Assessment {
  const files = overlaps.map((overlap) => ({
    ...overlap,
    hunks: hunks.get(overlap.path) ?? NO_HUNKS,
    commits: commits.filter(({ files }) => touches(files, overlap)).map(withoutFiles),
  }));
  return { level, why, files, commits: commits.map(withoutFiles) };
}

function touches(files: readonly string[], { path, theirs }: Overlap): boolean {
  return files.includes(path) || (theirs !== null && files.includes(theirs));
}

/** Null if it is not text. */
async function readHunks(
  { git, env }: Quarantine,
  pairs: readonly (readonly [ours: PathChange, theirs: PathChange])[],
): Promise<Map<string, FileHunks | null>> {
  const files = pairs.filter((pair) => pair.every(({ after }) => after?.mode.startsWith('100')));
  const objects = openGitObjects(git.place.toplevel, env);
  try {
    const found = new Map<string, FileHunks | null>();
    for (const [mine, other] of files) {
      const wanted = [mine.before?.object ?? null, mine.after!.object, other.after!.object];
      const read = await objects.read(wanted.filter((object) => object !== null));
      const [ours, theirs] = read.slice(-2);
      const base = wanted[0] === null ? new Uint8Array() : read[0];
      if (base && ours && theirs) found.set(mine.path, hunksOf({ base, ours, theirs }));
    }
    return found;
  } finally {
    objects.close();
  }
}
