/**
 * A map like another one except for a few keys, which it shares the rest with: the trees of snapshots that follow each other
 * differ in few of their many directories.
 */
export class Patched<V> implements ReadonlyMap<string, V> {
  readonly #base: ReadonlyMap<string, V>;
  /** `undefined`: removed. */
  readonly #changed: Map<string, V | undefined>;
  #size: number;

  constructor(like: ReadonlyMap<string, V>) {
    const isPatched = like instanceof Patched;
    // A copy from time to time keeps the differences few.
    const isMuch = isPatched && like.#changed.size * MUCH > like.#base.size;
    this.#base = isMuch ? new Map(like) : isPatched ? like.#base : like;
    this.#changed = new Map(isPatched && !isMuch ? like.#changed : []);
    this.#size = like.size;
  }

  /** The keys by which two can differ, where they share the rest; undefined where they do not. */
  static between<V>(a: ReadonlyMap<string, V>, b: ReadonlyMap<string, V>): ReadonlySet<string> | undefined {
    const [baseOfA, baseOfB] = [a, b].map((one) => (one instanceof Patched ? one.#base : one));
    if (baseOfA !== baseOfB) return undefined;
    return new Set([a, b].flatMap((one) => (one instanceof Patched ? [...one.#changed.keys()] : [])));
  }

  set(key: string, value: V): void {
    if (!this.has(key)) this.#size++;
    this.#changed.set(key, value);
  }

  delete(key: string): void {
    if (!this.has(key)) return;
    this.#size--;
    this.#changed.set(key, undefined);
  }

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    return this.#changed.get(key) ?? (this.#changed.has(key) ? undefined : this.#base.get(key));
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  *entries(): MapIterator<[string, V]> {
    for (const entry of this.#base) if (!this.#changed.has(entry[0])) yield entry;
    for (const [key, value] of this.#changed) if (value !== undefined) yield [key, value];
  }

  *keys(): MapIterator<string> {
    for (const [key] of this.entries()) yield key;
  }

  *values(): MapIterator<V> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): MapIterator<[string, V]> {
    return this.entries();
  }

  forEach(run: (value: V, key: string, map: ReadonlyMap<string, V>) => void): void {
    for (const [key, value] of this.entries()) run(value, key, this);
  }
}

/** Differences are copied with each map, and looked up before the rest. */
const MUCH = 16;
