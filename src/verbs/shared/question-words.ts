/** Possible answers in words, as a terminal and a page show them. */
import type { Call } from '../kit/verb.ts';

/** The choice as it is given, and what it does; `back` if a task's changes are undone. */
export function labelOf(value: string, back: boolean, { say }: Pick<Call, 'say'>): string {
  if (value === 'yes' || value === 'no') return say(`ask.${value}`);
  const going_back = back ? GOING_BACK.find((one) => one === value) : undefined;
  if (going_back) return say('choice', { value, meaning: say(`choice.back.${going_back}`) });
  const name = CHOICES.find((one) => one === value.replace(' ', '_'));
  return name === undefined ? value : say('choice', { value, meaning: say(`choice.${name}`) });
}

const CHOICES = [
  ...(['use_current', 'use_checkpoint', 'merge', 'restore', 'skip', 'continue', 'abort'] as const),
  ...(['ignore', 'rebase', 'restart'] as const),
  ...(['ours', 'theirs', 'recorded', 'both_added', 'whitespace', 'leave'] as const),
] as const;

/** Choices that mean something else then. */
const GOING_BACK = ['use_checkpoint', 'merge', 'restore'] as const;
