/** What the data of an answer looks like, written so that people, the compiler and a test can all read it. */

/** A kind of value, a list of one shape, or members by name. */
export type Shape = Leaf | readonly [Shape] | { readonly [member: string]: Shape };

type Kind = 'string' | 'number' | 'boolean' | 'time' | 'any';
type Leaf = Kind | `${Kind}|null`;

/** The values that a shape describes. `time` is ISO 8601, `any` is the user's own data. */
export type Answered<S> = S extends `${infer K}|null`
  ? Answered<K> | null
  : S extends 'string' | 'time'
    ? string
    : S extends 'number'
      ? number
      : S extends 'boolean'
        ? boolean
        : S extends 'any'
          ? unknown
          : S extends readonly [infer E]
            ? readonly Answered<E>[]
            : { readonly [K in keyof S]: Answered<S[K]> };
