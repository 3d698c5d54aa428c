/** Checks of the writer before it reads a container. */

/** Object.prototype of this realm or another (a vm context), or none at all. */
import { phrase } from '../../phrase.ts';

export function isPlain(prototype: object | null): boolean {
  if (prototype === null || prototype === Object.prototype) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}

/** Not of a subclass: Array.prototype, of any realm, is itself an array. */
export function isPlainArray(array: readonly unknown[]): boolean {
  const prototype: unknown = Object.getPrototypeOf(array);
  return prototype === Array.prototype || Array.isArray(prototype);
}

/** No hole and no named property. Indices come first among the keys, so the last key tells. */
export function isExactlyItsItems(array: readonly unknown[]): boolean {
  const keys = Object.keys(array);
  const length = array.length;
  return keys.length === length && (length === 0 || keys[length - 1] === `${length - 1}`);
}

/** The first index without an item, or -1. */
export function firstHole(array: readonly unknown[]): number {
  for (let index = 0; index < array.length; index += 1) {
    if (!Object.hasOwn(array, index)) return index;
  }
  return -1;
}

/** Only enumerable ones count, as with names: what is hidden is not data. */
export function hasSymbolKeys(object: object): boolean {
  const symbols = Object.getOwnPropertySymbols(object);
  return (
    symbols.length > 0 && symbols.some((symbol) => Object.prototype.propertyIsEnumerable.call(object, symbol))
  );
}

export function classNameOf(prototype: object | null): string {
  const name: unknown = prototype?.constructor?.name;
  return typeof name === 'string' && name !== '' ? name : phrase`a class without a name`;
}
