/** What a checkpoint itself says about the machine: its directory, its requirements, and the files it names, by content. */
import { hash } from 'node:crypto';
import { resolve, sep } from 'node:path';
import { readIfExists } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import { isKnownTool, toolVersion } from '../../system/process/tools.ts';
import type { CheckpointRecord } from '../record/record.ts';
import type { LoadBlob } from '../values/pack.ts';
import type { CheckpointEnvironment } from './validate.ts';

export function machineEnvironment(load: LoadBlob): CheckpointEnvironment {
  return {
    hasBlob: async (id) => (await load(id)) !== null,
    directoryExists: (path) => io.lstat(path)?.isDirectory() ?? false,
    changedFiles: async (checkpoint) => changedFiles(checkpoint),
    // The record names what is started, and may come from a stranger.
    toolVersion: async (name) => (isKnownTool(name) ? toolVersion(name) : undefined),
    isSet: (variable) => process.env[variable] !== undefined,
  };
}

/** Its own changes that are no longer as it left them. */
function changedFiles({ file_changes, recovery_info }: CheckpointRecord): string[] {
  const { modified, details = [], deleted } = file_changes;
  const root = resolve(recovery_info.working_dir);
  const left = [...modified, ...details].map(({ path, hash_after }) => ({ path, hash: hash_after }));
  const gone = deleted.map((path) => ({ path, hash: null }));
  const changed = [...left, ...gone].filter(({ path, hash }) => hashAt(root, path) !== hash);
  return [...new Set(changed.map(({ path }) => path))];
}

/** As in `FileChange`; null if it does not exist. Paths outside the directory are not read. */
function hashAt(root: string, path: string): string | null {
  const full = resolve(root, path);
  const found = full.startsWith(root + sep) ? io.lstat(full) : null;
  if (!found) return null;
  if (found.isSymbolicLink()) return hash('sha256', io.readlink(full));
  return found.isFile() ? hash('sha256', readIfExists(full) ?? '') : 'a directory';
}
