/** Ignore files come with a project, from anybody: no pattern in one makes a snapshot take for ever. */
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matches, type Part } from '../../src/workspace/rules/glob.ts';

const SOURCE = new URL('../../src/workspace/rules/gitignore.ts', import.meta.url).href;

/** In a thread that can be ended, since nothing else ends a regular expression: far longer than any machine needs. */
const FOR_EVER_MS = 60_000;

function decideElsewhere(pattern: string, path: string): Promise<unknown> {
  const code = `const { parentPort, workerData } = require('node:worker_threads');
    import(${JSON.stringify(SOURCE)}).then(({ parseIgnoreFile }) =>
      parentPort.postMessage(parseIgnoreFile(workerData.pattern).decide(workerData.path, false)));`;
  const worker = new Worker(code, { eval: true, workerData: { pattern, path } });
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => resolve('for ever'), FOR_EVER_MS);
    worker.once('message', resolve).once('error', reject);
    worker.once('exit', () => clearTimeout(late));
  }).finally(() => worker.terminate());
}

const A = 'a'.repeat(250);
const DEEP = `${'a/'.repeat(2000)}b`;

test.each([
  ['stars between letters', `${'*a'.repeat(40)}b`, A],
  ['stars and question marks', `${'*?'.repeat(60)}b`, A],
  ['directories', `${'**/a/'.repeat(12)}x`, DEEP],
  ['stars and directories', `${'**/*a*/'.repeat(10)}x`, DEEP],
  ['classes', `${'*[ab]'.repeat(40)}c`, A],
  ['many stars in a row', `${'*'.repeat(100_000)}b`, A],
  ['a pattern longer than any path', 'a*'.repeat(300_000), A],
])('%s', { timeout: 2 * FOR_EVER_MS }, async (_name, pattern, path) => {
  expect(await decideElsewhere(pattern, path)).toBeNull();
});

const part = fc.constantFrom<[Part, string]>(
  [{ kind: 'one', passes: (char) => char === 'a' }, 'a'],
  [{ kind: 'one', passes: (char) => char === '/' }, '/'],
  [{ kind: 'one', passes: (char) => char !== '/' }, '[^/]'],
  [{ kind: 'many', slashes: false }, '[^/]*'],
  [{ kind: 'many', slashes: true }, '.*'],
  [{ kind: 'directories' }, '(?:.*/)?'],
);

test('it matches what the regular expression of the same parts does', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 8 });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), text, (parts, given) => {
      const expression = new RegExp(`^${parts.map(([, source]) => source).join('')}$`, 's');
      const glob = parts.map(([one]) => one);
      expect(matches(glob, given)).toBe(expression.test(given));
    }),
    { numRuns: 5_000 },
  );
});
