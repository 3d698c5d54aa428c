/** Whether to begin a task anew or to go on with it after drift, and why. Pure. */
import type { Severity } from './severity.ts';

export interface Situation {
  /** In percent. */
  readonly progress: number;
  readonly level: Severity;
  readonly force_push: boolean;
  /** What the user would rather do: `auto` leaves it to the rule. */
  readonly preference: 'auto' | 'restart' | 'continue';
  /** Below this progress, high severity speaks for beginning anew. */
  readonly restart_below: number;
}

export interface Recommendation {
  readonly recommend: 'restart' | 'continue';
  /** In a sentence. */
  readonly because: string;
}

export function restartOrContinue(situation: Situation): Recommendation {
  const { progress, level, force_push, preference, restart_below } = situation;
  const done = `${Math.round(progress)} % of the task is done`;
  if (preference !== 'auto')
    return {
      recommend: preference,
      because: `That is what the settings prefer (${done}, severity ${level}).`,
    };
  const severe = level === 'high' || force_push;
  const what = force_push ? 'upstream was rewritten' : `severity is ${level}`;
  if (severe && progress < restart_below)
    return {
      recommend: 'restart',
      because: `Only ${done}, below ${restart_below} %, and ${what}: little is lost by beginning anew on what upstream has now.`,
    };
  if (severe)
    return {
      recommend: 'continue',
      because: `${done}, and that is worth keeping: ${what}, so settle it first, then go on.`,
    };
  return {
    recommend: 'continue',
    because: `Severity is ${level}: what upstream brought can be merged in (${done}).`,
  };
}
