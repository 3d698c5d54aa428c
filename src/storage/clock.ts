/** The time that commits carry. */

let at = 0;
let text = '';

/** Now, in ISO 8601. Cached: several commits happen within a millisecond, and formatting is expensive right after a sync. */
export function isoNow(): string {
  const now = Date.now();
  if (now !== at) {
    text = new Date(now).toISOString();
    at = now;
  }
  return text;
}

/** A blob that is stored again counts as new; its time is written only when it is older than this. */
export const RENEW_AFTER_MS: number = 30 * 60 * 1000;

export function isStale(created_at: Date | string, now: number = Date.now()): boolean {
  return now - new Date(created_at).getTime() > RENEW_AFTER_MS;
}
