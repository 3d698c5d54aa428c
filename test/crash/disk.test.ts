/** The modelled disk loses what a disk may lose, and nothing else. */
import { expect, test } from 'vitest';
import { crashStates } from './crash-states.ts';
import { Disk, type FileNode } from './disk.ts';
import { random } from './random.ts';
import { parseStrace, stringsIn } from './strace.ts';

function contents(disk: Disk): Set<string> {
  const states = crashStates(disk, 1000, random('test'));
  return new Set(
    states.map((state) =>
      [...state.content()].map(([path, content]) => `${path}=${content?.toString('latin1') ?? ''}`).join(' '),
    ),
  );
}

function fileWith(disk: Disk, name: string, text: string): FileNode {
  const file = disk.create([name], 'file') as FileNode;
  disk.change(file, { at: 0, bytes: Buffer.from(text) });
  return file;
}

test('a file that was written but not synced may be gone, empty, whole, or of the right length with zeros', () => {
  const disk = new Disk();
  fileWith(disk, 'a', 'hi');
  expect(contents(disk)).toEqual(new Set(['', 'a=', 'a=hi', 'a=\0\0']));
});

test('a synced file whose name was not synced is whole or gone', () => {
  const disk = new Disk();
  disk.beginSync(fileWith(disk, 'a', 'hi'))();
  expect(contents(disk)).toEqual(new Set(['', 'a=hi']));
});

test('after both syncs there is one state', () => {
  const disk = new Disk();
  disk.beginSync(fileWith(disk, 'a', 'hi'))();
  disk.beginSync(disk.root)();
  expect(contents(disk)).toEqual(new Set(['a=hi']));
});

test('a sync covers what was written before it began, not what came while it ran', () => {
  const disk = new Disk();
  const file = fileWith(disk, 'a', 'hi');
  disk.beginSync(disk.root)();
  const end = disk.beginSync(file);
  disk.change(file, { at: 2, bytes: Buffer.from('!') });
  end();
  expect(contents(disk)).toEqual(new Set(['a=hi', 'a=hi!', 'a=hi\0']));
});

test('overwritten bytes are the old or the new ones, never zeros', () => {
  const disk = new Disk();
  const file = fileWith(disk, 'a', 'old');
  disk.beginSync(file)();
  disk.beginSync(disk.root)();
  disk.change(file, { at: 0, bytes: Buffer.from('new') });
  expect(contents(disk)).toEqual(new Set(['a=old', 'a=new']));
});

test('a rename is atomic: the file has one of its names', () => {
  const disk = new Disk();
  disk.beginSync(fileWith(disk, 'a', 'hi'))();
  disk.beginSync(disk.root)();
  disk.rename(['a'], ['b']);
  expect(contents(disk)).toEqual(new Set(['a=hi', 'b=hi']));
});

test('a long write may tear at sector borders', () => {
  const disk = new Disk();
  const file = fileWith(disk, 'a', '');
  disk.beginSync(disk.root)();
  disk.change(file, { at: 0, bytes: Buffer.alloc(1200, 'x') });
  const lengths = [...contents(disk)].map((text) => text.slice(2).replaceAll('\0', '').length);
  expect(new Set(lengths)).toEqual(new Set([0, 512, 1024, 1200]));
});

test('calls that another thread interleaves with are put together', () => {
  const calls = parseStrace(
    [
      '1 fsync(3</a> <unfinished ...>',
      '2 write(1<p>, "\\x68\\x69", 2) = 2',
      '1 <... fsync resumed>) = 0',
    ].join('\n'),
  );
  expect(calls.map(({ name, begin, end, result }) => ({ name, begin, end, result }))).toEqual([
    { name: 'write', begin: 1, end: 1, result: 2 },
    { name: 'fsync', begin: 0, end: 2, result: 0 },
  ]);
  expect(stringsIn(calls[0]!.args).map(String)).toEqual(['hi']);
});
