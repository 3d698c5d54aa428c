/** Files of a store that are gone are noticed, although mostly only their directory is looked at. */
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchFiles } from '../../../src/storage/sqlite/files-there.ts';
import { setIoHook } from '../../../src/system/io.ts';
import { tempDirs } from '../../support/temp.ts';

const tempDir = tempDirs();

let looks: string[] = [];
beforeEach(() => {
  looks = [];
  setIoHook(({ op, path }) => {
    if (op === 'stat') looks.push(path);
    return undefined;
  });
});
afterEach(() => {
  setIoHook(undefined);
  vi.useRealTimers();
});

/** A database whose directory has been as it is for a while. */
function settled() {
  const directory = join(tempDir(), 'store');
  mkdirSync(directory);
  const path = join(directory, 'data.db');
  for (const file of [path, `${path}-wal`]) writeFileSync(file, '');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 });
  const { assertThere } = watchFiles(path);
  assertThere();
  looks = [];
  return { directory, path, assertThere };
}

it('the log is not looked at while its directory stays as it is', () => {
  const { directory, assertThere } = settled();
  assertThere();
  assertThere();
  expect(looks).toEqual([directory, directory]);
});

it('it is looked at from time to time, also if the clock was set back', () => {
  const { directory, path, assertThere } = settled();
  for (const ms of [1500, -5000]) {
    vi.setSystemTime(Date.now() + ms);
    looks = [];
    assertThere();
    expect(looks).toEqual([directory, path, `${path}-wal`]);
  }
});

it('it is looked at while its directory has changed only now', () => {
  const { directory, path, assertThere } = settled();
  writeFileSync(join(directory, 'other'), '');
  vi.setSystemTime(statSync(directory).ctimeMs + 20);
  assertThere();
  assertThere();
  expect(looks.filter((file) => file === `${path}-wal`)).toHaveLength(2);
});

const LOSSES: Record<string, (directory: string, path: string) => void> = {
  'the log removed': (_, path) => rmSync(`${path}-wal`),
  'the database removed': (_, path) => rmSync(path),
  'the log replaced': (_, path) => {
    writeFileSync(`${path}-new`, '');
    renameSync(`${path}-new`, `${path}-wal`);
  },
  'the directory removed': (directory) => rmSync(directory, { recursive: true }),
  'the directory moved away': (directory) => renameSync(directory, `${directory}-old`),
  'the directory replaced by a copy': (directory, path) => {
    renameSync(directory, `${directory}-old`);
    mkdirSync(directory);
    for (const file of [path, `${path}-wal`]) writeFileSync(file, '');
  },
};

it.each(Object.entries(LOSSES))('%s is noticed', (_, lose) => {
  const { directory, path, assertThere } = settled();
  lose(directory, path);
  expect(assertThere).toThrow(expect.objectContaining({ code: 'STORE_GONE' }));
});
