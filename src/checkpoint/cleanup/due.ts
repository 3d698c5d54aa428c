/** When clean-up runs: pure; the caller supplies the clock and the disk. */
import type { CleanupConfig } from '../../config/types.ts';

export type CleanupTrigger = 'completion' | 'disk' | 'quota' | 'daily' | 'start';

export interface DueInput {
  readonly now: Date;
  /** When clean-up last finished; null: never. */
  readonly last_run_at: Date | null;
  /** When this process opened the store; earlier triggers count as missed. */
  readonly opened_at: Date;
  /** Whether the store is just being opened. */
  readonly starting: boolean;
  /** Whether a task completed since clean-up last ran. */
  readonly completed: boolean;
  /** Null if not known: a store on a server. */
  readonly disk_used_percent: number | null;
  readonly store_bytes: number;
}

export function dueTriggers(settings: CleanupConfig, input: DueInput): CleanupTrigger[] {
  return TRIGGERS.filter(([, isDue]) => isDue(settings, input)).map(([trigger]) => trigger);
}

/** When the next daily clean-up is due; null when it is off. For the timer of a process that keeps the store open. */
export function nextDaily({ daily_at }: Pick<CleanupConfig, 'daily_at'>, now: Date): Date | null {
  if (daily_at === null) return null;
  const today = onDay(now, 0, daily_at);
  return today > now ? today : onDay(now, 1, daily_at);
}

const MB = 1024 * 1024;

const TRIGGERS: readonly [CleanupTrigger, (settings: CleanupConfig, input: DueInput) => boolean][] = [
  ['completion', ({ on_completion }, { completed, starting }) => on_completion && completed && !starting],
  [
    'disk',
    ({ disk_usage_percent }, { disk_used_percent }) =>
      disk_usage_percent !== null && disk_used_percent !== null && disk_used_percent > disk_usage_percent,
  ],
  ['quota', ({ quota_mb }, { store_bytes }) => quota_mb !== null && store_bytes > quota_mb * MB],
  [
    'daily',
    ({ daily_at }, { now, last_run_at, opened_at }) =>
      cameSince(daily_at, last_run_at, now) && cameSince(daily_at, opened_at, now),
  ],
  ['start', (settings, input) => settings.on_start_if_missed && input.starting && hasMissed(settings, input)],
];

/** Whether something that would have started clean-up happened while no process had the store open, or was interrupted. */
function hasMissed(
  { daily_at, on_completion }: CleanupConfig,
  { now, last_run_at, completed }: DueInput,
): boolean {
  return cameSince(daily_at, last_run_at, now) || (on_completion && completed);
}

/** Whether that time of day is after `since` and not after `now`. */
function cameSince(daily_at: string | null, since: Date | null, now: Date): boolean {
  if (daily_at === null) return false;
  const today = onDay(now, 0, daily_at);
  const latest = today <= now ? today : onDay(now, -1, daily_at);
  return since === null || since < latest;
}

/** That local time this many days later; the calendar handles summer time. */
function onDay(day: Date, later: number, time: string): Date {
  const [hours, minutes] = time.split(':').map(Number) as [number, number];
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + later, hours, minutes);
}
