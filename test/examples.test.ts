/** Runs the examples of the papers as they stand, those of one paper one after the other in one folder. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asProgram, examplesIn } from './house/examples.ts';
import { ROOT } from './house/sources.ts';

const PAPERS = [
  'README.md',
  'docs/storage.md',
  'docs/config.md',
  'docs/checkpoints.md',
  'docs/tasks.md',
  'docs/recovery.md',
  'docs/workspace.md',
  'docs/conflicts.md',
  'docs/drift.md',
  'docs/cli.md',
  'docs/security.md',
];
const PACKAGE = pathToFileURL(join(ROOT, 'dist/index.js')).href;

describe.each(PAPERS)('%s', (file) => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 've-examples-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const examples = examplesIn(file);
  test('has examples', () => expect(examples.length).toBeGreaterThan(0));

  test.each(examples)('$name', async (example) => {
    const program = join(folder, `example-${examples.indexOf(example)}.ts`);
    writeFileSync(program, asProgram(example, PACKAGE));
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE, HOME: folder };
    await promisify(execFile)(process.execPath, [program], { cwd: folder, env });
  });
});
