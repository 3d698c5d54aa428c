/** Why something ran again, in one sentence. Pure. */
import { phrase } from '../../phrase.ts';

export const WHY_KINDS = [
  'first',
  'retry',
  'cut_off',
  'not_recorded',
  'rolled_back',
  'asked_again',
  'code_changed',
  'forked',
] as const;
type WhyKind = (typeof WHY_KINDS)[number];

/** What is known of it from before; `first` knows nothing. */
export type Before =
  | { readonly kind: Exclude<WhyKind, 'retry' | 'cut_off'> }
  /** The attempt before this one failed. */
  | { readonly kind: 'retry'; readonly attempt: number; readonly error: string | null }
  /** It was in progress when this run died. */
  | { readonly kind: 'cut_off'; readonly run: number };

export interface Why {
  readonly kind: Exclude<WhyKind, 'first'>;
  /** Which attempt it is, after one that failed. */
  readonly attempt?: number;
  /** What that failed with. */
  readonly error?: string;
  /** The number of the run that died, from 1. */
  readonly run?: number;
  readonly text: string;
}

/** Null if it ran for the first time. */
export function whyAgain(before: Before): Why | null {
  if (before.kind === 'first') return null;
  const { kind } = before;
  if (kind === 'retry') {
    const { attempt, error } = before;
    const text =
      error === null
        ? phrase`Attempt ${attempt}, since the one before had failed.`
        : phrase`Attempt ${attempt}, since the one before had failed: ${error}`;
    return { kind, attempt, ...(error === null ? {} : { error }), text };
  }
  if (kind === 'cut_off')
    return {
      kind,
      run: before.run,
      text: phrase`It was in progress when the process of run ${before.run} died; whether it had taken effect was unknown.`,
    };
  return { kind, text: SENTENCES[kind] };
}

const SENTENCES: Readonly<Record<Exclude<WhyKind, 'first' | 'retry' | 'cut_off'>, string>> = {
  not_recorded: phrase`The process died just before this. If it had started, nothing was recorded, and it ran from the start.`,
  rolled_back: phrase`It had run before, and the task was rolled back past it.`,
  asked_again: phrase`Nobody had answered in time, and the retry asked again.`,
  code_changed: phrase`The task's code was changed: this is the first thing that ran with the new code.`,
  forked: phrase`It also ran in the task that this one was forked from. Here it ran on its own.`,
};
