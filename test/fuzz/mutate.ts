/** Bytes out of bytes: what damage, carelessness and malice make of an input. The same draws give the same bytes. */
import type { Random } from '../crash/random.ts';
import { mutateJson } from './mutate-json.ts';
import { NUMBERS, PIECES } from './pieces.ts';

/** Larger ones would only be slower. */
const MOST_BYTES = 64 * 1024;

/** One of the seeds, changed a few times. Rarely left as it is: a decoder must take what is right. */
export function mutated(seeds: readonly Buffer[], draws: Random): Buffer {
  let bytes = draws.pick(seeds);
  if (draws.oneIn(100)) return bytes;
  for (let times = 1 + draws.below(4); times > 0; times--) {
    bytes = draws.oneIn(2) ? mutateJson(bytes, draws) : draws.pick(CHANGES)(bytes, draws, seeds);
    if (bytes.length > MOST_BYTES && !draws.oneIn(20)) bytes = bytes.subarray(0, MOST_BYTES);
  }
  return bytes;
}

type Change = (bytes: Buffer, draws: Random, seeds: readonly Buffer[]) => Buffer;

const CHANGES: readonly Change[] = [
  flipBits,
  (bytes, draws) => bytes.subarray(0, draws.below(bytes.length + 1)),
  (bytes, draws) => bytes.subarray(draws.below(bytes.length + 1)),
  takeOut,
  repeat,
  (bytes, draws) => insert(bytes, draws, draws.pick(PIECES)),
  replaceNumber,
  splice,
];

function flipBits(bytes: Buffer, draws: Random): Buffer {
  if (bytes.length === 0) return bytes;
  const changed = Buffer.from(bytes);
  for (let times = 1 + draws.below(8); times > 0; times--) {
    const at = draws.below(changed.length);
    changed[at] = draws.oneIn(2) ? changed[at]! ^ (1 << draws.below(8)) : draws.below(256);
  }
  return changed;
}

function takeOut(bytes: Buffer, draws: Random): Buffer {
  const [from, to] = range(bytes, draws);
  return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
}

function repeat(bytes: Buffer, draws: Random): Buffer {
  const [from, to] = range(bytes, draws);
  const times = draws.oneIn(50) ? 1 + draws.below(2_000) : 1 + draws.below(8);
  const most = Math.max(1, Math.floor(MOST_BYTES / Math.max(1, to - from)));
  const part = bytes.subarray(from, to);
  return Buffer.concat([
    bytes.subarray(0, from),
    ...Array<Buffer>(Math.min(times, most)).fill(part),
    bytes.subarray(from),
  ]);
}

function insert(bytes: Buffer, draws: Random, piece: Buffer): Buffer {
  const at = draws.below(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
}

/** A run of digits becomes another number: lengths, counts, positions. */
function replaceNumber(bytes: Buffer, draws: Random): Buffer {
  const text = bytes.toString('latin1');
  const runs = [...text.matchAll(/-?\d+(?:\.\d+)?/g)];
  if (runs.length === 0) return insert(bytes, draws, draws.pick(PIECES));
  const { 0: digits, index } = draws.pick(runs);
  const changed = text.slice(0, index) + draws.pick(NUMBERS) + text.slice(index + digits.length);
  return Buffer.from(changed, 'latin1');
}

/** The beginning of one and the end of another. */
function splice(bytes: Buffer, draws: Random, seeds: readonly Buffer[]): Buffer {
  const other = draws.pick(seeds);
  return Buffer.concat([
    bytes.subarray(0, draws.below(bytes.length + 1)),
    other.subarray(draws.below(other.length + 1)),
  ]);
}

function range(bytes: Buffer, draws: Random): [number, number] {
  const from = draws.below(bytes.length + 1);
  const length = draws.oneIn(4) ? draws.below(bytes.length - from + 1) : draws.below(16);
  return [from, Math.min(bytes.length, from + length)];
}
