/** Blobs as files, named by their content. */
import { dirname, join } from 'node:path';
import {
  namesIn,
  placeFile,
  placeFiles,
  readIfExists,
  removeIfExists,
  syncDir,
  syncDirs,
} from '../../system/files.ts';
import * as io from '../../system/io.ts';
import { ensureDirBelow } from '../../system/own-files.ts';
import type { BlobInfo, NamedBlob } from '../backend.ts';
import { isStale } from '../clock.ts';
import { byCodePoint } from '../page.ts';
import type { Layout } from './layout.ts';

/**
 * All of them are on disk, names included, when this is done; except the stale ones, which it returns: another process may
 * be about to delete those. The bytes are read before it returns.
 */
export async function putBlobs(
  layout: Layout,
  task: string | null,
  blobs: readonly NamedBlob[],
): Promise<NamedBlob[]> {
  const { dirs, missing, stale } = compared(layout, task, blobs);
  if (missing.length > 0) await placeFiles(missing);
  await syncDirs(dirs);
  return stale;
}

/** Alone: no other process deletes at the same time. */
export function putStale(layout: Layout, task: string | null, blobs: readonly NamedBlob[]): void {
  const { dirs, missing, stale } = compared(layout, task, blobs);
  for (const { path, bytes } of missing) placeFile(path, bytes, true);
  for (const { id } of stale) io.touch(blobFile(layout, task, id));
  for (const dir of dirs) syncDir(dir);
}

/** With what is there. */
function compared(layout: Layout, task: string | null, blobs: readonly NamedBlob[]) {
  const dirs = new Set<string>();
  const missing = new Map<string, { readonly path: string; readonly bytes: Uint8Array }>();
  const stale: NamedBlob[] = [];
  for (const blob of blobs) {
    const { id, bytes } = blob;
    const dir = layout.blobDir(task, kindOf(id));
    ensureDirBelow(layout.root, dir);
    if (!trusted.has(dir)) syncAbove(layout, dir);
    // An existing one may come from another process that has not synced its name yet: sync it here, too.
    dirs.add(dir);
    const path = blobFile(layout, task, id);
    const there = io.lstat(path);
    if (!there || !readIfExists(path)?.equals(bytes)) missing.set(path, { path, bytes });
    else if (isStale(there.mtime)) stale.push(blob);
  }
  return { dirs, missing: [...missing.values()], stale };
}

/**
 * Alone: no other process deletes at the same time. A time lost in a power failure does not matter, since the process that
 * needed it is gone, too.
 */
export function renewBlobs(layout: Layout, task: string | null, ids: readonly string[]): string[] {
  return ids.filter((id) => {
    const path = blobFile(layout, task, id);
    if (!io.lstat(path)) return false;
    if (isOld(path)) io.touch(path);
    return true;
  });
}

function isOld(path: string): boolean {
  const found = io.lstat(path);
  return found === null || isStale(found.mtime);
}

/** Directories whose names, up to the store's own, this process has synced. */
const trusted = new Set<string>();

/** An existing directory may be a leftover of a process that died before its name was synced. */
function syncAbove(layout: Layout, dir: string): void {
  for (let above = dirname(dir); above.startsWith(layout.root); above = dirname(above)) syncDir(above);
  trusted.add(dir);
}

export function getBlob(layout: Layout, task: string | null, id: string): Uint8Array | null {
  const bytes = readIfExists(blobFile(layout, task, id));
  return bytes && new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** In the order of the ids. */
export function* listBlobs(layout: Layout, task: string | null): Generator<BlobInfo> {
  const kinds = layout
    .blobRoots(task)
    .flatMap((root) => sortedNames(root).map((kind) => ({ kind, dir: join(root, kind) })))
    .sort((a, b) => byCodePoint(a.kind, b.kind));
  for (const { kind, dir } of kinds) {
    for (const name of sortedNames(dir)) {
      const found = /^[0-9a-f]{64}$/.test(name) ? io.lstat(join(dir, name)) : null;
      if (found) yield { id: `${kind}/${name}`, size: found.size, created_at: found.mtime.toISOString() };
    }
  }
}

function sortedNames(dir: string): string[] {
  return namesIn(dir)
    .map(({ name }) => name)
    .sort(byCodePoint);
}

/** With a time, alone: no other process renews one at the same time. */
export function deleteBlobs(
  layout: Layout,
  task: string | null,
  ids: readonly string[],
  stored_before?: string,
): number {
  const dirs = new Set<string>();
  const limit = stored_before === undefined ? Number.POSITIVE_INFINITY : Date.parse(stored_before);
  let count = 0;
  for (const id of ids) {
    const path = blobFile(layout, task, id);
    if (stored_before !== undefined && (io.lstat(path)?.mtimeMs ?? 0) >= limit) continue;
    if (!removeIfExists(path)) continue;
    dirs.add(layout.blobDir(task, kindOf(id)));
    count++;
  }
  for (const dir of dirs) syncDir(dir);
  return count;
}

export function blobFile(layout: Layout, task: string | null, id: string): string {
  return join(layout.blobDir(task, kindOf(id)), id.slice(id.indexOf('/') + 1));
}

function kindOf(id: string): string {
  return id.slice(0, id.indexOf('/'));
}
