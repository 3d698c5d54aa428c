/**
 * Hard links to the files in which git keeps the objects that snapshots need, in a bare repository of ours: a command that
 * deletes the repository removes only its own names. A link costs a few microseconds per object and no space, whereas
 * copying every tracked file would cost a sync each.
 */
import { join } from 'node:path';
import { ensureDir, namesIn, readIfExists, removeIfExists, replaceFile } from '../../system/files.ts';
import { type GitObjects, openGitObjects } from '../../system/git/objects.ts';
import * as io from '../../system/io.ts';

export interface KeptObjects {
  /** Links those of these that git has. If the file system has no hard links, only git keeps them. */
  keep(source: ObjectSource, objects: ReadonlySet<string>): void;
  /** In order; null for one that is not kept. */
  read(objects: readonly string[]): Promise<(Uint8Array | null)[]>;
  close(): void;
}

interface ObjectSource {
  readonly algorithm: 'sha1' | 'sha256';
  /** Git's directory of objects. */
  readonly objects: string;
}

/** Objects that git has repacked or deleted are kept this long: enough to notice whether that was intended. */
const KEPT_MS = 7 * 86_400_000;

export function openKeptObjects(stateDir: string): KeptObjects {
  const dir = join(stateDir, 'git');
  let reading: GitObjects | undefined;
  const isThere = (): boolean => io.lstat(join(dir, 'HEAD')) !== null;
  return {
    keep(source, objects) {
      try {
        if (!isThere()) makeRepository(dir, source.algorithm);
        linkPacks(source.objects, join(dir, 'objects'));
        // What git borrows from elsewhere is not in its own directory.
        const borrowed = readIfExists(join(source.objects, 'info', 'alternates'));
        if (borrowed) replaceFile(join(dir, 'objects', 'info', 'alternates'), borrowed);
        for (const object of objects) linkLoose(source.objects, join(dir, 'objects'), object);
      } catch (error) {
        // Another disk, no hard links, or a directory that may not be written to.
        if (io.errnoOf(error) === undefined) throw error;
      }
    },
    read(objects) {
      if (objects.length === 0 || !isThere()) return Promise.resolve(objects.map(() => null));
      reading ??= openGitObjects(dir, { GIT_DIR: dir });
      return reading.read(objects);
    },
    close: () => reading?.close(),
  };
}

function makeRepository(dir: string, algorithm: 'sha1' | 'sha256'): void {
  for (const part of ['objects/pack', 'objects/info', 'refs']) ensureDir(join(dir, part));
  const format =
    algorithm === 'sha256' ? '\trepositoryformatversion = 1\n' : '\trepositoryformatversion = 0\n';
  const more = algorithm === 'sha256' ? '[extensions]\n\tobjectformat = sha256\n' : '';
  replaceFile(join(dir, 'config'), Buffer.from(`[core]\n${format}\tbare = true\n${more}`));
  replaceFile(join(dir, 'HEAD'), Buffer.from('ref: refs/heads/none\n'));
}

/** The index after the pack: git looks for a pack by it. Those that git has not had for long are removed. */
function linkPacks(from: string, to: string): void {
  const there = namesOf(join(from, 'pack'));
  const kept = new Set(namesOf(join(to, 'pack')));
  for (const ending of ['.pack', '.idx'])
    for (const name of there)
      if (name.endsWith(ending) && !kept.has(name)) link(join(from, 'pack', name), join(to, 'pack', name));
  const now = Date.now();
  for (const name of kept) {
    const path = join(to, 'pack', name);
    const found = io.lstat(path);
    if (there.length > 0 && found?.nlink === 1 && now - found.ctimeMs > KEPT_MS) removeIfExists(path);
  }
}

function linkLoose(from: string, to: string, object: string): void {
  const [directory, name] = [object.slice(0, 2), object.slice(2)];
  const source = join(from, directory, name);
  const target = join(to, directory, name);
  if (io.lstat(target) || !io.lstat(source)) return;
  // Not synced, as the links are not: after a power cut git has its own.
  if (!io.lstat(join(to, directory))) io.mkdir(join(to, directory));
  link(source, target);
}

function link(from: string, to: string): void {
  try {
    io.link(from, to);
  } catch (error) {
    if (!['EEXIST', 'ENOENT'].includes(io.errnoOf(error) ?? '')) throw error;
  }
}

function namesOf(dir: string): string[] {
  return namesIn(dir).map(({ name }) => name);
}
