/** Runs the examples of the papers as they stand, those of one paper one after the other in one folder. */
import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { asProgram, examplesIn } from './house/examples.ts';
import { ROOT } from './house/sources.ts';
import { FULL, unlessFull } from './support/full.ts';

const PAPERS = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT }).sort()].filter(
  (page) => examplesIn(page).length > 0,
);
const PACKAGE = pathToFileURL(join(ROOT, 'dist/index.js')).href;

describe.each(PAPERS)('%s', (file) => {
  let folder: string;
  const examples = examplesIn(file);
  const programOf = (example: (typeof examples)[number]) => `example-${examples.indexOf(example)}.ts`;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 've-examples-'));
    for (const example of examples)
      writeFileSync(join(folder, programOf(example)), asProgram(example, PACKAGE));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = (program: string) => {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE, HOME: folder };
    return promisify(execFile)(process.execPath, [join(folder, program)], { cwd: folder, env });
  };
  // In full each is a program of its own.
  test.each(unlessFull([], examples))('$name', async (example) => {
    await run(programOf(example));
  });
  if (FULL) return;
  test('they run, one after the other', async () => {
    const all = examples.map((example) => `await import('./${programOf(example)}');\n`);
    writeFileSync(join(folder, 'all.ts'), all.join(''));
    await run('all.ts');
  });
});
