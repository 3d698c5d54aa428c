/** How two commits are related. A shallow clone may not know; then it is deepened until it does. */
import { fetchUpstream } from './fetch.ts';
import type { Git } from './git.ts';
import { isShallow, shallowCommits } from './place.ts';
import type { Upstream } from './upstream.ts';

/** `rewritten`: the old one is not in the history of the new one. `unknown`: this clone lacks the history. */
export type Relation = 'same' | 'forward' | 'rewritten' | 'unknown';

export interface Deepening {
  readonly upstream: Upstream;
  /** For all of it together. */
  readonly timeout_ms: number;
}

export async function relationOf(
  git: Git,
  from: string,
  to: string,
  deepening: Deepening | null = null,
): Promise<Relation> {
  if (from === to) return 'same';
  const answer = await deepeningUntil(git, deepening, async (): Promise<Relation | null> => {
    const { code } = await git.run(['merge-base', '--is-ancestor', from, to]);
    if (code !== 1) return code === 0 ? 'forward' : 'unknown';
    return (await hidesHistory(git, from, to)) ? null : 'rewritten';
  });
  return answer ?? 'unknown';
}

/** Whether the two have history in common, or it is certain that they have none. */
export async function commonHistory(
  git: Git,
  head: string,
  upstream: string,
  deepening: Deepening | null,
): Promise<boolean> {
  if (!isShallow(git.place)) return true;
  const known = await deepeningUntil(git, deepening, async () => {
    const { code } = await git.run(['merge-base', head, upstream]);
    return code === 0 || !isShallow(git.place) ? true : null;
  });
  return known ?? false;
}

/** Retries with more history each time, until there is an answer; null if there is no more history. */
async function deepeningUntil<T>(
  git: Git,
  deepening: Deepening | null,
  ask: () => Promise<T | null>,
): Promise<T | null> {
  const until = performance.now() + (deepening?.timeout_ms ?? 0);
  let answer = await ask();
  for (const depth of DEPTHS) {
    const left = until - performance.now();
    if (answer !== null || !deepening || left <= 0) return answer;
    if (!(await fetchUpstream(git, deepening.upstream, left, [depth])).done) return null;
    answer = await ask();
  }
  return answer;
}

const DEPTHS = ['--deepen=100', '--deepen=1000', '--unshallow'];

/** Whether what this clone lacks could hold `from`: some history of `to` ends at a commit that is not also in `from`'s. */
async function hidesHistory(git: Git, from: string, to: string): Promise<boolean> {
  if (!isShallow(git.place)) return false;
  const ends = new Set(shallowCommits(git.place));
  const list = await git.text(['rev-list', to, '--not', from]);
  return list === null || list.split('\n').some((commit) => ends.has(commit));
}

interface Distance {
  /** Commits that upstream has and the worktree's branch has not. */
  readonly behind: number;
  readonly ahead: number;
}

export async function distanceOf(git: Git, head: string, upstream: string): Promise<Distance | null> {
  if (head === upstream) return { behind: 0, ahead: 0 };
  const counts = await git.text(['rev-list', '--left-right', '--count', `${head}...${upstream}`]);
  if (counts === null) return null;
  const [ahead, behind] = counts.split('\t').map(Number);
  return { behind: behind!, ahead: ahead! };
}
