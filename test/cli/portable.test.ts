/** One task as one file, from the command line. */
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { exportVerb } from '../../src/verbs/care/export.ts';
import { importVerb } from '../../src/verbs/care/import.ts';
import { newRepository } from '../engine/file-world.ts';
import { onEachStore } from '../engine/stores.ts';
import { tempDirs } from '../support/temp.ts';
import { misfits } from '../verbs/shapes.ts';
import { ask, cli, quiet } from './cli.ts';
import { configure } from './world.ts';

const tempDir = tempDirs();

onEachStore((fresh) => {
  let dir: string;
  beforeEach(async () => {
    const store = await fresh();
    dir = store.dir;
    newRepository(dir, { 'a.txt': 'as it was\n' });
    configure(store);
    await quiet(dir, ['exec', '--name', 'edit', '--', 'sh', '-c', 'echo changed > a.txt; exit 3']);
  });

  test('a task is exported, imported into another project and taken back there', async () => {
    const data = await ask<{ task: string; file: string }>(dir, 'export', 'edit', 'sub/../edit.vibe-task');
    expect(misfits(data, exportVerb.data)).toEqual([]);
    expect(data.file).toBe(join(dir, 'edit.vibe-task'));
    const other = tempDir();
    newRepository(other, { 'a.txt': 'changed\n' });
    const imported = await ask<{ task: string }>(other, 'import', data.file);
    expect(misfits(imported, importVerb.data)).toEqual([]);
    expect(imported).toMatchObject({ task: data.task, status: 'failed' });
    expect(await ask(other, 'show', 'edit')).toMatchObject({ working_dir: other, task: { resumable: true } });
    expect((await cli(other, ['rollback', `${data.task.slice(-6)}-1`, '--yes'])).exit).toBe(0);
    expect(readFileSync(join(other, 'a.txt'), 'utf8')).toBe('as it was\n');
    const again = await cli(other, ['import', data.file]);
    expect([again.exit, again.err]).toEqual([1, expect.stringMatching(/^error STALE_WRITE: .*already/)]);
  });

  test('likely secrets are masked and withheld, until somebody asks for them', async () => {
    const token = `gh${'p_'}${'aB3d'.repeat(9)}`;
    await quiet(dir, ['exec', '--name', 'leak', '--', 'sh', '-c', `echo ${token} > notes.txt; exit 3`]);
    const unpacked = (file: string): string => {
      const lines = gunzipSync(readFileSync(join(dir, file))).toString();
      const blobs = [...lines.matchAll(/"base64":"([^"]*)"/g)].map(([, text]) =>
        Buffer.from(text!, 'base64'),
      );
      return [lines, ...blobs.map(String)].join();
    };
    const masked = await cli(dir, ['export', 'leak', 'masked']);
    expect(masked.out).toContain('1 likely secret is masked.');
    expect(masked.out).toContain('Left out, because it seems to contain a secret: notes.txt.');
    expect(masked.out).toContain('With --reveal');
    expect(unpacked('masked').includes(token)).toBe(false);
    const revealed = await cli(dir, ['export', 'leak', 'revealed', '--reveal']);
    expect(revealed.out).not.toContain('secret');
    expect(unpacked('revealed').includes(token)).toBe(true);
    const other = tempDir();
    await cli(other, ['import', join(dir, 'masked')]);
    const last = (
      await ask<{ checkpoints: { id: string }[] }>(other, 'checkpoints', 'list', 'leak')
    ).checkpoints.at(-1)!;
    const shown = await cli(other, ['files', last.id, '--show', 'notes.txt']);
    expect([shown.exit, shown.err]).toEqual([1, expect.stringContaining('it seems to contain a secret')]);
  });

  test('out of an encrypted store it goes in the open, which is said', async () => {
    const env = { VIBE_ENGINE_KEY: 'c0ffee'.padEnd(64, '0') };
    const sealed = tempDir();
    newRepository(sealed, { 'a.txt': 'a\n' });
    mkdirSync(join(sealed, '.vibe-engine'));
    writeFileSync(join(sealed, '.vibe-engine', 'config.json'), '{"encryption":{"enabled":true}}');
    expect((await quiet(sealed, ['exec', '--name', 'edit', '--', 'true'], env)).exit).toBe(0);
    const { exit, out } = await cli(sealed, ['export', 'edit', 'x.vibe-task'], env);
    expect([exit, out]).toEqual([0, expect.stringContaining('The store is encrypted, and this file is not')]);
    expect(statSync(join(sealed, 'x.vibe-task')).mode & 0o777).toBe(0o600);
  });

  test('where it works is said where that is outside the project', async () => {
    const file = join(dir, 'elsewhere.vibe-task');
    await ask(dir, 'export', 'edit', file);
    const [header, ...lines] = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n').slice(0, -1);
    const moved = { ...(JSON.parse(header!) as object), project_dir: '/nowhere' };
    const body = [JSON.stringify(moved), ...lines].map((line) => `${line}\n`).join('');
    const end = { t: 'end', lines: lines.length + 1, sha256: hash('sha256', body) };
    writeFileSync(file, gzipSync(`${body}${JSON.stringify(end)}\n`));
    const { out } = await cli(tempDir(), ['import', file]);
    expect(out).toContain(`\nIt works outside this project: ${dir}\n`);
  });

  test('what is said of it, and what is wrong', async () => {
    const { exit, out } = await cli(dir, ['export', 'edit']);
    expect(exit).toBe(0);
    const [, file] = /^Wrote the task to (.*\w{6}\.vibe-task): \d+ entries/.exec(out)!;
    expect(existsSync(file!)).toBe(true);
    const twice = await cli(dir, ['export', 'edit']);
    expect([twice.exit, twice.err]).toEqual([
      2,
      expect.stringMatching(/^error \w+: The file \S+ already exists/),
    ]);
    expect((await cli(dir, ['export', 'edit', '--replace'])).exit).toBe(0);
    const typo = await cli(dir, ['export', 'edti']);
    expect([typo.exit, typo.err]).toEqual([1, expect.stringContaining('Did you mean "edit"?')]);
    const other = tempDir();
    const taken = await cli(other, ['import', file!]);
    expect(taken.out).toMatch(
      /^Imported "edit" as \w{6}: .*\nWhen resumed, it runs: sh -c .*\nLook at it: .* show \w{6}\n$/,
    );
    const none = await cli(other, ['import', 'nowhere.vibe-task']);
    expect([none.exit, none.err]).toEqual([2, expect.stringContaining('There is no file')]);
    writeFileSync(join(other, 'wrong'), 'not one');
    const wrong = await cli(other, ['import', 'wrong']);
    expect([wrong.exit, wrong.err]).toEqual([
      1,
      expect.stringContaining('error CORRUPT: This is not an exported task'),
    ]);
  });
});
