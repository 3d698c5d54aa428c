/** Turns encryption on in a project that has nothing stored yet. */
import type { EncryptionConfig } from '../../config/types.ts';
import { refuseFilled } from '../../storage/encrypted/open.ts';
import { createStorageFromConfig, keyProvider, openUnsealed } from '../../storage/opening/factory.ts';
import { isThere } from '../../storage/opening/store-there.ts';
import { makeKeyFile } from './key-files.ts';
import { alreadyOn, assertSettings, type KeyInUse, type KeyProject } from './project.ts';

/** Creates the key file if it is missing, and the encrypted store; then writes the settings. */
export async function initEncryption(project: KeyProject, encryption: EncryptionConfig): Promise<KeyInUse> {
  const { config, project_dir } = project;
  if (config.encryption.enabled) throw alreadyOn(project);
  assertSettings(project, encryption);
  if (isThere(config, project_dir)) {
    const store = await openUnsealed(config, { project_dir });
    await refuseFilled(store).finally(() => store.close()); // No key is created in vain.
  }
  await makeKeyFile(encryption);
  // The store is created, or refused, before the settings name it.
  await (await createStorageFromConfig({ ...config, encryption }, { project_dir })).close();
  project.write(encryption);
  const { source } = await keyProvider(encryption, { project_dir });
  return { source, key_file: encryption.key_file };
}
