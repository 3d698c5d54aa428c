/** Small pictures of numbers. */

const BARS = '▁▂▃▄▅▆▇█';

/** One column each, thinned to at most this many; the largest is the highest. */
export function sparkline(values: readonly number[], columns: number): string {
  const shown = thinned(values, columns);
  const most = Math.max(...shown, 1);
  return shown.map((value) => BARS[Math.round((value / most) * (BARS.length - 1))]).join('');
}

function thinned(values: readonly number[], columns: number): readonly number[] {
  if (values.length <= columns) return values;
  return Array.from(
    { length: columns },
    (_, at) => values[Math.floor(((at + 1) * values.length) / columns) - 1]!,
  );
}

/** When something happened within a period, as a bar on a line of this many columns. */
export function bar(from: number, to: number, columns: number): string {
  const start = Math.min(columns - 1, Math.floor(from * columns));
  const length = Math.max(1, Math.round((to - from) * columns));
  return ' '.repeat(start) + '━'.repeat(Math.min(length, columns - start));
}
