/** What `system/` does where Linux's ways are not to be had. */
import { chmodSync, mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { userConfigFile } from '../../src/config/layers.ts';
import { keyFromFile } from '../../src/storage/encrypted/providers.ts';
import { layoutOf } from '../../src/storage/json/layout.ts';
import { fileSystemOf } from '../../src/system/disk.ts';
import { openFiles, openToOthers } from '../../src/system/exposure.ts';
import { replaceFile } from '../../src/system/files.ts';
import { openInside } from '../../src/system/inside.ts';
import { type IoCall, setIoHook } from '../../src/system/io.ts';
import { PLATFORMS, platform, setPlatform } from '../../src/system/platform.ts';
import { isAlive, markOf, PROCESS_MARK, processLives } from '../../src/system/process/alive.ts';
import { processesWith } from '../../src/system/process/marked-processes.ts';
import { makeTempDir, sweepTempDirs } from '../../src/system/user/temp.ts';
import { userDir } from '../../src/system/user/user-dir.ts';
import { onLinux, onPlatform } from '../support/platform.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

test('a platform is put in the place of this one, and this one back', () => {
  const here = platform;
  setPlatform('win32');
  expect(platform).toBe(PLATFORMS.win32);
  setPlatform({ proc: false });
  expect(platform).toEqual({ ...here, proc: false });
  setPlatform();
  expect(platform).toEqual(here);
});

describe.runIf(onLinux)('without /proc', () => {
  onPlatform('other');

  test('no directory is entered by a link, nor is one swapped for a link later', () => {
    const root = tempDir();
    mkdirSync(join(root, 'a/b'), { recursive: true });
    symlinkSync(tempDir(), join(root, 'link'));
    const inside = openInside(root, 'a/b')!;
    expect(inside.at('f')).toBe(join(root, 'a/b/f'));
    expect(openInside(root, 'link')).toBeNull();
    expect(openInside(join(root, 'link'), '')).toBeNull();
    expect(openInside(root, 'none/such')).toBeNull();
    const made = openInside(root, 'a/new/er', () => 0o755)!;
    replaceFile(made.at('f'), Buffer.from('x'));
    expect(() => openInside(root, 'link/new', () => 0o755)).not.toThrow();
    renameSync(join(root, 'a'), join(root, 'moved'));
    symlinkSync('moved', join(root, 'a'));
    expect(() => inside.at('f')).toThrow(expect.objectContaining({ code: 'IO_FAILED' }));
  });

  test('names that came or went are put on the disk', () => {
    const root = tempDir();
    mkdirSync(join(root, 'a'));
    const inside = openInside(root, 'a')!;
    expect(callsOf(() => void inside.sync())).toContainEqual({ op: 'fsync', path: join(root, 'a') });
  });

  test('a process is known by its number alone, and none by its variables', () => {
    expect(processLives(PROCESS_MARK)).toBeNull();
    expect(markOf(process.pid)).toMatchObject({ pid: process.pid, began: null });
    expect(isAlive(markOf(process.pid))).toBe(true);
    expect(processesWith('PATH', new Set([process.env.PATH!]))).toEqual([]);
  });

  test('what others left in a directory for a while goes when it is old', () => {
    process.env.VIBE_ENGINE_STATE_DIR = tempDir();
    const [old, young] = [makeTempDir('ve-old-'), makeTempDir('ve-young-')];
    utimesSync(old, 1, 1);
    expect(callsOf(() => sweepTempDirs())).toContainEqual({ op: 'rmdir', path: old });
    expect(callsOf(() => sweepTempDirs())).not.toContainEqual({ op: 'rmdir', path: young });
    expect(makeTempDir('ve-x-', { memory: true })).toContain(process.env.VIBE_ENGINE_STATE_DIR);
  });

  test('a file system is told by its number', () => {
    expect(fileSystemOf(tempDir())).toEqual({ network: false, name: expect.stringMatching(/^type 0x/) });
  });
});

describe.runIf(onLinux)('on Windows', () => {
  onPlatform('win32');

  test('directories are not synced, since they cannot be opened', () => {
    const path = join(tempDir(), 'f');
    const calls = callsOf(() => replaceFile(path, Buffer.from('x')));
    expect(calls.filter(({ op }) => op === 'fsync')).toHaveLength(1);
  });

  test('modes say nothing', async () => {
    const dir = tempDir();
    const file = join(dir, 'key');
    writeFileSync(file, 'ab'.repeat(32));
    for (const path of [dir, file]) chmodSync(path, 0o777);
    expect(openToOthers(dir, { deep: true })).toEqual([]);
    expect(openFiles([file])).toEqual([]);
    expect(await keyFromFile(file).key({ store: '', salt: Buffer.alloc(0) })).toHaveLength(32);
  });

  test('files of a user are where Windows has them', () => {
    const [local, roaming] = [tempDir(), tempDir()];
    expect(userDir('trust', { LOCALAPPDATA: local })).toBe(join(local, 'vibe-engine', 'trust'));
    expect(userConfigFile({ env: { APPDATA: roaming }, home: homedir() })).toBe(
      join(roaming, 'vibe-engine', 'config.json'),
    );
  });

  test('no name in a store is one that Windows has not', () => {
    const { recordFile, keyOf } = layoutOf(join('/', 'store'), false);
    const names = { 'a:b': 'a%3Ab', 'q?': 'q%3F', con: '%63on', 'dot.': 'dot%2E', Case: '%43ase' };
    for (const [key, name] of Object.entries(names)) {
      expect(basename(recordFile('conversation', key))).toBe(`${name}.json`);
      expect(keyOf(`${name}.json`)).toBe(key);
    }
  });
});

function callsOf(run: () => void): IoCall[] {
  const calls: IoCall[] = [];
  setIoHook((call) => void calls.push(call));
  try {
    run();
  } finally {
    setIoHook(undefined);
  }
  return calls;
}
