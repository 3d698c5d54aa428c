import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NotSerialisableError, VibeError } from '../../src/errors.ts';
import { decode, encode } from '../../src/storage/serialize.ts';
import { unlessFull } from '../support/full.ts';

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('$ve', 'v', '__proto__', 'name'));
const typedArrays = [
  fc.uint8Array({ maxLength: 4 }),
  fc.uint8ClampedArray({ maxLength: 4 }),
  fc.int8Array({ maxLength: 4 }),
  fc.uint16Array({ maxLength: 4 }),
  fc.int16Array({ maxLength: 4 }),
  fc.uint32Array({ maxLength: 4 }),
  fc.int32Array({ maxLength: 4 }),
  fc.float32Array({ maxLength: 4 }),
  fc.float64Array({ maxLength: 4 }),
  fc.bigInt64Array({ maxLength: 4 }),
  fc.bigUint64Array({ maxLength: 4 }),
];
const leaf = fc.oneof(
  text,
  fc.double(),
  fc.integer(),
  fc.bigInt(),
  fc.boolean(),
  fc.constantFrom(null, undefined, -0),
  fc.date({ noInvalidDate: true }),
  fc.constantFrom(/a/, /[/]\/"/giu, /\n|$/s),
  ...typedArrays,
);
const { value } = fc.letrec<{ value: unknown; error: Error }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(text, tie('value'), { noNullPrototype: true, maxKeys: 5 }),
    fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 4 }).map((pairs) => new Map(pairs)),
    fc.array(tie('value'), { maxLength: 5 }).map((items) => new Set(items)),
    tie('error'),
  ),
  error: fc
    .tuple(
      fc.constantFrom(Error, TypeError, RangeError),
      text,
      tie('value'),
      fc.dictionary(fc.constantFrom('code', 'data', 'name', '$ve', 'cause'), tie('value'), {
        noNullPrototype: true,
      }),
    )
    .map(([type, message, cause, own]) => Object.assign(new type(message, { cause }), own)),
}));

const RUNS = unlessFull(100, 1_000);

describe('every value that can be stored', () => {
  it('comes back equal, and is then stored as the same text', () => {
    fc.assert(
      fc.property(value, (original) => {
        const encoded = encode(original);
        expect(encoded).not.toMatch(/[\n\r]/);
        const back = decode(encoded);
        deepStrictEqual(back, original);
        expect(encode(back)).toBe(encoded);
      }),
      { numRuns: RUNS },
    );
  });

  it('is what JSON makes of it, when JSON can say it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (original) => {
        fc.pre(!Object.is(original, -0) && !JSON.stringify(original).includes('$ve'));
        expect(decode(JSON.stringify(original))).toStrictEqual(JSON.parse(JSON.stringify(original)));
        expect(encode(JSON.parse(JSON.stringify(original)))).toBe(JSON.stringify(original));
      }),
    );
  });
});

describe('a value that cannot be stored', () => {
  /** One step down into a container: how to wrap the inner value, and what the path says of it. */
  interface Step {
    readonly wrap: (inner: unknown) => unknown;
    readonly segment: string;
  }
  const identifier = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.tuple(identifier, value).map(([key, sibling]) => ({
      wrap: (inner: unknown) => ({ [`${key}_before`]: sibling, [key]: inner, [`${key}_after`]: () => {} }),
      segment: `.${key}`,
    })),
    fc.array(value, { maxLength: 4 }).map((before) => ({
      wrap: (inner: unknown) => [...before, inner, Symbol('after')],
      segment: `[${before.length}]`,
    })),
    identifier.map((key) => ({ wrap: (inner: unknown) => new Map([[key, inner]]), segment: `<${key}>` })),
    fc.constant({ wrap: (inner: unknown) => new Set([inner]), segment: '<#0>' }),
    fc.constant({ wrap: (cause: unknown) => new Error('outer', { cause }), segment: '.cause' }),
  );
  class Unregistered {}
  const unstorable = fc.constantFrom<unknown>(
    () => {},
    Symbol('s'),
    new Unregistered(),
    new WeakSet(),
    new Date(Number.NaN),
    Promise.resolve(),
  );

  it('is refused, and the path leads to the first of them', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), unstorable, (steps, bad) => {
        const whole = steps.reduceRight((inner: unknown, { wrap }) => wrap(inner), bad);
        const path = steps.map(({ segment }) => segment).join('');
        const error = thrownBy(() => encode(whole));
        expect(error).toBeInstanceOf(NotSerialisableError);
        expect((error as VibeError).data.path).toBe(path.replace(/^\./, ''));
      }),
    );
  });

  it('is refused for a cycle, and told where it leads back to', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), fc.array(step, { maxLength: 8 }), (outside, around) => {
        const start: { next?: unknown } = {};
        start.next = around.reduceRight((inner: unknown, { wrap }) => wrap(inner), start);
        const whole = outside.reduceRight((inner: unknown, { wrap }) => wrap(inner), start as unknown);
        const prefix = outside.map(({ segment }) => segment).join('');
        const cycle = around.map(({ segment }) => segment).join('');
        const trim = (path: string) => path.replace(/^\./, '');
        expect((thrownBy(() => encode(whole)) as VibeError).data).toEqual({
          reason: 'cycle',
          path: trim(`${prefix}.next${cycle}`),
          detail: trim(prefix) || 'the value itself',
        });
      }),
    );
  });
});

describe('reading', () => {
  const onlyVibeErrors = (input: string) => {
    try {
      decode(input);
    } catch (error) {
      expect(error).toBeInstanceOf(VibeError);
    }
  };

  it('throws nothing but a VibeError on any text', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), onlyVibeErrors), { numRuns: RUNS });
  });

  it('throws nothing but a VibeError on stored text that was changed', () => {
    const edit = fc.tuple(fc.nat(), fc.nat({ max: 3 }), fc.string({ maxLength: 3 }));
    fc.assert(
      fc.property(value, fc.array(edit, { minLength: 1, maxLength: 3 }), (original, edits) => {
        let stored = encode(original);
        for (const [position, removed, inserted] of edits) {
          const at = position % (stored.length + 1);
          stored = stored.slice(0, at) + inserted + stored.slice(at + removed);
        }
        onlyVibeErrors(stored);
      }),
      { numRuns: RUNS },
    );
  });

  it('throws nothing but a VibeError on tags with any payload, and stores again whatever it read', () => {
    const tag = fc.constantFrom(
      ...['undefined', 'object', 'map', 'set', 'error', 'class', 'date', 'url', 'regexp', 'number', 'bigint'],
      ...['ArrayBuffer', 'DataView', 'Uint8Array', 'Float64Array', 'constructor', '__proto__'],
    );
    const { node } = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<unknown>('', 'x', '1', 'AAAAAAAAAAA=', '2026-01-02T03:04:05.678Z', '/a/g', 1, null),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('v', 'message', 'cause', 'code', '__proto__'), tie('node')),
        fc.record(
          { $ve: tag, v: tie('node'), hidden: tie('node'), own: tie('node'), name: tie('node') },
          { requiredKeys: ['$ve'] },
        ),
      ),
    }));
    fc.assert(
      fc.property(node, (tree) => {
        const stored = JSON.stringify(tree);
        let back: unknown;
        try {
          back = decode(stored);
        } catch (error) {
          expect(error).toBeInstanceOf(VibeError);
          return;
        }
        expect(encode(decode(encode(back)))).toBe(encode(back));
      }),
      { numRuns: 3 * RUNS },
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown.');
}
