/** How full the disk of a store is. */
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import type { Config } from '../../config/types.ts';
import { IoError } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import { jsonPath, sqlitePath } from '../../storage/paths.ts';
import { diskUsage } from '../../system/disk.ts';

/** In per cent; null for a store on a server, and if the system does not say. */
export function diskProbe(
  storage: Storage,
  config: Pick<Config, 'persistence'>,
  project_dir: string,
): () => number | null {
  const path = storePath(storage, config, project_dir);
  return () => {
    if (path === null) return null;
    try {
      return diskUsage(path).used_percent;
    } catch (error) {
      if (error instanceof IoError) return null;
      throw error;
    }
  };
}

function storePath(
  { type, shared }: Storage,
  { persistence }: Pick<Config, 'persistence'>,
  project_dir: string,
): string | null {
  if (shared) return null;
  const place = { project_dir, home: homedir() };
  if (type !== persistence.storage_type) return project_dir;
  if (type === 'json') return jsonPath(persistence, place).path;
  return type === 'sqlite' ? dirname(sqlitePath(persistence, place).path) : project_dir;
}
