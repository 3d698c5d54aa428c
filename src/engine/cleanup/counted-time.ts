/**
 * The time that clean-up uses. A clock that is wrong for an hour must not cause data to be removed: it is trusted up to a
 * day beyond the last trusted time, and further only after it has stayed there for two days. So a store that was not used
 * for a month is cleaned two days later, or at its next use.
 */
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import { everyTask } from '../../storage/walk.ts';
import { timeOfId } from '../../system/ids.ts';
import type { CleanupRuns } from '../task/records/cleaned.ts';

const DAY_MS = 86_400_000;
const BELIEVED_MS = 1 * DAY_MS;
const CONFIRMED_MS = 2 * DAY_MS;

interface CountedTime {
  readonly until: Date;
  /** To be stored. */
  readonly clock: Pick<CleanupRuns, 'believed_at' | 'ahead_since'>;
  /** The notice, if part of the time does not count yet. */
  readonly why: string | null;
}

/** Pure. `believed`: the last trusted time. `ahead`: since when the clock is ahead of it; null: it was not. */
export function countTime(now: number, believed: number, ahead: number | null): CountedTime {
  const since = ahead === null || ahead > now ? now : ahead;
  const isConfirmed = ahead !== null && now - since >= CONFIRMED_MS;
  // The time it said then has passed by now; what it says today may be another jump.
  const last = isConfirmed ? since : Math.min(believed, now);
  const iso = (at: number): string => new Date(at).toISOString();
  if (now - last <= BELIEVED_MS)
    return { until: new Date(now), clock: { believed_at: iso(now), ahead_since: null }, why: null };
  const until = last + BELIEVED_MS;
  return {
    until: new Date(until),
    clock: { believed_at: iso(last), ahead_since: iso(isConfirmed ? now : since) },
    why: phrase`the clock jumped to ${iso(now)}: ages are counted up to ${iso(until)} until it has stayed there for two days`,
  };
}

export async function countedTime(storage: Storage, now: Date, runs: CleanupRuns): Promise<CountedTime> {
  const { believed_at, ahead_since } = runs;
  const at = now.getTime();
  if (believed_at !== null)
    return countTime(at, Date.parse(believed_at), ahead_since === null ? null : Date.parse(ahead_since));
  const { believed, ahead } = await byTasks(storage, at);
  return countTime(at, believed, ahead);
}

/** Where nothing was noted yet, the tasks say when the store was used: back to the newest pause of more than a day. */
async function byTasks(storage: Storage, now: number): Promise<{ believed: number; ahead: number | null }> {
  const times: number[] = [];
  for await (const task of everyTask(storage)) times.push(timeOfId(task));
  let ahead = now;
  for (const time of times.filter((one) => one <= now).sort((a, b) => b - a)) {
    if (ahead - time > BELIEVED_MS) return { believed: time, ahead };
    ahead = time;
  }
  return { believed: now, ahead: null };
}
