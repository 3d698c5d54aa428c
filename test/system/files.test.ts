import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  ensureDir,
  placeFiles,
  readIfExists,
  removeTree,
  replaceFile,
  writeAll,
} from '../../src/system/files.ts';
import * as io from '../../src/system/io.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
afterEach(() => io.setIoHook(undefined));

function callsOf(run: () => void): string[] {
  const calls: string[] = [];
  io.setIoHook(({ op }) => {
    calls.push(op);
    return undefined;
  });
  run();
  io.setIoHook(undefined);
  return calls;
}

describe('replaceFile', () => {
  it('syncs the file before its name and the directory after it', () => {
    const dir = tempDir();
    const calls = callsOf(() => replaceFile(join(dir, 'a'), Buffer.from('new')));
    expect(calls).toEqual(['open', 'write', 'fsync', 'rename', 'open', 'fsync']);
    expect(readFileSync(join(dir, 'a'), 'utf8')).toBe('new');
    expect(statSync(join(dir, 'a')).mode & 0o777).toBe(0o600);
  });

  it('leaves the old file and no other when any call fails', () => {
    const dir = tempDir();
    const path = join(dir, 'a');
    writeFileSync(path, 'old');
    for (const op of ['open', 'write', 'fsync', 'rename'] as const) {
      io.setIoHook((call) => (call.op === op ? { errno: 'EIO' } : undefined));
      // By its own name, which is the same each time.
      expect(() => replaceFile(path, Buffer.from('new'))).toThrowError(`${path} (EIO)`);
      io.setIoHook(undefined);
      expect(readFileSync(path, 'utf8')).toBe('old');
      expect(readdirSync(dir)).toEqual(['a']);
    }
  });
});

it('names the file that could not be placed among several', async () => {
  const dir = tempDir();
  const files = ['a', 'b'].map((name) => ({ path: join(dir, name), bytes: Buffer.from(name) }));
  for (const op of ['open', 'write', 'fsync', 'rename'] as const) {
    io.setIoHook((call) =>
      call.op === op && /\W\.?b(?:\.|$)/.test(call.path.slice(dir.length)) ? { errno: 'EIO' } : undefined,
    );
    await expect(placeFiles(files)).rejects.toMatchObject({ data: { op, path: join(dir, 'b') } });
    io.setIoHook(undefined);
    expect(readdirSync(dir).filter((name) => name !== 'a')).toEqual([]);
  }
});

describe('writeAll', () => {
  it('goes on after short writes', () => {
    const path = join(tempDir(), 'a');
    io.setIoHook(({ op }) => (op === 'write' ? { short: 3 } : undefined));
    const file = io.open(path, 'wx');
    writeAll(file, Buffer.from('0123456789'));
    io.close(file);
    expect(readFileSync(path, 'utf8')).toBe('0123456789');
  });

  it('does not go on for ever when nothing is written', () => {
    io.setIoHook(({ op }) => (op === 'write' ? { short: 0 } : undefined));
    const file = io.open(join(tempDir(), 'a'), 'wx');
    expect(() => writeAll(file, Buffer.from('x'))).toThrowError(
      expect.objectContaining({ code: 'IO_FAILED' }),
    );
    io.close(file);
  });
});

describe('directories', () => {
  it('are made for their owner only, each synced into its parent', () => {
    const dir = tempDir();
    const calls = callsOf(() => ensureDir(join(dir, 'a/b')));
    expect(calls.filter((op) => op === 'fsync')).toHaveLength(2);
    expect(statSync(join(dir, 'a/b')).mode & 0o777).toBe(0o700);
  });

  it('are removed without following links', () => {
    const dir = tempDir();
    mkdirSync(join(dir, 'kept'));
    writeFileSync(join(dir, 'kept/file'), 'x');
    mkdirSync(join(dir, 'gone/deep'), { recursive: true });
    symlinkSync(join(dir, 'kept'), join(dir, 'gone/deep/link'));
    removeTree(join(dir, 'gone'));
    expect(readdirSync(dir)).toEqual(['kept']);
    expect(readFileSync(join(dir, 'kept/file'), 'utf8')).toBe('x');
  });
});

describe('errors', () => {
  it('say what to do: no room, no permission, anything else', () => {
    for (const [errno, code] of [
      ['ENOSPC', 'DISK_FULL'],
      ['EACCES', 'NO_PERMISSION'],
      ['EIO', 'IO_FAILED'],
    ] as const) {
      io.setIoHook(() => ({ errno }));
      expect(() => readIfExists('/x')).toThrowError(
        expect.objectContaining({ code, hint: expect.any(String) }),
      );
    }
  });

  it('an absent file is null', () => {
    expect(readIfExists(join(tempDir(), 'none'))).toBeNull();
  });
});
