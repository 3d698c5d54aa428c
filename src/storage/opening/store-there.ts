/** Whether a project has a store, without making one to find out. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../config/types.ts';
import { lstat } from '../../system/io.ts';
import { jsonPath, sqlitePath } from '../paths.ts';

/** A server, or a back end of the user's own, is taken to be there. */
export function isThere({ persistence }: Config, project_dir: string): boolean {
  const place = { project_dir, home: homedir() };
  switch (persistence.storage_type) {
    case 'json':
      // Tasks without it are a store that has lost it: its caller is told so.
      return ['store.json', 'tasks'].some(
        (name) => lstat(join(jsonPath(persistence, place).path, name)) !== null,
      );
    case 'sqlite':
      return lstat(sqlitePath(persistence, place).path) !== null;
    default:
      return true;
  }
}
