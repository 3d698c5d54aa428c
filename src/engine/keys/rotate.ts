/** Changes the key of a store. An interrupted rotation is finished by the next one. */
import type { EncryptionConfig } from '../../config/types.ts';
import { StoreError } from '../../errors.ts';
import type { Claim, Storage } from '../../storage/contract.ts';
import type { KeyProvider } from '../../storage/encrypted/key-provider.ts';
import { lockOf, unlock } from '../../storage/encrypted/lock-of.ts';
import { openEncryptedStorage } from '../../storage/encrypted/open.ts';
import { keyFromEnvironment, keyFromPassphrase } from '../../storage/encrypted/providers.ts';
import { readMark, refusal } from '../../storage/moving/mark.ts';
import { keyProvider, openUnsealed } from '../../storage/opening/factory.ts';
import { tracked } from '../../system/progress.ts';
import { takeMoversTurn } from '../moving/move.ts';
import { keyFiles, keyInFile, makeKeyFile, nextKeyFile } from './key-files.ts';
import { assertSettings, type KeyInUse, type KeyProject, noKeyYet } from './project.ts';

/** The variables of the new key until it replaces the old one. */
const VARIABLES: Readonly<Partial<Record<EncryptionConfig['key_from'], { from: string; to: string }>>> = {
  environment: { from: 'VIBE_ENGINE_NEW_KEY', to: 'VIBE_ENGINE_KEY' },
  passphrase: { from: 'VIBE_ENGINE_NEW_PASSPHRASE', to: 'VIBE_ENGINE_PASSPHRASE' },
};

interface Rotated extends KeyInUse {
  /** The variable whose value belongs into another from now on. */
  readonly variable: { readonly from: string; readonly to: string } | null;
}

/** `wanted`: where the new key is; default: in a new file of the project. Tasks that run meanwhile are not disturbed. */
export async function rotateKey(
  project: KeyProject,
  wanted: EncryptionConfig | null = null,
): Promise<Rotated> {
  const { config, project_dir } = project;
  if (!config.encryption.enabled) throw noKeyYet(project);
  const old = await keyProvider(config.encryption, { project_dir });
  const store = await openUnsealed(config, { project_dir });
  let turn: Claim | undefined;
  try {
    turn = await takeMoversTurn(store); // A move of the store writes the same settings.
    const moving = await readMark(store);
    if (moving) throw refusal(moving);
    const next = wanted ?? (await cutOff(store, old, project_dir)) ?? keyInFile(nextKeyFile(project_dir));
    assertSettings(project, next);
    const provider = await newKey(next, project_dir);
    if (!(await isLockedWith(store, provider))) {
      const opened = await openEncryptedStorage(store, old); // If the old key is lost, no new one is created.
      await makeKeyFile(next);
      await tracked(project.onProgress, ({ at }) => {
        at('rotate');
        return opened.rotate(provider);
      });
    }
    project.write(next);
    const { source } = await keyProvider(next, { project_dir });
    return { source, key_file: next.key_file, variable: VARIABLES[next.key_from] ?? null };
  } finally {
    await turn?.release();
    await store.close();
  }
}

/** The old key is where it is; the new one has separate variables until it replaces it. */
async function newKey(settings: EncryptionConfig, project_dir: string): Promise<KeyProvider> {
  const { from } = VARIABLES[settings.key_from] ?? {};
  if (!from) return keyProvider(settings, { project_dir });
  if (settings.key_from === 'environment') return keyFromEnvironment(process.env, from);
  return keyFromPassphrase(process.env[from], from);
}

/** Of an interrupted rotation: the store already uses the new key, and the settings do not name it yet. */
async function cutOff(
  store: Storage,
  old: KeyProvider,
  project_dir: string,
): Promise<EncryptionConfig | null> {
  if (await isLockedWith(store, old)) return null;
  for (const file of keyFiles(project_dir)) {
    const settings = keyInFile(file);
    if (await isLockedWith(store, await newKey(settings, project_dir))) return settings;
  }
  return null;
}

async function isLockedWith(store: Storage, key: KeyProvider): Promise<boolean> {
  try {
    const locked = await lockOf(store);
    return locked !== null && (await unlock(locked, key)) !== null;
  } catch (error) {
    if (error instanceof StoreError && ['WRONG_KEY', 'NO_KEY'].includes(error.code)) return false;
    throw error;
  }
}
