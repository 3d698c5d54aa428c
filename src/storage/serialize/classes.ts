/** The classes a program has registered. Nothing is ever revived by a stored name that is not in here. */
import { InvalidInputError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';

export interface ClassCodec<T extends object = object> {
  /** Stored with every instance, so it must stay the same for as long as the data is kept. */
  readonly name: string;
  /** Exactly this class: instances of its subclasses need their own registration. */
  readonly class: abstract new (
    ...args: never[]
  ) => T;
  /** What to store of an instance: anything that can be stored. */
  readonly toDict: (instance: T) => unknown;
  /** An instance from what `toDict` returned when it was stored. */
  readonly fromDict: (dict: never) => T;
}

const byName = new Map<string, ClassCodec>();
const byPrototype = new Map<object, ClassCodec>();

/** Makes instances of a class storable in this process; returns a function that unregisters it. */
export function registerClass<T extends object>(codec: ClassCodec<T>): () => void {
  const { name } = codec;
  const prototype: object = codec.class.prototype;
  if (typeof name !== 'string' || name === '') refuse(phrase`A registered class needs a name.`, { name });
  if (prototype === Object.prototype || prototype === Array.prototype) {
    refuse(phrase`${codec.class.name} is stored as it is and cannot be registered.`, { name });
  }
  const holder = byName.get(name) ?? byPrototype.get(prototype);
  if (holder && (holder.name !== name || holder.class !== codec.class)) {
    refuse(
      phrase`${codec.class.name} cannot be registered as "${name}": ${holder.class.name} is "${holder.name}".`,
      {
        name,
        class: codec.class.name,
        registered: holder.name,
      },
    );
  }
  const entry = codec as unknown as ClassCodec;
  byName.set(name, entry);
  byPrototype.set(prototype, entry);
  return () => {
    if (byName.get(name) !== entry) return;
    byName.delete(name);
    byPrototype.delete(prototype);
  };
}

export function codecOf(prototype: object | null): ClassCodec | undefined {
  return prototype === null ? undefined : byPrototype.get(prototype);
}

export function codecNamed(name: string): ClassCodec | undefined {
  return byName.get(name);
}

function refuse(message: string, data: Record<string, unknown>): never {
  throw new InvalidInputError('USAGE', message, {
    data,
    hint: phrase`Give each class one name of its own, and register it once, before the store is used.`,
  });
}
