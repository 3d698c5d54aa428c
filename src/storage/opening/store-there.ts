/** Whether a project has a store, without creating one; and whether this user may open it. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../config/types.ts';
import { IoError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { lstat } from '../../system/io.ts';
import { otherOwnerOf } from '../../system/owner.ts';
import { jsonPath, sqlitePath } from '../paths.ts';

/** A server, or a user's own back end, is assumed to exist. */
export function isThere(config: Config, project_dir: string): boolean {
  const path = pathOf(config, project_dir);
  if (path === null) return true;
  if (config.persistence.storage_type === 'sqlite') return lstat(path) !== null;
  // Tasks without it are a store that has lost its description: the caller gets an error.
  return ['store.json', 'tasks'].some((name) => lstat(join(path, name)) !== null);
}

/** Null where it is not on this machine's disk, or not ours. */
function pathOf({ persistence }: Config, project_dir: string): string | null {
  const place = { project_dir, home: homedir() };
  switch (persistence.storage_type) {
    case 'json':
      return jsonPath(persistence, place).path;
    case 'sqlite':
      return sqlitePath(persistence, place).path;
    default:
      return null;
  }
}

/**
 * Of a store that this user may not write, the error says what to do: a look at it takes a lock, so not even that is
 * possible. Any other error is returned as it is.
 */
export function orNotAllowed(error: unknown, config: Config, project_dir: string): unknown {
  const path = pathOf(config, project_dir);
  if (path === null || !(error instanceof IoError) || error.code !== 'NO_PERMISSION') return error;
  const owner = otherOwnerOf(path);
  const details = { data: { ...error.data, store: path, owner }, cause: error };
  if (owner === null)
    return new IoError(
      'NO_PERMISSION',
      phrase`You may not write to ${path}; even a look at its tasks takes a lock there.`,
      {
        ...details,
        hint: phrase`Make it writable, with everything in it. To look at it as it is, copy the project: cp -R '${project_dir}' COPY && vibe-engine tasks --project COPY`,
      },
    );
  return new IoError(
    'NO_PERMISSION',
    phrase`${path} belongs to user ${owner}, and you may not write to it; even a look at its tasks takes a lock there.`,
    {
      ...details,
      hint: phrase`Work as ${owner}. To look at it as it is, copy the project: cp -R '${project_dir}' COPY && vibe-engine tasks --project COPY`,
    },
  );
}
