/** A project whose store is encrypted, decrypted or given another key, and how its settings are written. */
import { homedir } from 'node:os';
import { join, sep } from 'node:path';
import type { Config, EncryptionConfig } from '../../config/types.ts';
import { InvalidInputError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { StoreSetting } from '../../storage/moving/store-setting.ts';
import { jsonPath } from '../../storage/paths.ts';
import type { OnProgress } from '../../system/progress.ts';

export interface KeyProject {
  /** As `loadConfig` gives them. */
  readonly config: Config;
  readonly project_dir: string;
  readonly onProgress?: OnProgress | undefined;
  /** Throws if the settings cannot be written, before anything is created. `moves`: the store gets another path, too. */
  assertWritable?(encryption: EncryptionConfig, moves: boolean): void;
  /** Writes where the key is, and where the store is if it has moved: at once or not at all. */
  write(encryption: EncryptionConfig, store?: StoreSetting): void;
  /** How a command line is written in hints; default: `vibe-engine …`. */
  readonly command?: (words: string) => string;
}

export interface MovableProject extends KeyProject {
  /** Whether the settings name that store; called after a failure. */
  names(store: StoreSetting): boolean;
}

/** The key that a store uses from now on. */
export interface KeyInUse {
  /** Where it comes from, for people. */
  readonly source: string;
  readonly key_file: string | null;
}

/** Before anything is created or written: a key is never kept in its own store. */
export function assertSettings(project: KeyProject, encryption: EncryptionConfig, moves = false): void {
  const { config, project_dir } = project;
  const { key_file } = encryption;
  const stores = [
    join(project_dir, '.vibe-engine'),
    jsonPath(config.persistence, { project_dir, home: homedir() }).path,
  ];
  if (key_file !== null && stores.some((dir) => key_file.startsWith(dir + sep)))
    throw new InvalidInputError('USAGE', phrase`A key must not be in the store that it opens: ${key_file}.`, {
      data: { option: 'key-file' },
      hint: phrase`Name a path outside .vibe-engine, such as next to your own settings. Nothing was changed.`,
    });
  project.assertWritable?.(encryption, moves);
}

export function alreadyOn(project: KeyProject): InvalidInputError {
  return new InvalidInputError('USAGE', phrase`Encryption is already on here.`, {
    data: {},
    hint: showStatus(project),
  });
}

export function notOn(project: KeyProject): InvalidInputError {
  return new InvalidInputError('USAGE', phrase`Encryption is not on here.`, {
    data: {},
    hint: showStatus(project),
  });
}

export function noStore(project: KeyProject): InvalidInputError {
  const message = project.config.encryption.enabled
    ? phrase`There is no store here yet; encryption is on.`
    : phrase`There is no store here yet; encryption is off.`;
  return new InvalidInputError('USAGE', message, { data: {}, hint: turnOn(project) });
}

export function noKeyYet(project: KeyProject): InvalidInputError {
  return new InvalidInputError('USAGE', phrase`Encryption is not on here, so there is no key to change.`, {
    data: {},
    hint: turnOn(project),
  });
}

function showStatus(project: KeyProject): string {
  return phrase`Show its status: ${commandOf(project, 'keys status')}`;
}

function turnOn(project: KeyProject): string {
  return phrase`Turn it on with: ${commandOf(project, 'keys init')}`;
}

function commandOf({ command }: KeyProject, words: string): string {
  return command ? command(words) : `vibe-engine ${words}`;
}
