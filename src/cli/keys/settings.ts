/** Key options of commands: where the key is; creates one if there is none, and notes it in the settings. */
import { hash, randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { basename, dirname, join, sep } from 'node:path';
import { loadConfig } from '../../config/load.ts';
import type { Config, EncryptionConfig } from '../../config/types.ts';
import { ConfigError, InvalidInputError } from '../../errors.ts';
import { jsonPath } from '../../storage/paths.ts';
import { ensureDir } from '../../system/files.ts';
import { errnoOf, lstat } from '../../system/io.ts';
import { writeParts } from '../../system/streams.ts';
import type { Call } from '../../verbs/kit/verb.ts';
import { configFiles } from '../../verbs/settings/known.ts';
import { writeSetting, writeSettings } from '../../verbs/settings/write.ts';

export const KEY_PLACES = ['file', 'environment', 'passphrase', 'command'] as const;
type KeyPlace = (typeof KEY_PLACES)[number];

export const KEY_OPTIONS = {
  'key-file': { value: 'file', about: 'keys.option.key_file' },
  'key-command': { value: 'command', about: 'keys.option.key_command' },
} as const;

export interface WantedKey {
  readonly place: KeyPlace | undefined;
  readonly file: string | undefined;
  readonly command: string | undefined;
  /** Whether it replaces another key. */
  readonly replaces?: boolean;
}

/** The settings that say where the key is. */
export function keySettings(
  call: Pick<Call, 'project_dir' | 'path' | 'say'>,
  wanted: WantedKey,
): EncryptionConfig {
  const { place = wanted.command === undefined ? 'file' : 'command', file, command } = wanted;
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
  return {
    enabled: true,
    key_from: place,
    key_file:
      place === 'file'
        ? file === undefined
          ? usualFile(call.project_dir, wanted.replaces ?? false)
          : call.path(file)
        : null,
    key_command: place === 'command' ? command! : null,
  };
}

/** Before anything is created or written: a key is never kept in its own store, nor noted if a variable overrides it. */
export function refuseSettings(
  call: Pick<Call, 'project_dir' | 'say'>,
  wanted: EncryptionConfig,
  { encryption, persistence }: Config,
): void {
  const { key_file, key_command } = wanted;
  const { project_dir } = call;
  const stores = [
    join(project_dir, '.vibe-engine'),
    jsonPath(persistence, { project_dir, home: homedir() }).path,
  ];
  if (key_file !== null && stores.some((dir) => key_file.startsWith(dir + sep)))
    throw new InvalidInputError('USAGE', call.say('keys.option.in_store', { file: key_file }), {
      data: { option: 'key-file' },
      hint: call.say('keys.option.in_store_hint'),
    });
  const names = [
    'enabled',
    'key_from',
    'key_file',
    ...(key_command === null ? [] : ['key_command' as const]),
  ] as const;
  const changed = names.filter((name) => encryption[name] !== wanted[name]);
  refuseOverridden(
    call,
    changed.map((name) => `encryption.${name}`),
  );
}

/** If a variable is set, it would override what is written to the project's settings. */
export function refuseOverridden(
  { project_dir, say }: Pick<Call, 'project_dir' | 'say'>,
  written: readonly string[],
): void {
  const { explain } = loadConfig({ project_dir });
  for (const key of written) {
    const { source, from } = explain[key]!;
    if (source !== 'environment') continue;
    throw new ConfigError('CONFIG_INVALID', say('keys.move.variable', { key, variable: from! }), {
      data: { key, source, from },
      hint: say('keys.move.variable_hint'),
    });
  }
}

/** Creates the key file if it is missing; of several processes that do so at once, one does it for all. */
export async function makeKeyFile({ key_file }: Pick<EncryptionConfig, 'key_file'>): Promise<void> {
  if (key_file === null || lstat(key_file)) return;
  ensureDir(dirname(key_file), 0o700);
  try {
    await writeParts(key_file, oneKey(), { replace: false });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

async function* oneKey(): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${randomBytes(32).toString('hex')}\n`);
}

type NewSettings = readonly (readonly [key: string, text: string | null])[];

/**
 * A command is noted in the user's own file: a project's file could come from strangers. Other settings are written with it,
 * all or none.
 */
export function noteKey(
  call: Pick<Call, 'project_dir' | 'say'>,
  { key_command, key_file, key_from, enabled }: EncryptionConfig,
  config: Config,
  others: NewSettings = [],
): void {
  const { user, project } = configFiles(call.project_dir);
  if (key_command !== null) {
    const note = { file: user, source: 'user', key: 'encryption.key_command', text: key_command } as const;
    writeSetting(note, config, call.say);
  }
  const settings: NewSettings = [
    ...others,
    ['encryption.key_file', key_file],
    ['encryption.key_from', key_from],
    ['encryption.enabled', `${enabled}`],
  ];
  writeSettings({ file: project, source: 'project' }, settings, config, call.say);
}

/** Next to the user's own settings, one for each project: the newest, or the next one if that is to be replaced. */
function usualFile(project_dir: string, replaces: boolean): string {
  const made = madeFiles(project_dir);
  return (replaces ? undefined : made.at(-1)) ?? usualName(project_dir, made.length + 1);
}

/** The files of keys that were made for this project, the oldest first. */
export function madeFiles(project_dir: string): string[] {
  const made: string[] = [];
  for (let n = 1; ; n++) {
    const file = usualName(project_dir, n);
    if (!lstat(file)) return made;
    made.push(file);
  }
}

function usualName(project_dir: string, n: number): string {
  const name = `${basename(project_dir) || 'root'}-${hash('sha256', project_dir).slice(0, 8)}`;
  const dir = join(dirname(configFiles(project_dir).user), 'keys');
  return join(dir, n === 1 ? `${name}.key` : `${name}-${n}.key`);
}
