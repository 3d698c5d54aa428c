/** The options of the `keys` commands. */

export const KEY_PLACES = ['file', 'environment', 'passphrase', 'command'] as const;

export const KEY_OPTIONS = {
  'key-file': { value: 'file', about: 'keys.option.key_file' },
  'key-command': { value: 'command', about: 'keys.option.key_command' },
} as const;

export const FROM = { value: 'place', choices: KEY_PLACES, about: 'keys.option.from' } as const;

export interface GivenKey {
  readonly place: (typeof KEY_PLACES)[number] | undefined;
  readonly file: string | undefined;
  readonly command: string | undefined;
}

/** What a move of the store answers. */
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
