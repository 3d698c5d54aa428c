/** What `git fast-import` reads: commits with files of our own. */

import { gitDigest } from '../../system/hashing/hash-files.ts';
import type { TreeEntry } from '../tree/tree.ts';
import type { MergeServices } from './parts.ts';

interface Importable {
  readonly mode: '100644' | '100755' | '120000';
  readonly bytes: Uint8Array;
  /** Git's name for the bytes. */
  readonly object: string;
}

export type Importables = ReadonlyMap<string, Importable>;

interface ImportedCommit {
  readonly ref: string;
  readonly from?: string;
  readonly files: Importables;
}

/** Git knows files, executable or not, and links. */
export async function importables(
  services: MergeServices,
  entries: ReadonlyMap<string, TreeEntry>,
): Promise<Importables> {
  const files = [...entries].flatMap(([path, entry]) => (entry.kind === 'file' ? [{ path, entry }] : []));
  const contents = await services.contents(files);
  const all = new Map<string, Importable>();
  const add = (path: string, mode: Importable['mode'], bytes: Uint8Array): void =>
    void all.set(path, { mode, bytes, object: gitDigest('sha1', bytes).toString('hex') });
  for (const [index, { path, entry }] of files.entries())
    add(path, entry.mode & 0o100 ? '100755' : '100644', contents[index]!);
  for (const [path, entry] of entries)
    if (entry.kind === 'symlink') add(path, '120000', Buffer.from(entry.target));
  return all;
}

export function importStream(commits: readonly ImportedCommit[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const marks = new Map<string, number>();
  const say = (text: string): void => void parts.push(Buffer.from(text));
  for (const { bytes, object } of commits.flatMap(({ files }) => [...files.values()])) {
    if (marks.has(object)) continue;
    marks.set(object, marks.size + 1);
    say(`blob\nmark :${marks.size}\ndata ${bytes.length}\n`);
    parts.push(bytes);
    say('\n');
  }
  for (const { ref, from, files } of commits) {
    say(`commit ${ref}\ncommitter vibe-engine <vibe-engine@localhost> 0 +0000\ndata 0\n`);
    say(`${from ? `from ${from}\n` : ''}deleteall\n`);
    for (const [path, { mode, object }] of files) say(`M ${mode} :${marks.get(object)} ${quoted(path)}\n`);
    say('\n');
  }
  return Buffer.concat(parts);
}

function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&')}"`;
}
