/** Upstream was rewritten: which commits are gone from it, where they still are, and what to do. */

import { phrase } from '../phrase.ts';
import { type CommitNote, commitsIn, withoutFiles } from './commits.ts';
import type { Git } from './git.ts';

export interface ForcePush {
  readonly old_head: string;
  readonly new_head: string;
  /** Newest first; the newest 200. */
  readonly vanished: readonly CommitNote[];
  /** Refs and other places that still have all of them. */
  readonly still_in: readonly string[];
  /** The task's branch has what upstream has now, and nothing that vanished: it was already moved along. */
  readonly in_step: boolean;
}

interface Rewritten {
  readonly old_head: string;
  readonly new_head: string;
  readonly head: string | null;
  /** Where upstream is kept here. */
  readonly ref: string;
}

const MOST_COMMITS = 200;
const MOST_PLACES = 20;

export async function lookAtForcePush(
  git: Git,
  { old_head, new_head, head, ref }: Rewritten,
): Promise<ForcePush> {
  const kept = `refs/vibe-engine/kept/${old_head}`;
  // Otherwise git may delete them once the reflog has expired.
  await git.run(['update-ref', kept, old_head]);
  const [vanished, places, log, contained, on_vanished] = await Promise.all([
    commitsIn(git, [old_head, `^${new_head}`], MOST_COMMITS),
    git.text(['for-each-ref', `--count=${MOST_PLACES}`, '--format=%(refname)', `--contains=${old_head}`]),
    git.text(['log', '--walk-reflogs', '--format=%gd %H', ref]),
    head === null ? null : git.run(['merge-base', '--is-ancestor', new_head, head]),
    head === null ? null : hasVanished(git, { old_head, new_head, head }),
  ]);
  const logged = log?.split('\n').find((line) => line.endsWith(` ${old_head}`));
  return {
    old_head,
    new_head,
    vanished: vanished.map(withoutFiles),
    still_in: [
      ...(places?.split('\n').filter(Boolean) ?? []),
      ...(logged ? [logged.slice(0, logged.indexOf(' '))] : []),
    ],
    in_step: contained?.code === 0 && on_vanished === false,
  };
}

/** Whether the branch still has commits that upstream once had and no longer has. */
export async function hasVanished(
  git: Git,
  { old_head, new_head, head }: Pick<Rewritten, 'old_head' | 'new_head'> & { readonly head: string },
): Promise<boolean> {
  const count = (...without: string[]) =>
    git.text(['rev-list', '--count', old_head, `^${new_head}`, ...without]);
  const [all, others] = await Promise.all([count(), count(`^${head}`)]);
  return all !== others;
}

interface Vanished {
  readonly old_head: string;
  readonly vanished: readonly { readonly id: string; readonly subject?: string }[];
  readonly still_in: readonly string[];
}

/** `steps`: what to do, in its order. */
export function adviceOnForcePush(
  name: string,
  { old_head, vanished, still_in }: Vanished,
  steps: readonly string[],
): string[] {
  const count = vanished.length;
  return [
    count === 1
      ? phrase`⚠️ ${name} was rewritten by a force push: 1 commit is no longer in it, and work may be lost.`
      : phrase`⚠️ ${name} was rewritten by a force push: ${count} commits are no longer in it, and work may be lost.`,
    ...vanished.slice(0, MOST_TOLD).map(({ id, subject = '' }) => {
      const commit = `${id.slice(0, 12)} ${subject}`.trimEnd();
      return `   ${phrase`gone: ${commit}`}`;
    }),
    `   ${phrase`They are still available here as ${old_head.slice(0, 12)}: ${still_in.join(', ')}.`}`,
    ...steps,
  ];
}

const MOST_TOLD = 10;
