/**
 * Looks at a repository and its upstream. With nothing new this costs the fetch and two more processes: one for the state of
 * the worktree, in parallel with the fetch, and one for upstream, after it.
 */
import { type OnProgress, tracked } from '../system/progress.ts';
import { type Fetched, type FetchFailure, fetchUpstream } from './fetch.ts';
import { complaintOf, type Git } from './git.ts';
import { isShallow, type Operation, operationIn } from './place.ts';
import { type ChangedPath, parseStatus, STATUS, type WorktreeStatus } from './status.ts';
import { type NoUpstream, resolveUpstream, sameUpstream, type Upstream } from './upstream.ts';

export interface Sight {
  /** Null before the first commit. */
  readonly head: string | null;
  /** Null where HEAD is detached. */
  readonly branch: string | null;
  /** What is not committed. */
  readonly changed: readonly ChangedPath[];
  readonly operation: Operation | null;
  readonly shallow: boolean;
  /** One of several worktrees of its repository, and not the first. */
  readonly linked: boolean;
  readonly upstream: Upstream | null;
  /** As far as it is known here. */
  readonly upstream_head: string | null;
  /** Set if upstream could not be reached: then what is known of it may be out of date. */
  readonly unknown: Unknown | null;
}

export interface Unknown {
  readonly reason:
    | FetchFailure
    | 'no upstream'
    | 'no repository'
    | 'git refuses'
    | 'history unknown'
    | 'not fetched';
  readonly detail: string;
}

interface LookOptions {
  /** The last result: reused while it is still true. */
  readonly known?: { readonly branch: string | null; readonly upstream: Upstream | null } | undefined;
  /** The upstream that the settings name. */
  readonly wanted: string | null;
  /** Null: neither upstream nor uncommitted changes are checked. */
  readonly fetch_timeout_ms: number | null;
  readonly onProgress?: OnProgress | undefined;
}

/** Only `unknown` if git cannot read the repository. */
export async function look(git: Git, options: LookOptions): Promise<Sight | { readonly unknown: Unknown }> {
  const { known, wanted, fetch_timeout_ms, onProgress } = options;
  const ask = async (upstream: Upstream): Promise<Fetched> =>
    fetch_timeout_ms === null
      ? NOT_ASKED
      : tracked(onProgress, ({ of }) => fetchUpstream(git, upstream, fetch_timeout_ms, [], of('fetch')));
  const status = fetch_timeout_ms === null ? readHead(git) : readStatus(git);
  const guess = known?.upstream;
  const early = guess ? ask(guess) : undefined;
  const stands = await status;
  if ('unknown' in stands) {
    await early;
    return stands;
  }
  let upstream: Upstream | NoUpstream | null = guess ?? null;
  let fetched = await early;
  let refs = guess ? await readRefs(git, stands.branch, guess) : null;
  if (!guess || !refs || !isStill(guess, stands.branch, refs, wanted)) {
    upstream = await resolveUpstream(git, stands.branch, wanted);
    if ('ref' in upstream) {
      if (!fetched || !sameUpstream(guess, upstream)) fetched = await ask(upstream);
      refs = await readRefs(git, stands.branch, upstream);
    }
  }
  const found = upstream && 'ref' in upstream ? upstream : null;
  return {
    ...stands,
    operation: operationIn(git.place),
    shallow: isShallow(git.place),
    linked: git.place.git_dir !== git.place.common_dir,
    upstream: found,
    upstream_head: found ? (refs?.get(found.ref)?.object ?? null) : null,
    unknown: unknownOf(upstream, fetched),
  };
}

const NOT_ASKED: Fetched = { done: true };

async function readStatus(git: Git): Promise<WorktreeStatus | { readonly unknown: Unknown }> {
  const answer = await git.run(STATUS);
  if (answer.code === 0) return parseStatus(answer.output);
  return { unknown: { reason: 'git refuses', detail: complaintOf(answer) } };
}

async function readHead(git: Git): Promise<WorktreeStatus | { readonly unknown: Unknown }> {
  const answer = await git.run(['rev-parse', 'HEAD', '--symbolic-full-name', 'HEAD']);
  const unborn = answer.code === 0 ? null : await git.text(['symbolic-ref', '--quiet', 'HEAD']);
  if (answer.code !== 0 && unborn === null)
    return { unknown: { reason: 'git refuses', detail: complaintOf(answer) } };
  const [head, name] = unborn === null ? answer.output.toString().split('\n') : [null, unborn];
  return { head: head!, branch: name!.startsWith(HEADS) ? name!.slice(HEADS.length) : null, changed: [] };
}

const HEADS = 'refs/heads/';

function unknownOf(upstream: Upstream | NoUpstream | null, fetched: Fetched | undefined): Unknown | null {
  if (upstream && 'none' in upstream) return { reason: 'no upstream', detail: upstream.none };
  return fetched && !fetched.done ? { reason: fetched.reason, detail: fetched.detail } : null;
}

interface Ref {
  readonly object: string;
  readonly upstream: string;
  readonly leads_to: string;
}

async function readRefs(
  git: Git,
  branch: string | null,
  { ref, remote }: Upstream,
): Promise<Map<string, Ref>> {
  const names = [...(branch === null ? [] : [HEADS + branch]), ref, `refs/remotes/${remote}/HEAD`];
  const format = '--format=%(refname)%00%(objectname)%00%(upstream)%00%(symref)';
  const { output } = await git.run(['for-each-ref', format, ...names]);
  const lines = output.toString().split('\n').filter(Boolean);
  return new Map(
    lines.map((line) => {
      const [name, object, upstream, leads_to] = line.split('\0');
      return [name!, { object: object!, upstream: upstream!, leads_to: leads_to! }];
    }),
  );
}

/** Whether the branch that is checked out now still follows what was followed the last time. */
function isStill(
  upstream: Upstream,
  branch: string | null,
  refs: ReadonlyMap<string, Ref>,
  wanted: string | null,
): boolean {
  if (wanted !== null) return wanted === upstream.name;
  const follows = branch === null ? '' : refs.get(HEADS + branch)?.upstream;
  if (upstream.by === 'branch') return follows === upstream.ref;
  const head = refs.get(`refs/remotes/${upstream.remote}/HEAD`)?.leads_to;
  return follows === '' && (head === undefined || head === upstream.ref);
}
