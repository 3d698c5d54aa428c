/** `docs/benchmarks.md` and the table in the README say what `npm run bench:peers` measured last. `UPDATE_DOCS=1` rewrites them. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { documentsOf, readResults, writeDocuments } from '../../bench/peers/page/documents.ts';
import { TABLE_IDS } from '../../bench/peers/results.ts';
import { PEER_NAMES } from '../../bench/peers/versions.ts';
import { ROOT } from '../house/sources.ts';

const results = readResults();
if (process.env.UPDATE_DOCS === '1') writeDocuments(results);

describe('the figures of the last run', () => {
  test.each([...documentsOf(results)].map(([path, text]) => [relative(ROOT, path), path, text]))(
    'are those of %s',
    (_, path, text) => {
      expect(readFileSync(path, 'utf8')).toBe(text);
    },
  );

  test('are of every peer, or say why not', () => {
    const named = [...Object.keys(results.packages), ...Object.keys(results.absent)];
    expect(named.sort()).toEqual([...PEER_NAMES].sort());
  });

  test('fill every table, or say why not', () => {
    const missing = TABLE_IDS.filter((id) => !results.tables.some((table) => table.id === id));
    if (Object.keys(results.failed).length === 0)
      expect(missing.filter((id) => id !== 'merge-real')).toEqual([]);
    for (const { rows } of results.tables) {
      for (const { samples, failed } of rows) expect(samples.length > 0).toBe(failed === undefined);
    }
  });
});
