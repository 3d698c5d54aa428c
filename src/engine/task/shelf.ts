/**
 * Values kept for later. A large one is kept encoded and outside the heap: thousands of live values would make the garbage
 * collector enlarge its young generation, and a long task would take several times the memory of its data.
 */
import { roughSize } from '../../checkpoint/values/rough-size.ts';
import { decode, encode } from '../../storage/serialize.ts';

export type Shelved = { readonly value: unknown } | { readonly encoded: Uint8Array };

const LARGE = 2048;

export function shelve(value: unknown): Shelved {
  return roughSize(value) > LARGE ? { encoded: Buffer.from(encode(value)) } : { value };
}

export function takeDown(shelved: Shelved): unknown {
  return 'encoded' in shelved ? decode(utf8.decode(shelved.encoded)) : shelved.value;
}

const utf8 = new TextDecoder();
