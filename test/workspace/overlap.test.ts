import { matchesGlob } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPattern, meansAll, overlap } from '../../src/workspace/reservations/overlap.ts';

test.each([
  ['src/a.ts', 'src/a.ts', true],
  ['src/a.ts', 'src/b.ts', false],
  ['src', 'src/deep/a.ts', true],
  ['src', 'srcs/a.ts', false],
  ['src/*.ts', 'src/a.ts', true],
  ['src/*.ts', 'src/*.md', false],
  ['src/a*.ts', 'src/*b.ts', true],
  ['src/*.ts', 'src/deep/a.ts', false],
  ['src/**/*.ts', 'src/a.ts', true],
  ['src/**/*.ts', 'src/x/y/a.ts', true],
  ['src/**', 'test/**', false],
  ['**/package.json', 'apps/web/package.json', true],
  ['**/a/**', 'x/a', true],
  ['{src,test}/*.ts', 'test/a.ts', true],
  ['{src,test}/*.ts', 'docs/a.ts', false],
  ['src/?.ts', 'src/ab.ts', false],
  ['src/[ab].ts', 'src/a.ts', true],
  ['app/[id]/page.tsx', 'app/[id]/page.tsx', true],
  ['', 'anything', true],
])('%s and %s: %s', (one, other, expected) => {
  expect(overlap(one, other)).toBe(expected);
  expect(overlap(other, one)).toBe(expected);
});

test.each([
  ['', true],
  ['**', true],
  ['*', true],
  ['**/*', true],
  ['{src,?*}', true],
  ['x'.repeat(5_000), true],
  ['a*', false],
  ['?', false],
  ['**/*.ts', false],
  ['src', false],
])('whether %s means every file: %s', (pattern, expected) => {
  expect(meansAll(pattern)).toBe(expected);
});

test('what a glob matches overlaps with it', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '.'), minLength: 1, maxLength: 4 });
  const glob = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*', '?'), minLength: 1, maxLength: 4 });
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
  const pattern = fc
    .array(fc.oneof(glob, name, fc.constant('**')), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join('/'));
  fc.assert(
    fc.property(path, pattern, (file, glob) => {
      fc.pre(isPattern(glob) && !file.split('/').some((part) => part.startsWith('.')));
      fc.pre(!glob.split('/').some((part) => part === '.' || part === '..'));
      if (matchesGlob(file, glob)) expect(overlap(file, glob)).toBe(true);
    }),
    { numRuns: 3000 },
  );
});

test('two globs that match one file overlap', () => {
  const glob = fc
    .array(fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 3,
    })
    .map((parts) => parts.join('/'));
  const file = fc
    .array(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 3,
    })
    .map((parts) => parts.join('/'));
  fc.assert(
    fc.property(glob, glob, file, (one, other, path) => {
      if (matchesGlob(path, one) && matchesGlob(path, other)) expect(overlap(one, other)).toBe(true);
    }),
    { numRuns: 5000 },
  );
});

/** Each pair of braces doubles what there is to compare: in doubt two patterns overlap, and nobody waits for the answer. */
test.each([
  ['{a,b}'.repeat(200), 'zzz'],
  ['{a,b}/'.repeat(600), '{c,d}/'.repeat(600)],
  ['{'.repeat(2_000), 'a'],
  ['**/'.repeat(1_300), `${'**/'.repeat(1_300)}x`],
  ['a/'.repeat(100_000), 'a/'.repeat(100_000)],
])('a pattern that is made to take for ever is answered (%#)', (one, other) => {
  expect(typeof overlap(one, other)).toBe('boolean');
});

test('more alternatives than are compared still mean what begins alike', () => {
  const many = `src/${'{a,b}'.repeat(10)}.ts`;
  expect(overlap(many, 'src/abababababa.ts')).toBe(true);
  expect(overlap(many, 'test/a.ts')).toBe(false);
});
