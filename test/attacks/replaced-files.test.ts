/** `export --replace` replaces plain files only: no link, pipe, socket or directory. */
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEngine } from '../../src/engine/engine.ts';
import { defineTask, exportTask } from '../../src/index.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

test('anything else in its place is left as it is', async () => {
  const dir = tempDir();
  const engine = await openEngine({ project_dir: dir });
  await engine.run(
    defineTask('small', async () => 1),
    undefined,
    { task_id: 't-small' },
  );
  const at = (name: string): string => join(dir, name);
  writeFileSync(at('precious'), 'precious');
  symlinkSync('precious', at('link'));
  symlinkSync('nowhere', at('dangling'));
  execFileSync('mkfifo', [at('pipe')]);
  mkdirSync(at('directory'));
  for (const name of ['link', 'dangling', 'pipe', 'directory']) {
    const before = lstatSync(at(name)).ino;
    const exported = exportTask(engine, 't-small', at(name), { replace: true });
    await expect(exported, name).rejects.toMatchObject({ code: 'USAGE' });
    expect(lstatSync(at(name)).ino).toBe(before);
  }
  expect(readFileSync(at('precious'), 'utf8')).toBe('precious');
  await exportTask(engine, 't-small', at('precious'), { replace: true });
  expect(readFileSync(at('precious')).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
  await engine.close();
});
