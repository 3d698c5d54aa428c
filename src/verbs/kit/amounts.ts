/** Times, durations and sizes as people write them. Without `Intl`, whose first use takes longer than most commands. */
import type { Call } from './verb.ts';

export interface Amounts {
  /** "3m ago", "in 3m" */
  ago(time: string): string;
  /** "3m 12s" */
  duration(ms: number): string;
  /** "12.3 kB" */
  bytes(count: number): string;
  /** The date and time here. */
  moment(time: string): string;
}

/** Whole per cent: only what is done is 100. */
export const percentOf = (progress: number): number => Math.floor(progress);

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

export function amountsOf({ say, now }: Pick<Call, 'say' | 'now'>): Amounts {
  const part = (count: number, unit: (typeof UNITS)[number][0] | 'millisecond'): string =>
    say(`unit.${unit}`, { count });
  return {
    ago(time) {
      const seconds = Math.round((now().getTime() - Date.parse(time)) / 1000);
      if (seconds === 0) return say('time.now');
      const [unit, size] = UNITS.find(([, of]) => Math.abs(seconds) >= of)!;
      const amount = part(Math.floor(Math.abs(seconds) / size), unit);
      return say(seconds > 0 ? 'time.ago' : 'time.ahead', { amount });
    },
    duration(ms) {
      if (ms < 1000) return part(Math.round(ms), 'millisecond');
      if (ms < 60_000) return part(Math.floor(ms / 100) / 10, 'second');
      const seconds = Math.floor(ms / 1000);
      const first = UNITS.findIndex(([, size]) => seconds >= size);
      const [unit, size] = UNITS[first]!;
      const [below, smaller] = UNITS[first + 1]!;
      return `${part(Math.floor(seconds / size), unit)} ${part(Math.floor((seconds % size) / smaller), below)}`;
    },
    bytes: bytesOf,
    moment: momentOf,
  };
}

const SIZES = ['B', 'kB', 'MB', 'GB', 'TB'];

function bytesOf(count: number): string {
  const step = Math.min(SIZES.length - 1, count < 1000 ? 0 : Math.floor(Math.log10(count) / 3));
  return `${Math.round((count / 1000 ** step) * 10) / 10} ${SIZES[step]}`;
}

/** The text with stored (UTC) times replaced by local ones. */
export function withLocalTimes(text: string): string {
  return text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, momentOf);
}

/** In an order that is read the same way everywhere. */
function momentOf(time: string): string {
  const at = new Date(time);
  const two = (number: number): string => String(number).padStart(2, '0');
  const date = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${date} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}
