/**
 * A partial clone fetches contents on demand, from any remote that the repository names. Here git never does: what is needed
 * is fetched from upstream's own remote, and an error names it if that fails.
 */
import { join } from 'node:path';
import { DriftError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import * as io from '../system/io.ts';
import { parseChanges } from './changes.ts';
import { complaintOf, type Git } from './git.ts';
import type { Upstream } from './upstream.ts';
import { requireOutput } from './work.ts';

interface Missing {
  /** Null: nothing is fetched. */
  readonly upstream: Upstream | null;
  readonly timeout_ms: number;
  /** Pairs of commits whose difference is needed. If one is null, everything in the other. */
  readonly wanted: readonly (readonly [from: string | null, to: string])[];
}

/** DRIFT_UNKNOWN if something is missing and cannot be fetched. The new objects go where those of `git` go. */
export async function fetchMissing(git: Git, { upstream, timeout_ms, wanted }: Missing): Promise<void> {
  if (!isPartial(git)) return;
  const commits = [...new Set(wanted.flatMap(([from, to]) => (from === null ? [to] : [from, to])))];
  // Trees first: only with them can missing files be found.
  const trees = await missingIn(git, commits, ['--filter=blob:none']);
  if (trees.length > 0) await fetchObjects(git, trees, upstream, timeout_ms);
  const missing = await missingIn(git, commits);
  const contents = missing.length === 0 ? [] : await among(git, missing, wanted);
  if (contents.length > 0) await fetchObjects(git, contents, upstream, timeout_ms);
}

/** Git marks what came from a remote that keeps the rest. */
function isPartial({ place }: Git): boolean {
  const packs = join(place.common_dir, 'objects', 'pack');
  return io.lstat(packs) !== null && io.readNames(packs).some((name) => name.endsWith('.promisor'));
}

/** The one way to have git look for an object without fetching it: before 2.45, any other command does. */
async function missingIn(
  git: Git,
  commits: readonly string[],
  more: readonly string[] = [],
): Promise<string[]> {
  const list = ['rev-list', '--no-walk', '--objects', '--no-object-names', '--missing=print', ...more];
  const lines = (await requireOutput(git, [...list, ...commits])).toString('latin1').split('\n');
  return lines.flatMap((line) => (line.startsWith('?') ? [line.slice(1)] : []));
}

/** Only those needed: a merge does not need unchanged files. */
async function among(git: Git, missing: string[], wanted: Missing['wanted']): Promise<string[]> {
  if (wanted.some(([from]) => from === null)) return missing;
  const changed = new Set<string>();
  for (const [from, to] of wanted) {
    const listing = await requireOutput(git, ['diff-tree', '-r', '-z', '--no-renames', '--raw', from!, to]);
    for (const { before, after } of parseChanges(listing))
      for (const version of [before, after]) if (version) changed.add(version.object);
  }
  return missing.filter((object) => changed.has(object));
}

async function fetchObjects(
  git: Git,
  missing: readonly string[],
  upstream: Upstream | null,
  timeout_ms: number,
): Promise<void> {
  const remote = upstream?.remote ?? null;
  const input = Buffer.from(missing.map((object) => `${object}\n`).join(''));
  const answer =
    remote === null ? null : await git.run([...FETCH, remote], { network: true, timeout_ms, input });
  if (answer?.code === 0) return;
  const command = `git fetch --refetch --no-filter${remote === null ? '' : ` ${remote}`}`;
  throw new DriftError(
    'DRIFT_UNKNOWN',
    phrase`This partial clone lacks contents that are needed here; they are not fetched automatically. To fetch them: ${command}`,
    {
      data: {
        not_fetched: missing.length,
        remote,
        ...(answer && { complaint: complaintOf(answer) }),
        repository: git.place.toplevel,
      },
      hint: phrase`Run ${command}. Nothing was changed.`,
    },
  );
}

export function isNotFetched(error: DriftError): boolean {
  return typeof error.data.not_fetched === 'number';
}

/** As git itself fetches missing objects, but only from the given remote. */
const FETCH: readonly string[] = [
  '-c',
  'credential.interactive=false',
  '-c',
  'fetch.negotiationAlgorithm=noop',
  '-c',
  'fetch.writeCommitGraph=false',
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-recurse-submodules',
  '--no-auto-maintenance',
  '--refmap=',
  '--filter=blob:none',
  '--stdin',
];
