/** The HTTP status of an error. The code in the answer says more; this is for those who look at nothing else. Pure. */

/** What is asked for is not there. */
const MISSING = /_NOT_FOUND$|^(?:TASK|CONVERSATION)_UNKNOWN$|^STORE_UNAVAILABLE$/;
/** It cannot be read. */
const MALFORMED = /^(?:USAGE|INVALID_.*)$/;

export function statusOf(code: string): number {
  if (code === 'UNEXPECTED') return 500;
  if (MALFORMED.test(code)) return 400;
  // Everything else depends on how things are: somebody was faster, a question is open, the task cannot do that now.
  return MISSING.test(code) ? 404 : 409;
}
