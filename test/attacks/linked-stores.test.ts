/** A clone whose `.vibe-engine` is a link: what it leads to is another project's, or the person's own. */
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEngine } from '../../src/engine/engine.ts';
import { defineTask } from '../../src/index.ts';
import { cli } from '../cli/cli.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

/** Another project, with a task of its own. */
async function other(): Promise<string> {
  const dir = tempDir();
  const engine = await openEngine({ project_dir: dir });
  await engine.run(
    defineTask('private', async () => 1),
    undefined,
  );
  await engine.close();
  return dir;
}

test.each([['tasks'], ['doctor', '--repair'], ['clean', '--yes'], ['config'], ['exec', '--', 'true']])(
  'is not followed: %s',
  async (...words) => {
    const theirs = await other();
    const clone = tempDir();
    symlinkSync(join(theirs, '.vibe-engine'), join(clone, '.vibe-engine'));
    const before = readdirSync(theirs, { recursive: true }).sort();
    const { exit, out, err } = await cli(clone, words);
    expect(exit).not.toBe(0);
    expect(err).toContain('STORE_UNSAFE');
    expect(err).toContain(join(theirs, '.vibe-engine'));
    expect(out).not.toContain('private');
    expect(readdirSync(theirs, { recursive: true }).sort()).toEqual(before);
  },
);

test('one that leads nowhere makes nothing there', async () => {
  const [elsewhere, clone] = [tempDir(), tempDir()];
  symlinkSync(join(elsewhere, 'new'), join(clone, '.vibe-engine'));
  expect((await cli(clone, ['exec', '--', 'true'])).err).toContain('STORE_UNSAFE');
  await expect(openEngine({ project_dir: clone })).rejects.toMatchObject({ code: 'STORE_UNSAFE' });
  expect(readdirSync(elsewhere)).toEqual([]);
});

test('is followed once that very place is trusted', async () => {
  const theirs = await other();
  const clone = tempDir();
  symlinkSync(join(theirs, '.vibe-engine'), join(clone, '.vibe-engine'));
  const asked = await cli(clone, ['trust']);
  expect(asked.out).toContain(join(theirs, '.vibe-engine'));
  expect(asked.exit).not.toBe(0);
  expect((await cli(clone, ['tasks'])).out).not.toContain('private');
  expect((await cli(clone, ['trust', '--yes'])).exit).toBe(0);
  expect((await cli(clone, ['tasks'])).out).toContain('private');
});

test('within the project it is followed', async () => {
  const dir = tempDir();
  cpSync(await other(), join(dir, 'data'), { recursive: true });
  mkdirSync(join(dir, 'src'));
  writeFileSync(join(dir, 'src', 'a.txt'), '');
  symlinkSync(join('data', '.vibe-engine'), join(dir, '.vibe-engine'));
  expect((await cli(dir, ['tasks'])).out).toContain('private');
});
