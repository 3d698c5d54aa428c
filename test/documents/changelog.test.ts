/** The changelog says of every change what kind it is. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const KINDS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

test('each version has the kinds of changes that it has once, in their order', () => {
  const [, ...versions] = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
  for (const version of versions) {
    const kinds = [...version.matchAll(/^### (.*)$/gm)].map(([, kind]) => kind!);
    expect(kinds).toEqual(KINDS.filter((kind) => kinds.includes(kind)));
    expect(kinds.length).toBeGreaterThan(1);
  }
  expect(versions.length).toBeGreaterThan(0);
});
