/** The time that commits carry. */

let at = 0;
let text = '';

/** Now, in ISO 8601. Several commits go into a millisecond, and making the text is dear right after a sync. */
export function isoNow(): string {
  const now = Date.now();
  if (now !== at) {
    text = new Date(now).toISOString();
    at = now;
  }
  return text;
}
