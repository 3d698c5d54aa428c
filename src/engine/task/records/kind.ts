/** Describes a kind of record, for code that walks over everything of a task. */
export interface RecordKind {
  readonly category: string;
  /** Its keys: `{task}` stands for the task, `*` for a name of its own. */
  readonly key: string;
  /**
   * Whether it is exported with the task. `here` records mean nothing elsewhere, and cannot be imported; `unfinished` work
   * has to be finished first.
   */
  readonly travels: 'always' | 'here' | 'unfinished';
  /** Which of the blobs and snapshots it refers to are kept for it. */
  readonly keeps: 'all' | 'blobs' | 'nothing';
  /** For how long it is needed if it is outside `tasks`, if not forever: records in `tasks` are removed with the task. */
  readonly needed?: 'until_final' | 'while_unfinished' | 'until_emptied';
  /** Whether the engine wrote it; users may save their own data under such a key. */
  isOurs?(stored: unknown, task: string): boolean;
  /** Throws if it is not of the kind. */
  check?(stored: unknown, task: string): void;
  /** With its parts changed; left out if it has no parts with a checksum of their own. */
  change?(stored: unknown, parts: Parts): Promise<unknown>;
  /** The record for its new place, apart from its parts. */
  settle?(stored: unknown, relocation: Relocation): Promise<unknown>;
}

/** How each part of a record changes. */
export interface Parts {
  state(sealed: unknown): Promise<unknown>;
  checkpoint(stored: unknown): Promise<unknown>;
  /** Everything without a checksum. */
  rest(stored: unknown): Promise<unknown>;
}

export interface Relocation {
  /** Where a directory of the old project is now. */
  readonly moved: (path: string) => string;
  /** Of an entry of another task; undefined where there is no such entry. */
  readonly hashOf: (task: string, seq: number) => Promise<string | undefined>;
}

/** The key of a record, with `name` as its own name. */
export function keyOf({ key }: RecordKind, task: string, name = ''): string {
  return key.replace('{task}', task).replace('*', name);
}

/** The task that a key is of; null where it is of another kind. */
export function taskIn({ key: pattern }: RecordKind, key: string): string | null {
  return matcher(pattern).exec(key)?.groups?.task ?? null;
}

const matchers = new Map<string, RegExp>();

function matcher(pattern: string): RegExp {
  const known = matchers.get(pattern);
  if (known) return known;
  const source = pattern.replace('{task}', '(?<task>[^/]+)').replaceAll('*', '[\\w.-]+');
  const made = new RegExp(`^${source}$`);
  matchers.set(pattern, made);
  return made;
}
