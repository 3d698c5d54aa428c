/** What the `keys` commands are given as settings, and how they write them. */
import { loadConfig } from '../../config/load.ts';
import type { EncryptionConfig } from '../../config/types.ts';
import { currentKeyFile, type MovableProject } from '../../engine/keys/keys.ts';
import { ConfigError, InvalidInputError } from '../../errors.ts';
import type { Call } from '../kit/verb.ts';
import { configFiles } from '../settings/known.ts';
import { writeSetting, writeSettings } from '../settings/write.ts';
import type { GivenKey } from './keys-options.ts';

/** The settings that say where the key is. */
export function keySettings(
  call: Pick<Call, 'project_dir' | 'path' | 'say'>,
  { place: given, file, command }: GivenKey,
): EncryptionConfig {
  const place = given ?? (command === undefined ? 'file' : 'command');
  if (place === 'command' && command === undefined)
    throw new InvalidInputError('USAGE', call.say('usage.missing_value', { name: '--key-command' }), {
      data: { option: 'key-command' },
      hint: call.say('keys.option.key_command'),
    });
  for (const [goesWith, given] of Object.entries({ file, command })) {
    if (given === undefined || goesWith === place) continue;
    const option = `key-${goesWith}`;
    throw new InvalidInputError('USAGE', call.say('keys.option.unused', { option: `--${option}`, place }), {
      data: { option },
      hint: call.say('keys.option.unused_hint'),
    });
  }
  const path = file === undefined ? currentKeyFile(call.project_dir) : call.path(file);
  return {
    enabled: true,
    key_from: place,
    key_file: place === 'file' ? path : null,
    key_command: place === 'command' ? command! : null,
  };
}

/** The project of the call, with its settings as they are now. */
export function keyProject(
  call: Pick<Call, 'project_dir' | 'say' | 'invoke' | 'onProgress'>,
): MovableProject {
  const { project_dir, onProgress } = call;
  const { config, explain } = loadConfig({ project_dir });
  const { user, project } = configFiles(project_dir);
  return {
    config,
    project_dir,
    onProgress,
    command: call.invoke,
    /** If a variable is set, it would override what is written to the project's settings. */
    assertWritable(encryption, moves) {
      const changed = KEYS.filter((name) => moves || config.encryption[name] !== encryption[name])
        .filter((name) => moves || name !== 'key_command' || encryption.key_command !== null)
        .map((name) => `encryption.${name}`);
      for (const key of moves ? [...PLACE, ...changed] : changed) {
        const { source, from } = explain[key]!;
        if (source !== 'environment') continue;
        throw new ConfigError('CONFIG_INVALID', call.say('keys.move.variable', { key, variable: from! }), {
          data: { key, source, from },
          hint: call.say('keys.move.variable_hint'),
        });
      }
    },
    /** A command is noted in the user's own file: a project's file could come from strangers. */
    write({ key_command, key_file, key_from, enabled }, store) {
      if (key_command !== null) {
        const note = {
          file: user,
          source: 'user',
          key: 'encryption.key_command',
          text: key_command,
        } as const;
        writeSetting(note, config, call.say);
      }
      const place = store && [
        ['persistence.storage_type', config.persistence.storage_type] as const,
        [`persistence.${store.name}`, store.value] as const,
      ];
      const settings = [
        ...(place ?? []),
        ['encryption.key_file', key_file],
        ['encryption.key_from', key_from],
        ['encryption.enabled', `${enabled}`],
      ] as const;
      writeSettings({ file: project, source: 'project' }, settings, config, call.say);
    },
    names: ({ name, value }) => loadConfig({ project_dir }).config.persistence[name] === value,
  };
}

const PLACE = ['storage_type', 'base_dir', 'path', 'schema'].map((name) => `persistence.${name}`);
const KEYS = ['enabled', 'key_from', 'key_file', 'key_command'] as const;
