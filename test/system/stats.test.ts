/** Whether many files are as a table says: on one thread, on two, and where the other thread cannot help. */
import { chmodSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openComparer } from '../../src/system/stats/compare.ts';
import { countParts, NOT_COMPARED, type StatTable, statTable } from '../../src/system/stats/table.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

function ground(directories: number, files: number): { root: string; paths: string[] } {
  const root = tempDir();
  const paths = Array.from({ length: directories }, (_, n) => `d${n} ü`);
  for (const path of paths) {
    mkdirSync(join(root, path));
    for (let n = 0; n < files; n++) writeFileSync(join(root, path, `f${n}`), `${n}`);
  }
  return { root, paths };
}

function tableOf(root: string, paths: readonly string[], files: number): StatTable {
  const lines = paths.map((path) => [path, ...Array.from({ length: files }, (_, n) => `f${n}`)]);
  const text = Buffer.from(lines.map((line) => line.join('\0')).join('\n'));
  const names = paths.length * files;
  return statTable(text.length, names, (listing, columns) => {
    listing.set(text);
    let row = 0;
    for (const [path, ...rest] of lines)
      for (const name of rest) {
        const { mtimeMs, ctimeMs, ino, size, mode } = lstatSync(join(root, path!, name));
        for (const [field, value] of [mtimeMs, ctimeMs, ino, size, mode].entries())
          columns[field * names + row] = value;
        row++;
      }
  });
}

test.each([
  ['few', 3, 4],
  ['many', 200, 60],
])(
  'of %s directories, those are named that have a changed, removed or closed file',
  async (_, dirs, files) => {
    const { root, paths } = ground(dirs, files);
    const table = tableOf(root, paths, files);
    const comparer = openComparer();
    for (let round = 0; round < 2; round++) expect(await comparer.differing(root, table)).toEqual(new Set());
    writeFileSync(join(root, paths[0]!, `f${files - 1}`), 'changed');
    rmSync(join(root, paths.at(-1)!, 'f0'));
    chmodSync(join(root, paths[1]!, 'f1'), 0o600);
    const changed = new Set([paths[0]!, paths[1]!, paths.at(-1)!]);
    for (let round = 0; round < 3; round++) expect(await comparer.differing(root, table)).toEqual(changed);
    comparer.close();
  },
);

test('what is not to be compared is passed over', async () => {
  const { root, paths } = ground(2, 2);
  const table = tableOf(root, paths, 2);
  table.columns[4 * 4] = NOT_COMPARED;
  writeFileSync(join(root, paths[0]!, 'f0'), 'changed');
  const comparer = openComparer();
  expect(await comparer.differing(root, table)).toEqual(new Set());
  comparer.close();
});

test('nothing is in an empty one', async () => {
  const table = statTable(0, 0, () => {});
  expect(countParts(table)).toBe(0);
  expect(await openComparer().differing(tempDir(), table)).toEqual(new Set());
});

test('what the other thread had taken when it was ended is looked at here', async () => {
  const { root, paths } = ground(200, 60);
  const table = tableOf(root, paths, 60);
  writeFileSync(join(root, paths[100]!, 'f0'), 'changed');
  for (let round = 0; round < 5; round++) {
    const comparer = openComparer();
    const answer = comparer.differing(root, table);
    setTimeout(comparer.close, round);
    expect(await answer).toEqual(new Set([paths[100]!]));
  }
});
