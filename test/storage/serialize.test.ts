import { deepStrictEqual } from 'node:assert';
import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { CorruptError, NotSerialisableError, StaleWriteError, type VibeError } from '../../src/errors.ts';
import { decode, encode, MAX_DEPTH, registerClass } from '../../src/storage/serialize.ts';

const roundTrip = (value: unknown) => decode(encode(value));

describe('plain data', () => {
  it('is plain JSON on one line', () => {
    const value = { a: [1, 'two\nlines', null, true], b: { c: {}, d: [] } };
    expect(encode(value)).toBe(JSON.stringify(value));
    expect(encode(value)).not.toContain('\n');
  });

  it.each([
    ['null', null],
    ['text with quotes, controls, line separators and lone surrogates', '"\\\u0000\u2028\ud800 é😀'],
    ['undefined inside and outside', { a: undefined, b: [undefined] }],
    ['undefined itself', undefined],
    ['the numbers JSON lacks', [-0, 0, Number.NaN, Infinity, -Infinity, 5e-324, 2 ** 53]],
    ['bigints', [0n, -12n, 2n ** 200n]],
    ['keys of every sort', { '': 1, 'a b': 2, 3: 4, constructor: 5, toString: 6 }],
  ])('%s', (_, value) => deepStrictEqual(roundTrip(value), value));

  it('keeps data that uses the reserved key', () => {
    const value = { $ve: 'date', v: { $ve: { $ve: 'object', v: 1 } }, list: [{ $ve: undefined }] };
    deepStrictEqual(roundTrip(value), value);
  });

  it('keeps __proto__ as a key, and sets no prototype with it', () => {
    const value = JSON.parse('{"__proto__":{"polluted":true},"when":{"__proto__":[1]}}');
    for (const back of [roundTrip(value), roundTrip({ ...value, date: new Date(0) })] as object[]) {
      expect(Object.keys(back)).toContain('when');
      expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
      expect('polluted' in back).toBe(false);
    }
    expect(Object.hasOwn(roundTrip(value) as object, '__proto__')).toBe(true);
    expect('polluted' in {}).toBe(false);
  });

  it('takes objects without prototype, and of another realm, as plain ones', () => {
    deepStrictEqual(roundTrip(Object.assign(Object.create(null), { a: 1 })), { a: 1 });
    deepStrictEqual(roundTrip(runInNewContext('({ a: [1, { b: 2 }] })')), { a: [1, { b: 2 }] });
  });

  it('copies what is referred to twice', () => {
    const shared = { n: 1 };
    const back = roundTrip([shared, shared]) as object[];
    deepStrictEqual(back, [{ n: 1 }, { n: 1 }]);
    expect(back[0]).not.toBe(back[1]);
  });

  it('reads a getter once', () => {
    let reads = 0;
    const value = {
      get n() {
        reads += 1;
        return reads === 1 ? 1 : () => {};
      },
    };
    expect(encode(value)).toBe('{"n":1}');
  });
});

describe('kinds beside JSON', () => {
  const buffer = new Uint8Array([1, 2, 250]).buffer;
  it.each<[string, unknown]>([
    ['Date', [new Date(0), new Date(8.64e15), new Date(-8.64e15), new Date('0000-01-01T00:00:00Z')]],
    [
      'Map',
      new Map<unknown, unknown>([
        ['a', 1],
        [{ k: 1 }, new Map([[Number.NaN, 2]])],
        [null, undefined],
      ]),
    ],
    ['Set', new Set<unknown>([1, 'a', new Set([2n]), { deep: [new Date(1)] }])],
    ['RegExp', [/a\/b\nc/giu, /(?<x>\d+)@5/, /(?:)/]],
    ['ArrayBuffer', buffer],
    ['Uint8Array', new Uint8Array(buffer, 1, 2)],
    ['Uint8ClampedArray', new Uint8ClampedArray([0, 255])],
    ['Int8Array', new Int8Array([-1, 127])],
    ['Uint16Array', new Uint16Array([1, 65_535])],
    ['Int16Array', new Int16Array([-2])],
    ['Uint32Array', new Uint32Array([2 ** 32 - 1])],
    ['Int32Array', new Int32Array([-3])],
    ['Float32Array', new Float32Array([0.5, Number.NaN])],
    ['Float64Array', new Float64Array([-0, 0.1, Infinity])],
    ['BigInt64Array', new BigInt64Array([-1n])],
    ['BigUint64Array', new BigUint64Array([2n ** 64n - 1n])],
    ['empty containers', [new Map(), new Set(), new Uint8Array(), new ArrayBuffer(0)]],
  ])('%s', (_, value) => deepStrictEqual(roundTrip(value), value));

  it('URL', () => {
    const back = roundTrip({ at: new URL('https://user@example.org/a b?q=ü#x') }) as { at: URL };
    expect(back.at).toBeInstanceOf(URL);
    expect(back.at.href).toBe('https://user@example.org/a%20b?q=%C3%BC#x');
  });

  it('DataView', () => {
    const back = roundTrip(new DataView(buffer, 1)) as DataView;
    expect(back).toBeInstanceOf(DataView);
    expect([back.byteLength, back.getUint8(1)]).toEqual([2, 250]);
  });

  it('the place a RegExp has reached', () => {
    const pattern = /a/g;
    pattern.lastIndex = 3;
    expect((roundTrip(pattern) as RegExp).lastIndex).toBe(3);
  });

  it('a Buffer comes back as one, with memory of its own', () => {
    const back = roundTrip(Buffer.from('bytes')) as Buffer;
    deepStrictEqual(back, Buffer.from('bytes'));
    expect(back.buffer.byteLength).toBe(5);
  });

  it('typed arrays are stored with the lowest byte first', () => {
    expect(encode(new Uint16Array([1]))).toBe('{"$ve":"Uint16Array","v":"AQA="}');
  });
});

