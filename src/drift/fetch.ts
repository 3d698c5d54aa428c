/** Fetches one branch from the remote: never prompts, never hangs, and brings nothing else. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { GitAnswer } from '../system/git/answer.ts';
import type { Done } from '../system/progress.ts';
import { complaintOf, type Git } from './git.ts';
import type { Upstream } from './upstream.ts';

export type Fetched =
  | { readonly done: true }
  | { readonly done: false; readonly reason: FetchFailure; readonly detail: string };

export type FetchFailure = 'offline' | 'no credentials' | 'timed out' | 'branch gone' | 'fetch failed';

export async function fetchUpstream(
  git: Git,
  { remote, remote_ref, ref }: Upstream,
  timeout_ms: number,
  more: readonly string[] = [],
  at?: Done,
): Promise<Fetched> {
  if (remote === null) return { done: true };
  const args = [...FETCH, at ? '--progress' : '--quiet', ...more, '--', remote, `+${remote_ref}:${ref}`];
  at?.(0);
  for (let attempt = 1; ; attempt++) {
    const answer = await git.run(args, { network: true, timeout_ms, ...(at && { errors: received(at) }) });
    if (answer.code === 0) return { done: true };
    if (attempt < MOST_ATTEMPTS && LOCKED.test(answer.errors)) await sleep(attempt * AGAIN_MS);
    else return { done: false, reason: failureOf(answer), detail: complaintOf(answer) };
  }
}

/** As git reports it: "Receiving objects:  42% (420/1000)". */
function received(at: Done): (text: string) => void {
  return (text) => {
    const told = [...text.matchAll(/Receiving objects: +\d+% \((\d+)\/(\d+)\)/g)].at(-1);
    if (told) at(Number(told[1]), Number(told[2]));
  };
}

/** Another process fetches the same branch at the same time. */
const LOCKED = /cannot lock ref|unable to (update|create) .*\.lock/i;
const MOST_ATTEMPTS = 5;
const AGAIN_MS = 50;

/** Tags, submodules, FETCH_HEAD, pruning and housekeeping are the user's own. */
const FETCH: readonly string[] = [
  '-c',
  'fetch.writeCommitGraph=false',
  '-c',
  'credential.interactive=false',
  'fetch',
  '--no-tags',
  '--no-prune',
  '--no-recurse-submodules',
  '--no-write-fetch-head',
  '--no-auto-maintenance',
  '--no-show-forced-updates',
  '--refmap=', // Nor does it go anywhere else by the refspecs of the remote.
];

export function failureOf({ errors, timed_out }: Pick<GitAnswer, 'errors' | 'timed_out'>): FetchFailure {
  if (timed_out) return 'timed out';
  return SIGNS.find(([sign]) => sign.test(errors))?.[1] ?? 'fetch failed';
}

const SIGNS: readonly (readonly [RegExp, FetchFailure])[] = [
  [/couldn't find remote ref/i, 'branch gone'],
  [
    /could not read (username|password)|authentication failed|permission denied|host key verification failed|terminal prompts disabled|access denied|returned error: 40[13]/i,
    'no credentials',
  ],
  [
    /could not resolve|network is unreachable|no route to host|connection (refused|reset|timed out|closed)|unable to access|failed to connect|operation timed out|does not appear to be a git repository|could not read from remote/i,
    'offline',
  ],
];
