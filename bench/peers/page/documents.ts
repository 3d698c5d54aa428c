/** The files that a run writes: its numbers, the page, and the table in the README. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Results } from '../results.ts';
import { pageOf } from './page.ts';
import { readmeTable } from './readme.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const NUMBERS = join(ROOT, 'bench', 'peers', 'results.json');
const PAGE = join(ROOT, 'docs', 'benchmarks.md');
const README = join(ROOT, 'README.md');

const BEGIN = '<!-- made by npm run bench:peers, from docs/benchmarks.md -->';
const END = '<!-- end -->';

/** The text that each file has to have, by its path. */
export function documentsOf(results: Results): ReadonlyMap<string, string> {
  return new Map([
    [PAGE, pageOf(results)],
    [README, withTable(readFileSync(README, 'utf8'), readmeTable(results))],
  ]);
}

export function readResults(): Results {
  return JSON.parse(readFileSync(NUMBERS, 'utf8')) as Results;
}

/** The paths that were written, from the root. */
export function writeDocuments(results: Results): string[] {
  const all = [[NUMBERS, numbersOf(results)] as const, ...documentsOf(results)];
  for (const [path, text] of all) writeFileSync(path, text);
  return all.map(([path]) => relative(ROOT, path));
}

/** The samples of a row on one line. */
function numbersOf(results: Results): string {
  const text = JSON.stringify(results, null, 2);
  return `${text.replaceAll(/\[[-\d.,\s]+\]/g, (list) => list.replaceAll(/\s+/g, ' '))}\n`;
}

function withTable(readme: string, table: string): string {
  const from = readme.indexOf(BEGIN);
  const to = readme.indexOf(END, from);
  if (from === -1 || to === -1) throw new Error(`README.md has no "${BEGIN}" … "${END}".`);
  return `${readme.slice(0, from)}${BEGIN}\n\n${table}\n\n${readme.slice(to)}`;
}
