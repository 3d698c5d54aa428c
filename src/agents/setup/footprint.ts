/**
 * What a client's files were before our plugin was installed, so that they can be so again: the client's own command leaves
 * empty settings and another layout behind.
 */
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { phrase } from '../../phrase.ts';
import {
  ensureDir,
  namesIn,
  readIfExists,
  removeIfExists,
  removeTree,
  replaceFile,
} from '../../system/files.ts';
import * as io from '../../system/io.ts';
import { jsonIn } from '../../system/json.ts';
import type { ClientName } from '../client.ts';
import { agentsDir } from './directory.ts';
import { restoreAction, type Watched } from './restoring.ts';

export interface Footprint {
  readonly client: ClientName;
  /** Null for all of the user's projects. */
  readonly project: string | null;
  readonly files: readonly Watched[];
  /** Directories that the install may make: removed again when they are empty. Outermost first. */
  readonly directories: readonly string[];
  /** Directories that are ours alone. */
  readonly ours: readonly string[];
}

const NOTE = z.object({
  files: z.record(
    z.string(),
    z.object({
      real: z.string(),
      mode: z.number(),
      before: z.string().nullable(),
      after: z.string().nullable().optional(),
    }),
  ),
  /** Those that were missing. */
  directories: z.array(z.string()),
});
type Note = z.infer<typeof NOTE>;

/** Before an install. A note of an earlier one stays: what it noted is how the files were without us. */
export function noteBefore(footprint: Footprint, installed: boolean): void {
  if (installed && readNote(footprint)) return;
  const { files, directories, ours } = footprint;
  writeNote(footprint, {
    files: Object.fromEntries(
      files.map(({ path }) => {
        const real = io.realpath(path) ?? path;
        const mode = (io.lstat(real)?.mode ?? 0o600) & 0o777;
        return [path, { real, mode, before: bytesOf(real) }];
      }),
    ),
    directories: [...directories, ...ours].filter((path) => io.lstat(path) === null),
  });
}

/** After an install: what the files are if nobody but the client's command changed them. */
export function noteAfter(footprint: Footprint): void {
  const note = readNote(footprint);
  if (!note) return;
  const files = Object.entries(note.files).map(([path, file]) => [
    path,
    { ...file, after: bytesOf(file.real) },
  ]);
  writeNote(footprint, { ...note, files: Object.fromEntries(files) });
}

/** Around the client's own command that removes the plugin. Returns what could not be put back, in sentences. */
export async function restoreAfter(footprint: Footprint, remove: () => Promise<void>): Promise<string[]> {
  const note = readNote(footprint);
  const held = new Map(footprint.files.map(({ path }) => [path, bytesOf(note?.files[path]?.real ?? path)]));
  await remove();
  if (!note) return [];
  const unrestored = footprint.files.flatMap((watched) =>
    putBack(watched, note, held.get(watched.path) ?? null),
  );
  for (const path of footprint.ours) if (note.directories.includes(path)) removeTree(path);
  for (const path of footprint.directories.toReversed())
    if (note.directories.includes(path) && io.lstat(path)?.isDirectory() && namesIn(path).length === 0)
      io.rmdir(path);
  removeIfExists(fileOf(footprint));
  return unrestored;
}

function putBack({ path, meaning, bookkeeping }: Watched, note: Note, held: string | null): string[] {
  const file = note.files[path];
  if (!file) return [];
  const { real, mode, before, after } = file;
  const moved = (io.realpath(path) ?? path) !== real;
  const left = bytesOf(real);
  const what = moved ? 'leave' : restoreAction(decoded({ before, after, held, left }), meaning);
  if (what === 'same') return [];
  if (what === 'leave')
    return bookkeeping ? [] : [phrase`${path} was changed since the install, so it stays as it is now.`];
  if (before === null) removeIfExists(real);
  else replaceFile(real, Buffer.from(before, 'base64'), mode);
  return [];
}

/** Whether some install of these clients is noted. */
export function anyNoted(clients: readonly ClientName[]): boolean {
  return namesIn(notesDir()).some(({ name }) => clients.some((client) => name.startsWith(`${client}-`)));
}

function decoded<T extends Record<string, string | null | undefined>>(bytes: T): T {
  const texts = Object.entries(bytes).map(([name, value]) => [
    name,
    typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : value,
  ]);
  return Object.fromEntries(texts);
}

/** In base64: a file of a person's need not be text. */
function bytesOf(path: string): string | null {
  return readIfExists(path)?.toString('base64') ?? null;
}

function readNote(footprint: Footprint): Note | null {
  const bytes = readIfExists(fileOf(footprint));
  return bytes ? (NOTE.safeParse(jsonIn(bytes.toString('utf8'))).data ?? null) : null;
}

function writeNote(footprint: Footprint, note: Note): void {
  const file = fileOf(footprint);
  ensureDir(dirname(file));
  replaceFile(file, Buffer.from(JSON.stringify(note)));
}

function fileOf({ client, project }: Footprint): string {
  const scope = project === null ? 'user' : createHash('sha256').update(project).digest('hex').slice(0, 32);
  return join(notesDir(), `${client}-${scope}.json`);
}

function notesDir(): string {
  return join(agentsDir(), 'noted');
}
