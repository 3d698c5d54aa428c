/** The store that the settings name, opened at its first use: what is used where no store is given. */
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/types.ts';
import type { Storage } from './contract.ts';
import { createStorageFromConfig, isBuiltInStorage } from './factory.ts';
import { LazyStorage } from './lazy.ts';

export function configuredStorage(): Storage {
  return new ConfiguredStorage(process.cwd());
}

class ConfiguredStorage extends LazyStorage {
  readonly #settings: () => Config;

  constructor(project_dir: string) {
    let read: Config | undefined;
    const settings = (): Config => (read ??= loadConfig({ project_dir }).config);
    super(async () => createStorageFromConfig(settings(), { project_dir }));
    this.#settings = settings;
  }

  get type(): string {
    return this.#settings().persistence.storage_type;
  }

  /** A back end that somebody registered may be; before it is open nobody can tell. */
  get shared(): boolean {
    return this.type === 'postgres' || !isBuiltInStorage(this.type);
  }

  get encrypted(): boolean {
    return this.#settings().encryption.enabled;
  }
}
