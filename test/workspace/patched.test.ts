import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Patched } from '../../src/workspace/tree/patched.ts';

const change = fc.record({
  key: fc.constantFrom(...'abcdefgh'),
  value: fc.option(fc.nat(), { nil: undefined }),
  again: fc.boolean(),
});

test('it is what a copy with the same changes is, and leaves what it is like as it was', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...'abcdef'), fc.nat()), fc.array(change), (first, changes) => {
      const base = new Map(Object.entries(first));
      const before = new Map(base);
      const plain = new Map(base);
      let patched = new Patched(base);
      for (const { key, value, again } of changes) {
        const like = patched;
        const was = [...like].sort();
        if (again) patched = new Patched(like);
        if (value === undefined) patched.delete(key);
        else patched.set(key, value);
        if (value === undefined) plain.delete(key);
        else plain.set(key, value);
        if (again) expect([...like].sort()).toEqual(was);
        expect(patched.size).toBe(plain.size);
        expect([...patched].sort()).toEqual([...plain].sort());
        expect([...patched.keys()].sort()).toEqual([...plain.keys()].sort());
        expect([...patched.values()].sort()).toEqual([...plain.values()].sort());
        for (const name of 'abcdefgh')
          expect([patched.get(name), patched.has(name)]).toEqual([plain.get(name), plain.has(name)]);
      }
      expect(base).toEqual(before);
    }),
  );
});

test('two that share what they are like tell by which keys they can differ', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...'abcdef'), fc.nat()), fc.array(change), (first, changes) => {
      const base = new Map(Object.entries(first));
      const all: ReadonlyMap<string, number>[] = [base];
      let newest = new Patched(base);
      for (const { key, value, again } of changes) {
        if (again) newest = new Patched(newest);
        if (again) all.push(newest);
        if (value === undefined) newest.delete(key);
        else newest.set(key, value);
      }
      for (const a of all)
        for (const b of all) {
          const told = Patched.between(a, b);
          if (!told) continue;
          for (const key of 'abcdefgh') if (a.get(key) !== b.get(key)) expect(told.has(key)).toBe(true);
        }
      expect(Patched.between(base, new Map(base))).toBeUndefined();
      expect(Patched.between(base, new Patched(base))).toEqual(new Set());
    }),
  );
});
