/** Which names a snapshot may contain: checked when files are captured, and again before anything of one is restored. */
import { WorkspaceError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';

/** What this project and git keep in a workspace: never captured, never written, under no spelling of the name. */
const OWN = ['git', 'vibe-engine'];
/** Temporary files of a restore, next to the files it writes. */
export const RESTORE_PREFIX = '.vibe-engine-restore-';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses.
const FORBIDDEN = /[\u0000-\u001f\u007f/\\]/;
/** Characters that HFS+ ignores, so that a name with one is the name without it. */
const INVISIBLE = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
const MOST_BYTES = 255;

/** How a name that a snapshot cannot contain is listed in it, to show that it was left out. */
export function listedName(bytes: Uint8Array): string {
  return `?${Buffer.from(bytes).toString('hex')}`;
}
export const LISTED_NAME = /^\?([0-9a-f]{2})+$/;

/** Most names match this, and all that match are valid. */
const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,100}$/;

/** Why a name is refused, or null when it is fine. */
export function nameProblem(name: string): string | null {
  if (PLAIN.test(name)) return null;
  if (name === '' || name === '.' || name === '..') return phrase`is not a valid file name`;
  if (FORBIDDEN.test(name)) return phrase`has a slash, a backslash or a control character`;
  if (!name.isWellFormed() || name.includes('\ufffd')) return phrase`is not well-formed Unicode`;
  if (Buffer.byteLength(name) > MOST_BYTES) return phrase`is longer than ${MOST_BYTES} bytes`;
  if (LISTED_NAME.test(name)) return phrase`stands for another name`;
  if (isOwnName(name)) return phrase`belongs to git or to this project`;
  return null;
}

/** Whether a file system may take the name for `.git` or `.vibe-engine`: case, trailing dots, short names, streams. */
export function isOwnName(name: string): boolean {
  const plain = name.replace(INVISIBLE, '').toLowerCase();
  if (plain.startsWith(RESTORE_PREFIX)) return true;
  const stem = plain.split(':')[0]!.replace(/[. ]+$/, '');
  return OWN.some((own) => stem === `.${own}`) || /^(git|vibe-e)~\d+$/.test(stem);
}

/** The same for a whole path from the root. */
export function assertSafePath(path: string): void {
  for (const name of path.split('/')) {
    const problem = nameProblem(name);
    if (problem) throw unsafe(path, phrase`the name ${JSON.stringify(name.slice(0, 80))} ${problem}`);
  }
}

/** What file systems of other kinds make of a name; used before something is restored on one of them. */
export interface NameRules {
  readonly windows: boolean;
  /** Names that differ only by case or Unicode form are one file there. */
  readonly folds: boolean;
}

/** The same for all names that such a file system takes for one. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(\.|$)/i;

export function assertFits(paths: Iterable<string>, { windows, folds }: NameRules): void {
  const seen = new Map<string, string>();
  for (const path of paths) {
    if (windows && path.split('/').some((name) => /[<>:"|?*]|[. ]$/.test(name) || RESERVED.test(name))) {
      throw unsafe(path, phrase`Windows has no such name`);
    }
    if (!folds) continue;
    const folded = foldName(path);
    const other = seen.get(folded);
    if (other !== undefined && other !== path)
      throw unsafe(path, phrase`it would be the same file as ${other}`);
    seen.set(folded, path);
  }
}

export function unsafe(path: string, why: string): WorkspaceError {
  return new WorkspaceError('SNAPSHOT_UNSAFE', phrase`The snapshot has an entry that is refused: ${why}.`, {
    data: { path, why },
    hint: phrase`No scan of this project makes an entry like that: find out who wrote to the store. Nothing was changed.`,
  });
}
