/** What is done about drift: continue, notify, ask, rebase, pause or stop. Pure. */
import type { Severity } from './severity.ts';

/** When it was detected. At a resume nothing runs yet; otherwise the task is running. */
export type Moment = 'resume' | 'commit' | 'timer' | 'manual' | 'end';

/** What the user has decided in advance about new commits upstream. */
type UpstreamPolicy = 'ask' | 'ignore' | 'rebase' | 'abort';
/** The answers to the question; a restart is never decided in advance. */
export type UpstreamChoice = Exclude<UpstreamPolicy, 'ask'> | 'restart';

export interface Drift {
  /** Of what upstream has and the task's branch has not, or has no longer. */
  readonly level: Severity;
  /** Not decided yet. */
  readonly undecided: boolean;
  /** Upstream's history was rewritten, and the task's branch builds on the old one. */
  readonly force_push: boolean;
  readonly branch_switched: boolean;
  /** HEAD moved, or others left something uncommitted: worth a notice. */
  readonly remarkable: boolean;
}

export type Action =
  | { readonly do: 'continue' | 'notify' | 'pause' | 'confirm' | 'rebase' | 'restart' | 'abort' }
  | { readonly do: 'ask'; readonly options: readonly UpstreamChoice[] };

export interface Policy {
  readonly on_upstream: UpstreamPolicy | UpstreamChoice;
  /** The user permits a rebase without a question. */
  readonly auto_rebase: boolean;
}

export function decide(drift: Drift, moment: Moment, policy: Policy): Action {
  return moment === 'resume' ? beforeResume(drift, policy) : whileRunning(drift, policy);
}

function beforeResume(drift: Drift, { on_upstream, auto_rebase }: Policy): Action {
  if (drift.branch_switched) return { do: 'confirm' };
  if (!hasNews(drift)) return { do: drift.remarkable ? 'notify' : 'continue' };
  if (on_upstream === 'ignore') return { do: 'notify' };
  if (on_upstream === 'abort') return { do: 'abort' };
  if (on_upstream === 'restart') return { do: 'restart' };
  if (drift.force_push) return { do: 'ask', options: ['ignore', 'abort'] };
  if (on_upstream === 'rebase' || (auto_rebase && drift.level !== 'high')) return { do: 'rebase' };
  if (drift.level === 'low') return { do: 'continue' };
  // A rebase over a conflict would be refused.
  if (drift.level === 'high') return { do: 'ask', options: ['ignore', 'restart', 'abort'] };
  return { do: 'ask', options: ['ignore', 'rebase', 'restart', 'abort'] };
}

/** Nothing is rebased under a running task. */
function whileRunning(drift: Drift, { on_upstream }: Policy): Action {
  if (drift.branch_switched) return { do: 'pause' };
  if (!hasNews(drift)) return { do: drift.remarkable ? 'notify' : 'continue' };
  if (on_upstream === 'ignore') return { do: 'notify' };
  if (on_upstream === 'abort' || drift.force_push || drift.level === 'high') return { do: 'pause' };
  return { do: drift.level === 'medium' ? 'notify' : 'continue' };
}

function hasNews({ undecided, force_push, level }: Drift): boolean {
  return undecided && (force_push || level !== 'none');
}
