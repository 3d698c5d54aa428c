/**
 * How long a hook may take. Far above what any event takes, and a person waits for it once: what does not answer in time is not
 * waited for again while it hangs. A prompt may come first in its session, and waits for a snapshot of every file then.
 */
const LIMITS_MS = { prompt: 20_000, other: 8_000 } as const;

/** For the host to answer by itself, and say why nothing was recorded. */
const MARGIN_MS = 2_000;

/** For the work that the event makes. */
export function workLimit(isPrompt: boolean): number {
  return isPrompt ? LIMITS_MS.prompt : LIMITS_MS.other;
}

/** For an answer of the host, which may not be able to say anything. `plugins/hook.sh` and `plugins/opencode.js` have the same. */
export function answerLimit(isPrompt: boolean): number {
  return workLimit(isPrompt) + MARGIN_MS;
}
