/** Every link between the pages leads to a file that is there, and to a heading that it has. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './house/sources.ts';

const PAGES = [...globSync('*.md', { cwd: ROOT }), ...globSync('{docs,examples}/**/*.md', { cwd: ROOT })];

test.each(PAGES)('the links of %s lead somewhere', (page) => {
  const text = prose(readFileSync(join(ROOT, page), 'utf8'));
  const broken = [...text.matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].filter(([, path, anchor]) => {
    const target = path ? join(ROOT, dirname(page), path) : join(ROOT, page);
    return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).has(anchor));
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

test('every page of docs/ is in its index', () => {
  const index = readFileSync(join(ROOT, 'docs/README.md'), 'utf8');
  const pages = globSync('**/*.md', { cwd: join(ROOT, 'docs') }).filter((page) => page !== 'README.md');
  expect(pages.filter((page) => !index.includes(`](${page})`))).toEqual([]);
});

const prose = (text: string) => text.replaceAll(/^```[\s\S]*?^```/gm, '');

/** The names under which a page's headings are reached. */
function anchorsOf(file: string): Set<string> {
  const headings = prose(readFileSync(file, 'utf8')).matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, title]) =>
      title!
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
