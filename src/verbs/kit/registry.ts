/** The verbs by their names. Each is loaded on demand, so that calling one does not wait for all. */
import type { Verb } from './verb.ts';

/** Every name a verb goes by, and how to get it. */
export type Registry = ReadonlyMap<string, () => Promise<Verb>>;

/** Each verb once, in the order of the registry. */
export async function allVerbs(registry: Registry): Promise<Verb[]> {
  const found = await Promise.all([...registry.values()].map((load) => load()));
  return [...new Set(found)];
}

/** The second words of the names that begin with this one. */
export function membersOf(registry: Registry, first: string): string[] {
  return [...registry.keys()]
    .filter((name) => name.startsWith(`${first} `))
    .map((name) => name.slice(first.length + 1));
}

/** What a first word means that is followed by none of these: `checkpoints x7k2qf` is `checkpoints list x7k2qf`. */
export function shortFor(registry: Registry, first: string): string | null {
  const name = `${first} list`;
  return !registry.has(first) && registry.has(name) ? name : null;
}

/** The first words of all names. */
export function firstWords(registry: Registry): string[] {
  return [...new Set([...registry.keys()].map((name) => name.split(' ')[0]!))];
}
