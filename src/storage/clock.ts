/** The time that commits carry. */

export { isoNow } from '../system/clock.ts';

/** A blob that is stored again counts as new; its time is written only when it is older than this. */
export const RENEW_AFTER_MS: number = 30 * 60 * 1000;

export function isStale(created_at: Date | string, now: number = Date.now()): boolean {
  return now - new Date(created_at).getTime() > RENEW_AFTER_MS;
}
