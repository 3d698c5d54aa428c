/** Opens the store that the settings name. Back ends are loaded on demand, and users can add their own. */
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { parseConfig, serverUrl } from '../../config/load.ts';
import { nearest } from '../../config/nearest.ts';
import { BUILT_IN_STORAGE } from '../../config/schema.ts';
import type { ConfigInput, EncryptionConfig, Environment, PersistenceConfig } from '../../config/types.ts';
import { ConfigError, InvalidInputError, StoreError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { ensureDir } from '../../system/files.ts';
import { keepOutOfGit } from '../../system/git/out-of-git.ts';
import type { BackendFactory, Storage } from '../contract.ts';
import { createStorage } from '../create.ts';
import type { KeyProvider } from '../encrypted/key-provider.ts';
import { KEYS, ROOT } from '../encrypted/names.ts';
import { guardedBackend } from '../moving/guard.ts';
import { readMark, refusal } from '../moving/mark.ts';
import { expandPath, jsonPath, type PathContext, type StorePath, sqlitePath } from '../paths.ts';
import { keepFilesOutOfGit } from './git-exclude.ts';

export interface StorageContext {
  /** Default: the working directory. */
  readonly project_dir?: string | undefined;
  readonly home?: string | undefined;
  readonly env?: Environment | undefined;
}

/** Opens the store named by `config.persistence`; settings left out have their defaults. */
export async function createStorageFromConfig(
  config: ConfigInput = {},
  context: StorageContext = {},
): Promise<Storage> {
  const { persistence, encryption } = parseConfig(config);
  const paths = contextOf(context);
  const store = await openBackEnd(persistence, paths);
  return orClose(store, async () => {
    const mark = await readMark(store);
    if (mark?.state === 'moved') throw refusal(mark);
    return sealed(createStorage(guardedBackend(store.backend)), encryption, paths);
  });
}

async function orClose<T>(store: Storage, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Opens a local store at the path that its settings and project give, encrypted or not; never one that was moved away. */
export async function openLocalStorage(
  type: 'json' | 'sqlite',
  where: Pick<PersistenceConfig, 'base_dir' | 'path'>,
  paths: PathContext,
): Promise<Storage> {
  const store = await openAt[type](where, paths);
  return orClose(store, async () => {
    const mark = await readMark(store);
    if (mark) throw refusal(mark);
    return store;
  });
}

/** The store without decryption: for managing its keys. */
export async function openUnsealed(config: ConfigInput, context: StorageContext = {}): Promise<Storage> {
  return openBackEnd(parseConfig(config).persistence, contextOf(context));
}

function contextOf({ project_dir, home, env }: StorageContext): OpeningContext {
  return {
    project_dir: resolve(project_dir ?? process.cwd()),
    home: home ?? homedir(),
    env: env ?? process.env,
  };
}

async function openBackEnd(persistence: PersistenceConfig, paths: OpeningContext): Promise<Storage> {
  const builtIn = BUILT_IN.get(persistence.storage_type);
  if (builtIn) return builtIn(persistence, paths);
  const own = registered.get(persistence.storage_type);
  if (own) return createStorage(await own({ project_dir: paths.project_dir, persistence }));
  throw unknownStorage(persistence.storage_type);
}

/** The store as the settings want it: encrypted or plain. One is never mistaken for the other. */
async function sealed(store: Storage, settings: EncryptionConfig, paths: OpeningContext): Promise<Storage> {
  if (settings.enabled) {
    const { openEncryptedStorage } = await import('../encrypted/open.ts');
    return openEncryptedStorage(store, await keyProvider(settings, paths));
  }
  if ((await store.get(KEYS, ROOT)) === null) return store;
  throw isEncryptedStore(store);
}

export function isEncryptedStore({ type }: Storage): StoreError {
  return new StoreError(
    'STORE_ENCRYPTED',
    phrase`This store is encrypted, and encryption is not turned on.`,
    {
      data: { type },
      hint: phrase`Set "encryption.enabled", and say where the key is; vibe-engine keys decrypt then decrypts the store. Nothing was changed.`,
    },
  );
}

/** As the settings say. */
export async function keyProvider(
  { key_from, key_file, key_command }: EncryptionConfig,
  context: StorageContext,
): Promise<KeyProvider> {
  const { env, home, project_dir } = contextOf(context);
  const providers = await import('../encrypted/providers.ts');
  if (key_from === 'passphrase') return providers.keyFromPassphrase(env[providers.PASSPHRASE_VARIABLE]);
  if (key_from === 'file')
    return providers.keyFromFile(expandPath(key_file ?? refuseWithout('key_file'), { home, project_dir }));
  if (key_from === 'command') return providers.keyFromCommand(key_command ?? refuseWithout('key_command'));
  return providers.keyFromEnvironment(env);
}

function refuseWithout(name: string): never {
  throw new ConfigError('CONFIG_INVALID', phrase`Encryption needs the setting "encryption.${name}".`, {
    data: { key: `encryption.${name}`, expected: 'text' },
    hint: phrase`Set it, or take the key from elsewhere: "encryption.key_from".`,
  });
}

/** Registers a back end under its own `storage_type`; returns a function that unregisters it. */
export function registerStorage(type: string, factory: BackendFactory): () => void {
  if (!/^[a-z][a-z0-9_-]{0,63}$/.test(type) || BUILT_IN.has(type)) {
    throw new InvalidInputError(
      'USAGE',
      phrase`A back end cannot be registered as ${JSON.stringify(type)}.`,
      {
        data: { type, built_in: BUILT_IN_STORAGE },
        hint: phrase`Use lower-case letters, digits, "-" and "_", and none of the built-in names.`,
      },
    );
  }
  registered.set(type, factory);
  return () => {
    if (registered.get(type) === factory) registered.delete(type);
  };
}

interface OpeningContext extends PathContext {
  readonly env: Environment;
}

type BuiltIn = (settings: PersistenceConfig, place: OpeningContext) => Promise<Storage>;

const registered = new Map<string, BackendFactory>();

type OpenAt = (
  settings: Pick<PersistenceConfig, 'base_dir' | 'path'>,
  place: PathContext,
) => Promise<Storage>;

const openAt: Record<'json' | 'sqlite', OpenAt> = {
  json: async (settings, place) => {
    const { openJsonStorage } = await import('../json/open.ts');
    const where = jsonPath(settings, place);
    prepareDir(where, where.path);
    const store = await openJsonStorage({ root: where.path });
    if (where.own_dir === null && store.files![0]!.kind === 'json')
      await keepFilesOutOfGit(place.project_dir, where.path, 'json');
    return store;
  },
  sqlite: async (settings, place) => {
    const { openSqliteStorage } = await import('../sqlite/open.ts');
    const where = sqlitePath(settings, place);
    prepareDir(where, dirname(where.path));
    if (where.own_dir === null) await keepFilesOutOfGit(place.project_dir, where.path, 'database');
    return openSqliteStorage({ path: where.path });
  },
};

const openers: Record<(typeof BUILT_IN_STORAGE)[number], BuiltIn> = {
  ...openAt,
  postgres: async (settings, place) => {
    const { schema, pool_size, lease_seconds, reconnect_seconds, allow_unsafe_server } = settings;
    const url = settings.url ?? serverUrl(place.env) ?? refuseWithoutServer();
    const { openPostgresStorage } = await import('../postgres/open.ts');
    return openPostgresStorage({
      url,
      schema,
      pool_size,
      lease_seconds,
      reconnect_seconds,
      allow_unsafe_server,
    });
  },
};

const BUILT_IN: ReadonlyMap<string, BuiltIn> = new Map(Object.entries(openers));

export function isBuiltInStorage(type: string): boolean {
  return BUILT_IN.has(type);
}

/** Creates the directory, private to this user; our own directory is kept out of git. */
function prepareDir({ own_dir }: StorePath, dir: string): void {
  ensureDir(dir);
  if (own_dir !== null) keepOutOfGit(own_dir);
}

function refuseWithoutServer(): never {
  throw new ConfigError(
    'CONFIG_INVALID',
    phrase`The storage type "postgres" needs the setting "persistence.url".`,
    {
      data: { key: 'persistence.url', expected: phrase`the URL of a PostgreSQL server` },
      hint: phrase`Set it in config.json, or set the variable VIBE_ENGINE_PERSISTENCE_URL or DATABASE_URL, as in postgres://user:password@host:5432/database.`,
    },
  );
}

function unknownStorage(type: string): ConfigError {
  const known = [...BUILT_IN.keys(), ...registered.keys()].sort();
  const near = nearest(type, known);
  return new ConfigError(
    'UNKNOWN_STORAGE',
    phrase`There is no storage type ${JSON.stringify(type)}; known are ${known.join(', ')}.`,
    {
      data: { storage_type: type, known, suggestion: near ?? null },
      hint: phrase`${near ? `Did you mean "${near}"? ` : ''}A back end of your own has to be registered first: docs/reference/storage.md.`,
    },
  );
}
