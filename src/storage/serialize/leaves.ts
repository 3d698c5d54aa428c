/** Kinds that are one piece of text each, with how each is packed and unpacked. */
import { endianness } from 'node:os';
import { MAX_BIGINT_DIGITS } from './limits.ts';
import { Refusal } from './refusal.ts';

export interface Leaf {
  readonly tag: string;
  readonly prototypes: readonly object[];
  /** Whether a named property on an instance can be noticed; on typed arrays it would cost a look at every index. */
  readonly named: boolean;
  pack(this: void, value: unknown): string;
  /** Throws when no `pack` gives this text. */
  unpack(this: void, text: string): unknown;
}

const date: Leaf = {
  tag: 'date',
  prototypes: [Date.prototype],
  named: true,
  pack(value) {
    const time = Date.prototype.getTime.call(value as Date);
    if (Number.isNaN(time)) throw new Refusal('invalid_date');
    return new Date(time).toISOString();
  },
  unpack: (text) => same(text, new Date(text), (value) => value.toISOString()),
};

const url: Leaf = {
  tag: 'url',
  prototypes: [URL.prototype],
  named: true,
  pack(value) {
    const { href } = value as URL;
    if (new URL(href).href !== href) throw new Refusal('unstable');
    return href;
  },
  unpack: (text) => same(text, new URL(text), (value) => value.href),
};

const regexp: Leaf = {
  tag: 'regexp',
  prototypes: [RegExp.prototype],
  named: true,
  pack(value) {
    const { source, flags, lastIndex } = value as RegExp;
    if (!Number.isSafeInteger(lastIndex) || lastIndex < 0) throw new Refusal('unstable');
    return `/${source}/${flags}${lastIndex === 0 ? '' : `@${lastIndex}`}`;
  },
  unpack(text) {
    const [, source, flags, lastIndex] = /^\/(.+)\/([a-z]*)(?:@(\d+))?$/s.exec(text) ?? malformed();
    const value = new RegExp(source!, flags);
    value.lastIndex = Number(lastIndex ?? 0);
    return same(text, value, regexp.pack);
  },
};

const arrayBuffer: Leaf = {
  tag: 'ArrayBuffer',
  prototypes: [ArrayBuffer.prototype],
  named: true,
  pack: (value) => Buffer.from(value as ArrayBuffer).toString('base64'),
  unpack: (text) => bytesOf(text).buffer,
};

const dataView: Leaf = {
  tag: 'DataView',
  prototypes: [DataView.prototype],
  named: true,
  pack: (value) => viewBytes(value as DataView).toString('base64'),
  unpack: (text) => new DataView(bytesOf(text).buffer),
};

/** A kind of its own: its methods read bytes otherwise than those of a Uint8Array. */
const buffer: Leaf = {
  tag: 'Buffer',
  prototypes: [Buffer.prototype],
  named: false,
  pack: (value) => viewBytes(value as Buffer).toString('base64'),
  unpack: (text) => Buffer.from(bytesOf(text).buffer),
};

type TypedArrayClass = new (buffer: ArrayBuffer) => NodeJS.TypedArray;

const { Float16Array } = globalThis as unknown as { Float16Array?: TypedArrayClass };

const typedArrays: readonly Leaf[] = [
  typedArray(Uint8Array, 1),
  typedArray(Uint8ClampedArray, 1),
  typedArray(Int8Array, 1),
  typedArray(Uint16Array, 2),
  typedArray(Int16Array, 2),
  typedArray(Uint32Array, 4),
  typedArray(Int32Array, 4),
  ...(Float16Array ? [typedArray(Float16Array, 2)] : []),
  typedArray(Float32Array, 4),
  typedArray(Float64Array, 8),
  typedArray(BigInt64Array, 8),
  typedArray(BigUint64Array, 8),
];

function typedArray(type: TypedArrayClass, width: 1 | 2 | 4 | 8): Leaf {
  return {
    tag: type.name,
    prototypes: [type.prototype],
    named: false,
    pack: (value) => littleEndian(viewBytes(value as NodeJS.TypedArray), width).toString('base64'),
    unpack: (text) => new type(littleEndian(bytesOf(text), width).buffer as ArrayBuffer),
  };
}

/** The bytes with the lowest first, independent of the machine's order: its own inverse. */
function littleEndian<T extends Uint8Array>(bytes: T, width: 1 | 2 | 4 | 8): T | Buffer {
  if (width === 1 || endianness() === 'LE') return bytes;
  const copy = Buffer.from(new Uint8Array(bytes).buffer);
  return width === 2 ? copy.swap16() : width === 4 ? copy.swap32() : copy.swap64();
}

function viewBytes(view: ArrayBufferView): Buffer {
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength);
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Buffer.from(text, 'base64'));
  return same(text, bytes, (value) => viewBytes(value).toString('base64'));
}

/** The four numbers that JSON cannot say. */
export const specialNumber: Leaf = {
  tag: 'number',
  prototypes: [],
  named: false,
  pack: (value) => (Object.is(value, -0) ? '-0' : `${value}`),
  unpack(text) {
    const value = Number(text);
    if (Number.isFinite(value) && !Object.is(value, -0)) malformed();
    return same(text, value, specialNumber.pack);
  },
};

export const bigint: Leaf = {
  tag: 'bigint',
  prototypes: [],
  named: false,
  pack(value) {
    const digits = `${value}`;
    if (digits.length > MAX_BIGINT_DIGITS) throw new Refusal('too_many_digits');
    return digits;
  },
  unpack(text) {
    if (text.length > MAX_BIGINT_DIGITS) malformed();
    return same(text, BigInt(text), bigint.pack);
  },
};

const LEAVES = [date, url, regexp, arrayBuffer, dataView, buffer, ...typedArrays, specialNumber, bigint];
const byPrototype = new Map(
  LEAVES.flatMap((leaf) => leaf.prototypes.map((prototype) => [prototype, leaf] as const)),
);
const byTag = new Map(LEAVES.map((leaf) => [leaf.tag, leaf] as const));

export function leafOf(prototype: object | null): Leaf | undefined {
  return prototype === null ? undefined : byPrototype.get(prototype);
}

export function leafTagged(tag: string): Leaf | undefined {
  return byTag.get(tag);
}

/** The unpacked value, if packing it gives the very text it came from. */
function same<T>(text: string, value: T, pack: (value: T) => string): T {
  return pack(value) === text ? value : malformed();
}

function malformed(): never {
  throw new TypeError('Not the text of a value of this kind.');
}
