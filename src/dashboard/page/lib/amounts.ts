/** Times and durations as people write them in each language. Pure: the time now is given. */

type Say = (key: UnitKey, values: { count: number | string }) => string;
type UnitKey = 'page.unit.ms' | 'page.unit.second' | 'page.unit.minute' | 'page.unit.hour' | 'page.unit.day';

const UNITS = [
  ['page.unit.day', 86_400],
  ['page.unit.hour', 3_600],
  ['page.unit.minute', 60],
  ['page.unit.second', 1],
] as const;

/** "120 ms", "4.1 s", "3 min 10 s", "2 h": two units at most. */
export function durationOf(ms: number, say: Say): string {
  if (ms < 1000) return say('page.unit.ms', { count: Math.round(ms) });
  if (ms < 10_000) return say('page.unit.second', { count: Math.floor(ms / 100) / 10 });
  const seconds = Math.floor(ms / 1000);
  const first = UNITS.findIndex(([, size]) => seconds >= size);
  const [unit, size] = UNITS[first]!;
  const whole = say(unit, { count: Math.floor(seconds / size) });
  const below = UNITS[first + 1];
  if (!below) return whole;
  const rest = Math.floor((seconds % size) / below[1]);
  return rest === 0 ? whole : `${whole} ${say(below[0], { count: rest })}`;
}

/** One unit, rounded down: "4 min". */
export function roughly(ms: number, say: Say): string {
  const seconds = Math.floor(Math.abs(ms) / 1000);
  const [unit, size] = UNITS.find(([, of]) => seconds >= of) ?? UNITS[3];
  return say(unit, { count: Math.floor(seconds / size) });
}

/** "12:04", with the day where it is not today. */
export function momentOf(time: number, now: number, language: string): string {
  const at = new Date(time);
  const today = new Date(now);
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}`;
  if (at.toDateString() === today.toDateString()) return clock;
  const day: Intl.DateTimeFormatOptions = { month: 'short', day: 'numeric' };
  if (at.getFullYear() !== today.getFullYear()) day.year = 'numeric';
  return `${dayFormat(language, day).format(at)} ${clock}`;
}

/** The same to the second, and the day: for titles. */
export function exactly(time: number): string {
  const at = new Date(time);
  const date = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${date} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}

const two = (number: number): string => String(number).padStart(2, '0');

const formats = new Map<string, Intl.DateTimeFormat>();

/** Making one takes longer than using it. */
function dayFormat(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `${language} ${options.year ?? ''}`;
  const known = formats.get(name) ?? new Intl.DateTimeFormat(language, options);
  formats.set(name, known);
  return known;
}
