/** Whether a project has a store, without creating one. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../config/types.ts';
import { lstat } from '../../system/io.ts';
import { jsonPath, sqlitePath } from '../paths.ts';

/** A server, or a user's own back end, is assumed to exist. */
export function isThere({ persistence }: Config, project_dir: string): boolean {
  const place = { project_dir, home: homedir() };
  switch (persistence.storage_type) {
    case 'json':
      // Tasks without it are a store that has lost its description: the caller gets an error.
      return ['store.json', 'tasks'].some(
        (name) => lstat(join(jsonPath(persistence, place).path, name)) !== null,
      );
    case 'sqlite':
      return lstat(sqlitePath(persistence, place).path) !== null;
    default:
      return true;
  }
}
