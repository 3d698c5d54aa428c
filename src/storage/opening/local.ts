/**
 * Stores under the names people look for. `open` opens one now, at a place; `new` takes a project's name and opens it at
 * its first use. `EncryptedStorage` goes around any of them.
 */
import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import { loadConfig } from '../../config/load.ts';
import type { PersistenceConfig } from '../../config/types.ts';
import { InvalidInputError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Backend } from '../backend.ts';
import type { Storage } from '../contract.ts';
import type { KeyProvider } from '../encrypted/key-provider.ts';
import { type EncryptedStore, openEncryptedStorage } from '../encrypted/open.ts';
import { type JsonStorageOptions, openJsonStorage } from '../json/open.ts';
import { openSqliteStorage, type SqliteOptions } from '../sqlite/open.ts';
import { openLocalStorage } from './factory.ts';
import { lazyBackend, StorageOf } from './lazy.ts';

export class JsonStorage extends StorageOf {
  /**
   * The store of a project, at `{base_dir}/{project_name}/persistence/`. Without a `base_dir` the settings decide; if they
   * do not, another project than the current one is stored in `~/.cache/vibe-engine/`.
   */
  constructor(project_name: string, base_dir?: string) {
    super(backendOf('json', project_name, base_dir));
  }

  /** One JSON file per record at `{root}/{category}/{key}.json`. */
  static open(root: string, options?: Omit<JsonStorageOptions, 'root'>): Promise<Storage> {
    return openJsonStorage({ ...options, root });
  }
}

export class SqliteStorage extends StorageOf {
  /** The same as one database file, `{base_dir}/{project_name}/persistence.db`. */
  constructor(project_name: string, base_dir?: string) {
    super(backendOf('sqlite', project_name, base_dir));
  }

  /** One database file. */
  static open(path: string, options?: Omit<SqliteOptions, 'path'>): Promise<Storage> {
    return openSqliteStorage({ ...options, path });
  }
}

export const EncryptedStorage: {
  /** Encrypts everything in another store. An empty store is initialised with the key. Closing it closes the inner store. */
  open(inner: Storage, key: KeyProvider): Promise<EncryptedStore>;
} = { open: openEncryptedStorage };

type Local = 'json' | 'sqlite';

function backendOf(type: Local, project: string, base_dir: string | undefined): Backend {
  if (!isName(project)) throw notAName(project);
  const project_dir = process.cwd();
  return lazyBackend({ type, shared: false }, async () => {
    const where = base_dir === undefined ? configured(type, project, project_dir) : { base_dir, path: null };
    return openLocalStorage(type, where, { project_dir, home: homedir(), project });
  });
}

type Where = Pick<PersistenceConfig, 'base_dir' | 'path'>;

/** The `path` of the settings is of one store: that of this project, of the type they name. */
function configured(type: Local, project: string, project_dir: string): Where {
  const { storage_type, base_dir, path } = loadConfig({ project_dir }).config.persistence;
  const isThis = project === basename(resolve(project_dir));
  if (isThis && storage_type === type) return { base_dir, path };
  return { base_dir: base_dir ?? (isThis ? null : ELSEWHERE), path: null };
}

/** Two projects without settings must not share the directory of the current project. */
const ELSEWHERE = '~/.cache/vibe-engine';

function isName(project: unknown): boolean {
  return (
    typeof project === 'string' &&
    project.trim() !== '' &&
    !/[/\\\0]/.test(project) &&
    project !== '.' &&
    project !== '..' &&
    Buffer.byteLength(project) <= 255
  );
}

function notAName(project: unknown): InvalidInputError {
  const shown = typeof project === 'string' ? JSON.stringify(project) : typeof project;
  return new InvalidInputError('USAGE', phrase`A store cannot be created for a project called ${shown}.`, {
    data: { project_name: typeof project === 'string' ? project : null },
    hint: phrase`Give the name of a project, without "/" and "\\". A directory or a file is opened with open().`,
  });
}