describe('errors', () => {
  it('whose stack cannot be made, since their name is no text, are kept without it', () => {
    for (const name of [{ toString: 1 }, { toString: null, valueOf: 2 }]) {
      const error = Object.assign(new Error('failed'), { name });
      const back = decode(encode(error)) as Error;
      expect([back.message, back.name, back instanceof Error]).toEqual(['failed', name, true]);
    }
  });

  it('keep name, message, stack, cause and properties', () => {
    class ToolError extends TypeError {
      override name = 'ToolError';
    }
    const error = Object.assign(new ToolError('failed', { cause: new RangeError('why') }), {
      exit: 3,
      at: new Date(0),
    });
    const back = roundTrip(error) as typeof error;
    expect(back).toBeInstanceOf(TypeError);
    deepStrictEqual(
      [back.name, back.message, back.stack, back.exit, back.at],
      ['ToolError', 'failed', error.stack, 3, new Date(0)],
    );
    expect(back.cause).toBeInstanceOf(RangeError);
    expect((back.cause as Error).stack).toBe((error.cause as Error).stack);
    expect(Object.keys(back)).toEqual(Object.keys(error));
  });

  it('of the language come back equal', () => {
    const all = [Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError].map(
      (type) => new type('m'),
    );
    const value = new AggregateError(all, 'several');
    const back = roundTrip(value) as AggregateError;
    deepStrictEqual(back, value);
    deepStrictEqual(
      back.errors.map((error) => error.constructor),
      all.map((error) => error.constructor),
    );
  });

  it('of this project come back as their class', () => {
    const error = new StaleWriteError('late', { data: { seq: 3n }, hint: 'again', cause: 'x' });
    const back = roundTrip(error) as StaleWriteError;
    expect(back).toBeInstanceOf(StaleWriteError);
    deepStrictEqual({ ...back, cause: back.cause }, { ...error, cause: 'x' });
  });

  it('of the platform keep their name', () => {
    const back = roundTrip(new DOMException('stopped', 'AbortError')) as Error;
    expect(back).toBeInstanceOf(Error);
    expect([back.name, back.message]).toEqual(['AbortError', 'stopped']);
  });

  it('are refused with the path of what they carry', () => {
    const error = Object.assign(new Error('x', { cause: { socket: new Socket() } }), { id: 1 });
    expect(pathOf({ last: error })).toBe('last.cause.socket');
    expect(pathOf({ last: Object.assign(new Error(), { run: () => {} }) })).toBe('last.run');
  });
});

