/** The store that the settings name, opened at first use: the default where no store is given. */
import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/types.ts';
import type { Storage } from '../contract.ts';
import { createStorage } from '../create.ts';
import { createStorageFromConfig, isBuiltInStorage } from './factory.ts';
import { lazyBackend } from './lazy.ts';

export function configuredStorage(): Storage {
  const project_dir = process.cwd();
  let read: Config | undefined;
  const settings = (): Config => (read ??= loadConfig({ project_dir }).config);
  const known = {
    get type() {
      return settings().persistence.storage_type;
    },
    /** A registered back end may be; that is not known before it is open. */
    get shared() {
      return this.type === 'postgres' || !isBuiltInStorage(this.type);
    },
    get encrypted() {
      return settings().encryption.enabled;
    },
  };
  return createStorage(lazyBackend(known, async () => createStorageFromConfig(settings(), { project_dir })));
}
