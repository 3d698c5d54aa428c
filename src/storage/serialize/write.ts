/**
 * The writing half: one walk that reads every property once and makes the text as it goes, so that a getter cannot
 * answer one thing to a check and another to the writer.
 */
import { classNameOf, firstHole, hasSymbolKeys, isExactlyItsItems, isPlain, isPlainArray } from './check.ts';
import { type ClassCodec, codecOf } from './classes.ts';
import { isError, takeApart } from './errors.ts';
import { bigint, type Leaf, leafOf, specialNumber } from './leaves.ts';
import { MAX_DEPTH, MAX_TEXT, TAG } from './limits.ts';
import { entrySegment, memberSegment, Refusal } from './refusal.ts';
import { quote, quoteKey } from './text.ts';

const UNDEFINED = `{"${TAG}":"undefined"}`;
const objectPrototype = Object.prototype;

export function write(value: unknown, depth: number): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0) ? `${value}` : writeLeaf(specialNumber, value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      return value === null ? 'null' : writeContainer(value, depth);
    case 'undefined':
      return UNDEFINED;
    case 'bigint':
      return writeLeaf(bigint, value);
    default:
      throw new Refusal(typeof value === 'symbol' ? 'symbol' : 'function');
  }
}

function writeContainer(value: object, depth: number): string {
  if (depth >= MAX_DEPTH) throw new Refusal('too_deep');
  if (Array.isArray(value)) return writeArray(value, depth);
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === objectPrototype
    ? writePlain(value as Record<string, unknown>, depth)
    : writeSpecial(value, prototype, depth);
}

function writePlain(object: Record<string, unknown>, depth: number): string {
  let current: string | undefined;
  try {
    if (hasSymbolKeys(object)) throw new Refusal('symbol_key');
    let members = '';
    let reserved = false;
    for (const key of Object.keys(object)) {
      current = key;
      if (key === TAG) reserved = true;
      if (members !== '') members += ',';
      members += quoteKey(key) + write(object[key], depth + 1);
    }
    current = undefined;
    assertSize(members);
    return reserved ? tagged('object', `{${members}}`) : `{${members}}`;
  } catch (error) {
    throw Refusal.within(object, current === undefined ? '' : memberSegment(current), error);
  }
}

function writeArray(array: readonly unknown[], depth: number): string {
  let index = -1;
  try {
    if (!isPlainArray(array)) throw new Refusal('instance', classNameOf(Object.getPrototypeOf(array)));
    if (!isExactlyItsItems(array)) {
      index = firstHole(array);
      throw new Refusal(index < 0 ? 'named_property' : 'hole');
    }
    const length = array.length;
    let items = '';
    for (index = 0; index < length; index += 1) {
      if (index > 0) items += ',';
      items += write(array[index], depth + 1);
    }
    index = -1;
    assertSize(items);
    return `[${items}]`;
  } catch (error) {
    throw Refusal.within(array, index < 0 ? '' : memberSegment(index), error);
  }
}

function writeSpecial(value: object, prototype: object | null, depth: number): string {
  const codec = codecOf(prototype);
  if (codec) return writeInstance(value, codec, depth);
  const leaf = leafOf(prototype);
  if (leaf) {
    if (leaf.named && Object.keys(value).length > 0) throw new Refusal('named_property');
    return writeLeaf(leaf, value);
  }
  if (prototype === Map.prototype) return writeMap(value as Map<unknown, unknown>, depth);
  if (prototype === Set.prototype) return writeSet(value as Set<unknown>, depth);
  if (isError(value)) return writeError(value, depth);
  if (isPlain(prototype)) return writePlain(value as Record<string, unknown>, depth);
  throw new Refusal(prototype === Promise.prototype ? 'promise' : 'instance', classNameOf(prototype));
}

function writeLeaf(leaf: Leaf, value: unknown): string {
  return tagged(leaf.tag, quote(leaf.pack(value)));
}

function writeMap(map: Map<unknown, unknown>, depth: number): string {
  let segment = '';
  try {
    if (Object.keys(map).length > 0) throw new Refusal('named_property');
    const pairs = [...Map.prototype.entries.call(map)].map(([key, item], index) => {
      segment = `<key #${index}>`;
      const keyText = write(key, depth + 1);
      segment = entrySegment(index, key);
      return `[${keyText},${write(item, depth + 1)}]`;
    });
    return tagged('map', `[${pairs.join()}]`);
  } catch (error) {
    throw Refusal.within(map, segment, error);
  }
}

function writeSet(set: Set<unknown>, depth: number): string {
  let segment = '';
  try {
    if (Object.keys(set).length > 0) throw new Refusal('named_property');
    const items = [...Set.prototype.values.call(set)].map((item, index) => {
      segment = entrySegment(index);
      return write(item, depth + 1);
    });
    return tagged('set', `[${items.join()}]`);
  } catch (error) {
    throw Refusal.within(set, segment, error);
  }
}

function writeError(error: Error, depth: number): string {
  try {
    const { hidden, own, ...head } = takeApart(error);
    const parts = [`"v":${JSON.stringify(head)}`];
    if (Object.keys(hidden).length > 0) parts.push(`"hidden":${write(hidden, depth + 1)}`);
    if (Object.keys(own).length > 0) parts.push(`"own":${write(own, depth + 1)}`);
    return `{"${TAG}":"error",${parts.join()}}`;
  } catch (thrown) {
    throw Refusal.within(error, '', thrown);
  }
}

function writeInstance(value: object, codec: ClassCodec, depth: number): string {
  try {
    return `{"${TAG}":"class","name":${quote(codec.name)},"v":${write(codec.toDict(value), depth + 1)}}`;
  } catch (error) {
    throw Refusal.within(value, '', error);
  }
}

function tagged(tag: string, payload: string): string {
  assertSize(payload);
  return `{"${TAG}":"${tag}","v":${payload}}`;
}

function assertSize(text: string): void {
  if (text.length > MAX_TEXT) throw new Refusal('too_large');
}
