/** Deterministic pseudo-random numbers: the same seed replays the same campaign. */
import { hash } from 'node:crypto';

export interface Random {
  /** At least 0, less than `limit`. */
  below(limit: number): number;
  /** True once in `odds` draws, on average. */
  oneIn(odds: number): boolean;
  pick<T>(from: readonly T[]): T;
}

/** A generator for one purpose: `random(seed, 'lane', 3)` never shares draws with another purpose. */
export function random(...purpose: readonly (string | number)[]): Random {
  let state = Number.parseInt(hash('sha256', purpose.join('/')).slice(0, 8), 16);
  const below = (limit: number): number => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * limit);
  };
  return {
    below,
    oneIn: (odds) => below(odds) === 0,
    pick: (from) => from[below(from.length)]!,
  };
}

/** Text of a given length that no other purpose produces. */
export function filler(length: number, ...purpose: readonly (string | number)[]): string {
  let text = hash('sha256', purpose.join('/'), 'base64');
  while (text.length < length) text += hash('sha256', text, 'base64');
  return text.slice(0, length);
}
