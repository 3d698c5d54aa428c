/** The files that a run writes: its numbers, and the page. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Results } from '../results.ts';
import { pageOf } from './page.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const NUMBERS = join(ROOT, 'bench', 'peers', 'results.json');
const PAGE = join(ROOT, 'docs', 'benchmarks.md');

/** The text that each file has to have, by its path. */
export function documentsOf(results: Results): ReadonlyMap<string, string> {
  return new Map([[PAGE, pageOf(results)]]);
}

export function readResults(): Results {
  return JSON.parse(readFileSync(NUMBERS, 'utf8')) as Results;
}

/** The paths that were written, from the root. */
export function writeDocuments(results: Results): string[] {
  const numbers = JSON.stringify(results, (_, value) => value, 1).replaceAll(
    /\[\s+([-\d.,\s]+?)\s+\]/g,
    (_, list: string) => `[${list.replaceAll(/\s+/g, ' ')}]`,
  );
  const all = [[NUMBERS, `${numbers}\n`] as const, ...documentsOf(results)];
  for (const [path, text] of all) writeFileSync(path, text);
  return all.map(([path]) => relative(ROOT, path));
}
