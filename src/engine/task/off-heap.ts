/**
 * Values kept for later. A large one is kept encoded and outside the heap: thousands of live values would make the garbage
 * collector enlarge its young generation, and a long task would take several times the memory of its data.
 */
import { roughSize } from '../../checkpoint/values/rough-size.ts';
import { decode, encode } from '../../storage/serialize.ts';

export type KeptValue = { readonly value: unknown } | Slot;

const LARGE = 2048;

export function keepValue(value: unknown): KeptValue {
  return roughSize(value) > LARGE ? keep(encode(value)) : { value };
}

export function readKept(kept: KeptValue): unknown {
  if ('value' in kept) return kept.value;
  const { slab, from, to } = kept;
  return decode((slab.bytes as Buffer).toString('utf8', from, to));
}

/** For the last time: the memory is free at once where nothing else is kept in it. */
export function takeKept(kept: KeptValue): unknown {
  const value = readKept(kept);
  if ('slab' in kept) letGo(kept.slab);
  return value;
}

/** Where a value is in a slab. */
interface Slot {
  readonly slab: Slab;
  readonly from: number;
  readonly to: number;
}

/** A piece of memory that many values share: each in one of its own takes a quarter more. */
interface Slab {
  /** A Buffer; users of the library need not have the types of Node. */
  readonly bytes: Uint8Array;
  used: number;
  /** How many values in it have not been taken down. */
  values: number;
}

const SLAB = 1 << 18;
let filling: Slab = newSlab(0);

function keep(text: string): Slot {
  const size = Buffer.byteLength(text);
  const slab = size > SLAB / 8 ? newSlab(size) : slabFor(size);
  const from = slab.used;
  slab.used += (slab.bytes as Buffer).write(text, from);
  slab.values++;
  return { slab, from, to: slab.used };
}

function slabFor(size: number): Slab {
  if (filling.used + size > filling.bytes.length) filling = newSlab(SLAB);
  return filling;
}

/** Memory that can be resized is pages of its own, which go back to the system. */
function newSlab(size: number): Slab {
  return { bytes: Buffer.from(new ArrayBuffer(size, { maxByteLength: size })), used: 0, values: 0 };
}

/** Frees it before the garbage collector would: by then a long task has needed the same again for other things. */
function letGo(slab: Slab): void {
  slab.values--;
  if (slab.values === 0 && slab !== filling) (slab.bytes.buffer as ArrayBuffer).resize(0);
}