describe('registered classes', () => {
  class Money {
    readonly amount: bigint;
    readonly due: Date;
    constructor(amount: bigint, due: Date) {
      this.amount = amount;
      this.due = due;
    }
  }
  class Euro extends Money {}
  const codec = {
    name: 'Money',
    class: Money,
    toDict: ({ amount, due }: Money) => ({ amount, due }),
    fromDict: (dict: { amount: bigint; due: Date }) => new Money(dict.amount, dict.due),
  };
  let unregister = () => {};
  afterEach(() => unregister());

  it('round-trip', () => {
    unregister = registerClass(codec);
    const value = { price: new Money(5n, new Date(0)), list: [new Money(1n, new Date(1))] };
    deepStrictEqual(roundTrip(value), value);
  });

  it('do not cover subclasses', () => {
    unregister = registerClass(codec);
    expect(pathOf({ price: new Euro(1n, new Date()) })).toBe('price');
  });

  it('are named when the reader lacks them, and when fromDict fails', () => {
    unregister = registerClass(codec);
    const text = encode([new Money(5n, new Date(0))]);
    unregister();
    expect(() => decode(text)).toThrow(/class "Money" is not registered/);
    expect(thrownBy(() => decode(text))).toMatchObject({
      code: 'NOT_SERIALISABLE',
      data: { class: 'Money' },
    });
    unregister = registerClass({
      ...codec,
      fromDict: () => {
        throw new Error('changed');
      },
    });
    expect(thrownBy(() => decode(text))).toMatchObject({
      code: 'NOT_SERIALISABLE',
      cause: { message: 'changed' },
    });
  });

  it('name the path inside what toDict answers, and toDict itself when it throws', () => {
    unregister = registerClass({ ...codec, toDict: () => ({ rate: [() => 1] }) });
    expect(pathOf({ price: new Money(1n, new Date()) })).toBe('price.rate[0]');
    unregister();
    unregister = registerClass({
      ...codec,
      toDict: () => {
        throw new Error('closed');
      },
    });
    expect(thrownBy(() => encode({ price: new Money(1n, new Date()) }))).toMatchObject({
      data: { path: 'price', reason: 'threw' },
      cause: { message: 'closed' },
    });
  });

  it('have one name each', () => {
    unregister = registerClass(codec);
    expect(thrownBy(() => registerClass({ ...codec, class: Euro }))).toMatchObject({ code: 'USAGE' });
    expect(thrownBy(() => registerClass({ ...codec, name: 'Cash' }))).toMatchObject({ code: 'USAGE' });
    expect(thrownBy(() => registerClass({ ...codec, name: '' }))).toMatchObject({ code: 'USAGE' });
    expect(thrownBy(() => registerClass({ ...codec, class: Object as never }))).toMatchObject({
      code: 'USAGE',
    });
  });
});

describe('refused, with the path', () => {
  class Client {
    socket = 1;
    toJSON() {
      return {};
    }
  }
  const cyclic: { a: { b: unknown[] } } = { a: { b: [1] } };
  cyclic.a.b.push(cyclic.a);
  const selfish = new Map<string, unknown>();
  selfish.set('me', { again: selfish });
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const sparse = [1, 2, 3];
  delete sparse[1];
  const sparseAndNamed = Object.assign([1, 2, 3], { extra: 1 });
  delete sparseAndNamed[1];

  it.each<[string, string, unknown]>([
    ['function', '', () => {}],
    ['function', 'items[3].fn', { items: [0, 1, 2, { fn() {} }] }],
    ['function', 'toJSON', { toJSON: () => 1 }],
    ['symbol', 'map<key>.x', { map: new Map([['key', { x: Symbol('s') }]]) }],
    ['symbol', 'map<"two words">', { map: new Map([['two words', Symbol('s')]]) }],
    ['symbol', 'map<7>', { map: new Map([[7, Symbol('s')]]) }],
    [
      'function',
      'map<key #1>.f',
      {
        map: new Map<unknown, unknown>([
          [1, 1],
          [{ f() {} }, 2],
        ]),
      },
    ],
    ['function', 'map<#0>', { map: new Map([[{}, () => {}]]) }],
    ['symbol', 'set<#1>', { set: new Set<unknown>([1, Symbol('s')]) }],
    ['instance', 'state.client.socket', { state: { client: { socket: new Socket() } } }],
    ['instance', 'client', { client: new Client() }],
    ['instance', '', Readable.from([])],
    ['instance', 'a["b c"]["d.e"]', { a: { 'b c': { 'd.e': new EventEmitter() } } }],
    ['instance', 'w', { w: new WeakMap() }],
    ['instance', 's', { s: new SharedArrayBuffer(1) }],
    ['instance', 'n', { n: Object(1) }],
    ['instance', 'list', { list: new (class List extends Array {})() }],
    ['instance', 'odd', { odd: Object.create({ inherited: 1 }) }],
    ['promise', 'p', { p: Promise.resolve(1) }],
    ['cycle', 'a.b[1]', cyclic],
    ['cycle', 'm<me>.again', { m: selfish }],
    ['hole', 'list[1]', { list: sparse }],
    ['hole', 'list[1]', { list: sparseAndNamed }],
    ['named_property', 'match', { match: /a/.exec('a') }],
    ['named_property', 'd', { d: Object.assign(new Date(0), { zone: 'x' }) }],
    ['symbol_key', 'o', { o: { [Symbol('s')]: 1 } }],
    ['unstable', 'r', { r: Object.defineProperty(/a/, 'lastIndex', { value: -1 }) }],
    ['invalid_date', 'when[0]', { when: [new Date(Number.NaN)] }],
    ['too_many_digits', 'n', { n: 10n ** 100_000n }],
    [
      'threw',
      'o.bad',
      {
        o: {
          get bad() {
            throw new Error('no');
          },
        },
      },
    ],
    ['threw', 'p', { p: revoked.proxy }],
    ['threw', 'p', { p: new Proxy({}, { ownKeys: () => [1] as never }) }],
    ['threw', 'fake', { fake: Object.create(Date.prototype) }],
    ['threw', 'fake', { fake: Object.create(Map.prototype) }],
  ])('%s at %j', (reason, path, value) => {
    const error = thrownBy(() => encode(value));
    expect(error).toBeInstanceOf(NotSerialisableError);
    expect(error).toMatchObject({ code: 'NOT_SERIALISABLE', data: { reason, path } });
    expect((error as VibeError).message).toContain(`Cannot store ${path || 'the value itself'}: `);
    expect((error as VibeError).hint).not.toBe('');
  });

  it('a cycle says where it points back to', () => {
    expect(() => encode(cyclic)).toThrow('Cannot store a.b[1]: it contains itself (a).');
    const self: Record<string, unknown> = {};
    self.self = self;
    expect(() => encode(self)).toThrow('(the value itself)');
    const error = new Error('x');
    error.cause = error;
    expect(() => encode([error])).toThrow('Cannot store [0].cause: it contains itself ([0]).');
  });

  it('depth has a limit, the same for both directions', () => {
    const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    const deepest = encode(nested(MAX_DEPTH));
    deepStrictEqual(decode(deepest), nested(MAX_DEPTH));
    expect(thrownBy(() => encode(nested(MAX_DEPTH + 1)))).toMatchObject({ data: { reason: 'too_deep' } });
    expect(thrownBy(() => decode(`[${deepest}]`))).toBeInstanceOf(CorruptError);
    expect(thrownBy(() => decode('{"a":'.repeat(100_000) + 1 + '}'.repeat(100_000)))).toBeInstanceOf(
      CorruptError,
    );
  });

  it('a small value that refers to itself over and over has a limit too', () => {
    let value: unknown = 'x'.repeat(1024 * 1024);
    for (let level = 0; level < 40; level += 1) value = [value, value];
    expect(thrownBy(() => encode({ value }))).toMatchObject({ data: { reason: 'too_large' } });
  });
});

