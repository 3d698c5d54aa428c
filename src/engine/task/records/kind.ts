/** What there is to know of a kind of record, for whoever walks over all that a task has. */
export interface RecordKind {
  readonly category: string;
  /** Its keys: `{task}` stands for the task, `*` for a name of its own. */
  readonly key: string;
  /**
   * Whether it goes along when the task is exported. What is `here` means nothing elsewhere, and no file can bring it along;
   * `unfinished` work has to be finished first.
   */
  readonly travels: 'always' | 'here' | 'unfinished';
  /** What of the blobs and snapshots that it names is kept for it; with what is kept of the task, where nothing is. */
  readonly keeps: 'all' | 'blobs' | 'nothing';
  /** For how long it is needed where it lies outside `tasks`, if not for good: what lies there goes with the task. */
  readonly needed?: 'until_final' | 'while_unfinished' | 'until_emptied';
  /** Whether it is what the engine puts there; others may save something of their own under such a key. */
  isOurs?(stored: unknown, task: string): boolean;
  /** Throws where it is none of the kind. */
  check?(stored: unknown, task: string): void;
  /** With its parts changed; left out where it has no parts that are sealed by themselves. */
  change?(stored: unknown, parts: Parts): Promise<unknown>;
  /** As it is to be in its new place, its parts apart. */
  settle?(stored: unknown, place: NewPlace): Promise<unknown>;
}

/** What becomes of each part of a record. */
export interface Parts {
  state(sealed: unknown): Promise<unknown>;
  checkpoint(stored: unknown): Promise<unknown>;
  /** All that is sealed by nothing. */
  rest(stored: unknown): Promise<unknown>;
}

export interface NewPlace {
  /** Where a directory of the old project is now. */
  readonly moved: (path: string) => string;
  /** Of an entry of another task; undefined where there is no such entry. */
  readonly hashOf: (task: string, seq: number) => Promise<string | undefined>;
}

/** The key of a record, `name` in the place of its own name. */
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
