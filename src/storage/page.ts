/** Order and paging of keys: by Unicode code point, which is also the order of UTF-8 bytes and of both databases. */
import type { Page, PageQuery } from './contract.ts';

const DEFAULT_LIMIT = 100;

export function byCodePoint(a: string, b: string): number {
  if (a === b) return 0;
  for (let i = 0; ; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    if (Number.isNaN(x)) return -1;
    if (Number.isNaN(y)) return 1;
    // Surrogates stand for code points above every other character.
    const high = Number(isSurrogate(x)) - Number(isSurrogate(y));
    return high !== 0 ? high : x - y;
  }
}

/** One page of unsorted keys; `accept` is called only for keys that would be on it. */
export function pageOf(
  keys: string[],
  query: PageQuery,
  accept: (key: string) => boolean = () => true,
): Page {
  const { prefix = '', after, limit = DEFAULT_LIMIT, reverse = false } = query;
  const ordered = keys.filter((key) => key.startsWith(prefix)).sort(byCodePoint);
  if (reverse) ordered.reverse();
  const page: string[] = [];
  for (const key of ordered) {
    if (after !== undefined && (reverse ? byCodePoint(key, after) >= 0 : byCodePoint(key, after) <= 0))
      continue;
    if (page.length === limit) return { keys: page, next: page.at(-1) ?? null };
    if (accept(key)) page.push(key);
  }
  return { keys: page, next: null };
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