describe('damaged text', () => {
  it.each([
    '',
    'x',
    '{"a":1',
    '{"$ve":1}',
    '{"$ve":"nothing"}',
    '{"$ve":"undefined","v":1}',
    '{"$ve":"object"}',
    '{"$ve":"object","v":{"a":1}}',
    '{"$ve":"date","v":"yesterday"}',
    '{"$ve":"date","v":"2026-01-02"}',
    '{"$ve":"date","v":["2026-01-02T00:00:00.000Z"]}',
    '{"$ve":"date","v":"2026-01-02T00:00:00.000Z","w":1}',
    '{"$ve":"number","v":"1"}',
    '{"$ve":"bigint","v":"0x10"}',
    '{"$ve":"bigint","v":""}',
    `{"$ve":"bigint","v":"${'9'.repeat(100_001)}"}`,
    '{"$ve":"map","v":[[1]]}',
    '{"$ve":"map","v":{}}',
    '{"$ve":"set"}',
    '{"$ve":"regexp","v":"/(/"}',
    '{"$ve":"regexp","v":"a"}',
    '{"$ve":"url","v":"not a url"}',
    '{"$ve":"Uint8Array","v":"A"}',
    '{"$ve":"Uint16Array","v":"AQ=="}',
    '{"$ve":"error"}',
    '{"$ve":"error","v":{}}',
    '{"$ve":"error","v":{"message":"m","type":"Function"}}',
    '{"$ve":"error","v":{"message":"m","type":"toString"}}',
    '{"$ve":"error","v":{"message":"m","extra":"e"}}',
    '{"$ve":"error","v":{"message":"m"},"hidden":{"message":1}}',
    '{"$ve":"error","v":{"message":"m"},"own":{"$ve":"map","v":[]}}',
    '{"$ve":"error","v":{"message":"m","type":"StaleWriteError"}}',
    '{"$ve":"class","v":1}',
    '{"$ve":"class","name":"X"}',
  ])('%s', (text) => {
    expect(thrownBy(() => decode(text))).toBeInstanceOf(CorruptError);
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

function pathOf(value: unknown): unknown {
  return (thrownBy(() => encode(value)) as VibeError).data.path;
}
