/** What `keys encrypt` and `keys decrypt` share: the settings they write, and their answer. */
import type { Config, EncryptionConfig } from '../../config/types.ts';
import type { MoveStorageOptions } from '../../engine/moving/beside.ts';
import type { Call } from '../../verbs/kit/verb.ts';

export const MOVED = {
  to: 'string|null',
  tasks: 'number',
  entries: 'number',
  records: 'number',
  blobs: 'number',
  freed: 'number',
} as const;

/** For one that was interrupted after everything was moved. */
export const NOTHING_MOVED = { to: null, tasks: 0, entries: 0, records: 0, blobs: 0, freed: 0 } as const;

/** The settings that a move writes. */
export const WRITTEN: readonly string[] = [
  ...['storage_type', 'base_dir', 'path', 'schema'].map((name) => `persistence.${name}`),
  ...['enabled', 'key_from', 'key_file', 'key_command'].map((name) => `encryption.${name}`),
];

/** In the project's own file, with where the key is, all at once. */
export async function inSettings(
  call: Pick<Call, 'project_dir' | 'say'>,
  config: Config,
  encryption: EncryptionConfig,
): Promise<Pick<MoveStorageOptions, 'switchOver' | 'isSwitched'>> {
  const [{ loadConfig }, { noteKey }] = await Promise.all([
    import('../../config/load.ts'),
    import('./settings.ts'),
  ]);
  const { storage_type } = config.persistence;
  return {
    switchOver: ({ name, value }) =>
      noteKey(call, encryption, config, [
        ['persistence.storage_type', storage_type],
        [`persistence.${name}`, value],
      ]),
    isSwitched: ({ name, value }) =>
      loadConfig({ project_dir: call.project_dir }).config.persistence[name] === value,
  };
}
