/** The quick check accepts what is usual, and nothing that its schema would refuse or change. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { quickCheck } from '../../src/engine/api/quick-check.ts';

const schema = z.discriminatedUnion('t', [
  z.strictObject({
    t: z.literal('step'),
    id: z.string().min(1),
    at: z.iso.datetime(),
    index: z.int().min(0),
    ms: z.number(),
    percent: z.number().min(0).max(100).optional(),
    result: z.unknown(),
    tool: z.strictObject({ tool: z.string(), status: z.enum(['error', 'unknown']).optional() }).optional(),
    reads: z.array(z.string()).optional(),
  }),
  z.strictObject({ t: z.literal('skip'), note: z.string().nullable(), final: z.boolean() }),
  z.strictObject({ t: z.literal('error'), error: z.object({ name: z.string() }) }),
  z.strictObject({ t: z.literal('record'), data: z.record(z.string(), z.number()) }),
  z.strictObject({ t: z.literal('map'), data: z.map(z.string(), z.unknown()) }),
]);
const fits = quickCheck(schema);

const STEP = { t: 'step', id: 'a', at: '2026-11-18T00:52:02.123Z', index: 0, ms: 0.5, result: null };

test.each([
  STEP,
  { ...STEP, result: undefined, tool: undefined },
  { ...STEP, percent: 100, tool: { tool: '', status: 'error' }, reads: ['a', ''] },
  { ...STEP, at: '2026-12-31T23:59:59.999Z' },
  { t: 'skip', note: null, final: false },
  { t: 'error', error: { name: 'Error' } },
  { t: 'record', data: { a: 1, '': 2 } },
])('accepts %j', (value) => {
  expect(fits(value)).toBe(true);
  expect(schema.parse(value)).toEqual(value);
});

test.each([
  [null],
  ['step'],
  [[STEP]],
  [{}],
  [{ ...STEP, t: 'other' }],
  [{ ...STEP, more: 1 }],
  [{ ...STEP, id: '' }],
  [{ ...STEP, index: -1 }],
  [{ ...STEP, index: 0.5 }],
  [{ ...STEP, ms: Number.NaN }],
  [{ ...STEP, percent: 101 }],
  [{ ...STEP, at: '2026-02-30T00:00:00.000Z' }],
  [{ ...STEP, at: '2026-04-31T00:00:00.000Z' }],
  [{ ...STEP, at: '2026-11-18T24:00:00.000Z' }],
  [{ ...STEP, at: '2026-11-18' }],
  [{ ...STEP, tool: { tool: 'a', status: 'fine' } }],
  [{ ...STEP, tool: { tool: 'a', more: 1 } }],
  [{ ...STEP, reads: ['a', 1] }],
  [{ t: 'record', data: { a: '1' } }],
  [{ t: 'record', data: [] }],
  [{ t: 'step', id: 'a', at: STEP.at, index: 0, ms: 0 }],
])('does not accept %j, which the schema refuses', (value) => {
  expect(fits(value)).toBe(false);
  expect(schema.safeParse(value).success).toBe(false);
});

test('leaves to the schema what that changes, and what it does not know', () => {
  expect(fits({ t: 'error', error: { name: 'Error', more: 1 } })).toBe(false);
  expect(fits({ t: 'map', data: new Map() })).toBe(false);
  expect(fits(Object.create(STEP))).toBe(false);
  expect(fits({ ...STEP, at: '2028-02-29T00:00:00.000Z' })).toBe(false);
  expect(fits({ ...STEP, at: '2026-11-18T00:00:00Z' })).toBe(false);
});

test('never accepts what the schema does not', () => {
  const member = fc.oneof(
    fc.constantFrom(...Object.values(STEP), 'error', '2026-13-01T00:00:00.000Z'),
    fc.anything({ withBigInt: true, withDate: true }),
  );
  const changed = fc
    .tuple(fc.constantFrom(...Object.keys(STEP), 'tool', 'reads', 'percent', 'more'), member)
    .map(([key, value]) => ({ ...STEP, [key]: value }));
  fc.assert(
    fc.property(fc.oneof(changed, fc.anything()), (value) => {
      if (fits(value)) expect(schema.parse(value)).toEqual(value);
    }),
    { numRuns: 2000 },
  );
});
