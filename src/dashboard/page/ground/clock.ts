/** The time now, once a second while the page is seen: "4 min ago" stays true by itself. */
import { signal } from '@preact/signals';
import { durationOf, exactly, momentOf, roughly } from '../lib/amounts.ts';
import { language, say } from './language.ts';

export const now = signal(Date.now());

export function runClock(): void {
  setInterval(() => {
    if (!document.hidden) now.value = Date.now();
  }, 1000);
}

/** "4 min ago", "in 3 h", "now". */
export function ago(time: string): string {
  const ms = now.value - Date.parse(time);
  if (Math.abs(ms) < 1000) return say('page.time.now');
  return say(ms > 0 ? 'page.time.ago' : 'page.time.ahead', { amount: roughly(ms, say) });
}

/** "4 min" since then. */
export const since = (time: string): string => roughly(Math.max(0, now.value - Date.parse(time)), say);

export const duration = (ms: number): string => durationOf(ms, say);

/** Today's clock would be drawn again each second: the day changes rarely enough. */
export const moment = (time: string | number): string =>
  momentOf(typeof time === 'number' ? time : Date.parse(time), Date.now(), language.value);

export const exact = (time: string | number): string =>
  exactly(typeof time === 'number' ? time : Date.parse(time));
