/** Whether to start a task again or to merge and continue after drift, and why. Pure. */
import { phrase } from '../phrase.ts';
import type { UpstreamChoice } from './policy.ts';
import type { Severity } from './severity.ts';

export interface Situation {
  /** In percent. */
  readonly progress: number;
  readonly level: Severity;
  readonly force_push: boolean;
  /** What the user would rather do: `auto` leaves it to the rule; `continue` is short for `merge_and_continue`. */
  readonly preference: 'auto' | 'restart' | 'merge_and_continue' | 'continue';
  /** Below this progress, high severity speaks for a restart. */
  readonly restart_below: number;
}

export interface Recommendation {
  readonly recommend: 'restart' | 'merge_and_continue';
  /** In a sentence. */
  readonly because: string;
  /** The answer that follows it, when what upstream has brought is asked about. */
  readonly choice: UpstreamChoice;
}

export function restartOrContinue(situation: Situation): Recommendation {
  const { progress, level, force_push, preference, restart_below } = situation;
  const severe = level === 'high' || force_push;
  // Nothing is rebased onto rewritten history: there a restart starts with manual steps.
  const restart = { recommend: 'restart', choice: force_push ? 'abort' : 'restart' } as const;
  const carryOn = { recommend: 'merge_and_continue', choice: mergingChoice(level, severe) } as const;
  const done = Math.round(progress);
  if (preference !== 'auto') {
    const because = phrase`That is what the settings prefer (${done} % of the task is done, severity ${level}).`;
    return { ...(preference === 'restart' ? restart : carryOn), because };
  }
  const what = force_push ? phrase`upstream was rewritten` : phrase`severity is ${level}`;
  if (severe && progress < restart_below) {
    const because = phrase`Only ${done} % of the task is done, below ${restart_below} %, and ${what}: little is lost by starting again on top of upstream.`;
    return { ...restart, because };
  }
  if (severe) {
    const because = phrase`${done} % of the task is done, which is worth keeping: ${what}, so resolve it first, then continue.`;
    return { ...carryOn, because };
  }
  const because = phrase`Severity is ${level}: the upstream changes can be merged in (${done} % of the task is done).`;
  return { ...carryOn, because };
}

/** Conflicts are merged manually first; changes that do not affect the task are merged when it is finished. */
function mergingChoice(level: Severity, severe: boolean): UpstreamChoice {
  if (severe) return 'abort';
  return level === 'medium' ? 'rebase' : 'ignore';
}
