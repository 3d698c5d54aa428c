/** The reading half, the mirror image of the writer: turns parsed JSON into the values it stands for, in place. */
import { CorruptError, NotSerialisableError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { codecNamed } from './classes.ts';
import { type ErrorParts, putTogether } from './errors.ts';
import { leafTagged } from './leaves.ts';
import { MAX_DEPTH, TAG } from './limits.ts';

type Json = Record<string, unknown>;

export function read(node: unknown, depth: number): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if (depth >= MAX_DEPTH) throw corrupt(phrase`it is nested more than ${MAX_DEPTH} levels deep`);
  if (Array.isArray(node)) return readItems(node, depth);
  return Object.hasOwn(node, TAG) ? readTagged(node as Json, depth) : readMembers(node as Json, depth);
}

function readItems(array: unknown[], depth: number): unknown[] {
  for (let index = 0; index < array.length; index += 1) array[index] = read(array[index], depth + 1);
  return array;
}

/** Every key is already an own property here, `__proto__` too, so assigning sets no prototype. */
function readMembers(object: Json, depth: number): Json {
  for (const key of Object.keys(object)) object[key] = read(object[key], depth + 1);
  return object;
}

function readTagged(node: Json, depth: number): unknown {
  const tag = node[TAG];
  switch (tag) {
    case 'undefined':
      return hasOnly(node) ? undefined : malformed(node);
    case 'object':
      return hasOnly(node, 'v') && isObject(node.v) && Object.hasOwn(node.v, TAG)
        ? readMembers(node.v, depth)
        : malformed(node);
    case 'map':
      return readMap(node, depth);
    case 'set':
      return readSet(node, depth);
    case 'error':
      return readError(node, depth);
    case 'class':
      return readInstance(node, depth);
    default:
      return readLeaf(node);
  }
}

function readLeaf(node: Json): unknown {
  const leaf = typeof node[TAG] === 'string' ? leafTagged(node[TAG]) : undefined;
  if (!leaf || !hasOnly(node, 'v') || typeof node.v !== 'string') return malformed(node);
  try {
    return leaf.unpack(node.v);
  } catch (cause) {
    return malformed(node, cause);
  }
}

function readMap(node: Json, depth: number): Map<unknown, unknown> {
  if (!hasOnly(node, 'v') || !Array.isArray(node.v)) return malformed(node);
  const map = new Map<unknown, unknown>();
  for (const pair of node.v as unknown[]) {
    if (!Array.isArray(pair) || pair.length !== 2) return malformed(node);
    map.set(read(pair[0], depth + 1), read(pair[1], depth + 1));
  }
  return map;
}

function readSet(node: Json, depth: number): Set<unknown> {
  if (!hasOnly(node, 'v') || !Array.isArray(node.v)) return malformed(node);
  return new Set(readItems(node.v, depth));
}

function readError(node: Json, depth: number): Error {
  const head = node.v;
  const hidden = Object.hasOwn(node, 'hidden') ? read(node.hidden, depth + 1) : {};
  const own = Object.hasOwn(node, 'own') ? read(node.own, depth + 1) : {};
  if (!hasOnly(node, 'v', 'hidden', 'own') || !isObject(head) || !isObject(hidden) || !isObject(own)) {
    return malformed(node);
  }
  return putTogether({ ...head, hidden, own } as unknown as ErrorParts) ?? malformed(node);
}

function readInstance(node: Json, depth: number): object {
  const { name } = node;
  if (!hasOnly(node, 'name', 'v') || !Object.hasOwn(node, 'v') || typeof name !== 'string')
    return malformed(node);
  const codec = codecNamed(name);
  if (!codec) {
    throw new NotSerialisableError(phrase`The stored class "${name}" is not registered here.`, {
      data: { class: name },
      hint: phrase`Call registerClass({ name: ${JSON.stringify(name)}, class, toDict, fromDict }) before loading; the data is intact.`,
    });
  }
  const dict = read(node.v, depth + 1);
  try {
    return codec.fromDict(dict as never);
  } catch (cause) {
    throw new NotSerialisableError(
      phrase`fromDict of the registered class "${name}" failed on stored data.`,
      {
        data: { class: name },
        cause,
        hint: phrase`See the cause. Let fromDict also take what earlier versions of toDict stored; the data is intact.`,
      },
    );
  }
}

function hasOnly(node: Json, ...keys: string[]): boolean {
  return Object.keys(node).every((key) => key === TAG || keys.includes(key));
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function malformed(node: Json, cause?: unknown): never {
  const tag = typeof node[TAG] === 'string' ? node[TAG].slice(0, 40) : typeof node[TAG];
  throw corrupt(phrase`a value marked "${tag}" is not one`, cause === undefined ? {} : { cause });
}

export function corrupt(why: string, details: { cause?: unknown } = {}): CorruptError {
  return new CorruptError(phrase`The stored text is damaged or from a newer version: ${why}.`, {
    data: { why },
    ...details,
    hint: phrase`Restore it from a backup, or read it with the version that wrote it. Nothing was changed.`,
  });
}
