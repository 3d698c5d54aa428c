/** Times, durations and sizes as people write them in their language. */
import type { Language } from '../text/choose.ts';

const LOCALES: Readonly<Record<Language, string>> = { en: 'en', 'zh-Hant': 'zh-TW', 'zh-Hans': 'zh-CN' };

export interface Amounts {
  /** "3 min. ago" */
  ago(time: string): string;
  /** "3m 12s" */
  duration(ms: number): string;
  /** "12.3kB" */
  bytes(count: number): string;
  /** The date and time here. */
  moment(time: string): string;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

export function amountsIn(language: Language, now: Date): Amounts {
  const locale = LOCALES[language];
  return {
    ago(time) {
      const seconds = Math.round((Date.parse(time) - now.getTime()) / 1000);
      const [unit, size] = UNITS.find(([, of]) => Math.abs(seconds) >= of) ?? UNITS[3];
      const format = new Intl.RelativeTimeFormat(locale, { style: 'narrow', numeric: 'auto' });
      return format.format(Math.trunc(seconds / size), unit);
    },
    duration: (ms) => durationOf(ms, locale),
    bytes: (count) => bytesOf(count, locale),
    moment: (time) =>
      new Date(time).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' }),
  };
}

function durationOf(ms: number, locale: string): string {
  if (ms < 1000) return unitOf(Math.round(ms), 'millisecond', locale);
  if (ms < 60_000) return unitOf(Math.floor(ms / 100) / 10, 'second', locale);
  const seconds = Math.floor(ms / 1000);
  const parts = UNITS.map(([unit, size], at) => {
    const above = at === 0 ? Number.POSITIVE_INFINITY : UNITS[at - 1]![1];
    return [Math.floor((seconds % above) / size), unit] as const;
  });
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(first, first + 2)
    .map(([count, unit]) => unitOf(count, unit, locale))
    .join(' ');
}

function unitOf(count: number, unit: string, locale: string): string {
  return count.toLocaleString(locale, { style: 'unit', unit, unitDisplay: 'narrow' });
}

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

function bytesOf(count: number, locale: string): string {
  const step = Math.min(SIZES.length - 1, count < 1000 ? 0 : Math.floor(Math.log10(count) / 3));
  return (count / 1000 ** step).toLocaleString(locale, {
    style: 'unit',
    unit: SIZES[step]!,
    unitDisplay: 'narrow',
    maximumFractionDigits: step === 0 ? 0 : 1,
  });
}
