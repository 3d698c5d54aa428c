/** Sizes as people write them. Pure. */

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

export function bytesOf(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1000 && unit < UNITS.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${size >= 100 || unit === 0 ? Math.round(size) : Math.round(size * 10) / 10} ${UNITS[unit]}`;
}
