/** What of a workspace is captured: git's ignore files, the user's settings, names that hold secrets. */
import { MAX_FILE_MB } from '../../config/schema.ts';
import { joinPath, type OmitReason } from '../tree/tree.ts';
import { type IgnorePatterns, parseIgnoreFile } from './gitignore.ts';

export interface CaptureSettings {
  /** Patterns of a .gitignore: captured although ignored. To reach into an ignored directory, name it in the pattern. */
  readonly include?: readonly string[];
  /** Patterns of a .gitignore: never captured. */
  readonly exclude?: readonly string[];
  /** Larger files are not captured. */
  readonly max_file_mb?: number;
}

/** Files that by custom hold secrets. They are captured when git tracks them or `include` names them. */
const SECRETS = [
  '.env',
  '.env.*',
  '!.env.example',
  '!.env.sample',
  '!.env.template',
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  'id_rsa',
  'id_dsa',
  'id_ecdsa',
  'id_ed25519',
  '.netrc',
  '.git-credentials',
];

/** What git calls the files it finds its rules in, one a directory. */
export const RULE_FILE = '.gitignore';

export interface OuterIgnoreFile {
  readonly text: string;
  /** The workspace's path from where its patterns start, with a slash at the end unless it is empty. */
  readonly prefix: string;
}

/** The ignore files that concern a directory, its own first. */
export interface Scope {
  /** Where its patterns start; empty for one from outside the workspace, which has a prefix instead. */
  readonly directory: string;
  readonly prefix: string;
  readonly patterns: IgnorePatterns;
  readonly above: Scope | null;
}

export interface Rules {
  readonly maxBytes: number;
  /** The rules at the root before any .gitignore of the tree. */
  readonly outer: Scope | null;
  /** Why a path is left out, or null. */
  leaveOut(path: string, isDirectory: boolean, scope: () => Scope | null, inside: Inside): OmitReason | null;
  /** The rules in a directory that is captured or entered. */
  within(directory: string, above: Inside): Inside;
  /** Whether an ignored directory holds something that is captured anyway. */
  entersIgnored(directory: string): boolean;
}

/** Whether a directory above is ignored and entered only for something in it, or was requested with everything in it. */
export type Inside = 'ignored' | 'included' | 'nothing special';

/** What git tracks, by path; directories that something tracked is in. */
export interface Tracked {
  readonly objects: ReadonlyMap<string, string>;
  readonly directories: ReadonlySet<string>;
}

export const NOTHING_TRACKED: Tracked = { objects: new Map(), directories: new Set() };

const NO_PATTERNS: IgnorePatterns = { decide: () => null };

export function makeRules(
  settings: CaptureSettings,
  tracked: () => Tracked,
  outerFiles: readonly OuterIgnoreFile[],
  foldCase: boolean,
): Rules {
  const patternsOf = (text: string) => (text === '' ? NO_PATTERNS : parseIgnoreFile(text, { foldCase }));
  const include = patternsOf((settings.include ?? []).join('\n'));
  const exclude = patternsOf((settings.exclude ?? []).join('\n'));
  const secrets = patternsOf(SECRETS.join('\n'));
  const reaches = (settings.include ?? []).map(literalStart).filter((start) => start.includes('/'));
  const outer = outerFiles.reduce<Scope | null>(
    (above, { text, prefix }) => ({ directory: '', prefix, patterns: patternsOf(text), above }),
    null,
  );
  return {
    maxBytes: (settings.max_file_mb ?? MAX_FILE_MB) * 1024 * 1024,
    outer,
    leaveOut(path, isDirectory, scope, inside) {
      if (exclude.decide(path, isDirectory)) return 'excluded';
      if (inside === 'included' || include.decide(path, isDirectory)) return null;
      if (!isDirectory && tracked().objects.has(path)) return null;
      if (inside === 'ignored' || isIgnored(scope(), path, isDirectory)) return 'ignored';
      return !isDirectory && secrets.decide(path, false) ? 'secret' : null;
    },
    within: (directory, above) =>
      above === 'included' || include.decide(directory, true) ? 'included' : above,
    entersIgnored: (directory) =>
      tracked().directories.has(directory) ||
      reaches.some((start) => start.startsWith(`${directory}/`) || `${directory}/`.startsWith(start)),
  };
}

function isIgnored(scope: Scope | null, path: string, isDirectory: boolean): boolean {
  for (let at = scope; at; at = at.above) {
    const inside = at.directory === '' ? at.prefix + path : path.slice(at.directory.length + 1);
    const decided = at.patterns.decide(inside, isDirectory);
    if (decided !== null) return decided;
  }
  return false;
}

/** The tracked paths with the directories above them. */
export function trackedFrom(objects: ReadonlyMap<string, string>): Tracked {
  const directories = new Set<string>();
  for (const path of objects.keys()) {
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const directory = path.slice(0, slash);
      if (directories.has(directory)) break;
      directories.add(directory);
    }
  }
  return { objects, directories };
}

/** A pattern up to the directory before its first wildcard, as a path from the root. */
function literalStart(pattern: string): string {
  const plain = pattern.replace(/^\//, '');
  const wildcard = plain.search(/[*?[\\]/);
  if (wildcard < 0) return joinPath(plain.replace(/\/$/, ''), '');
  return plain.slice(0, plain.lastIndexOf('/', wildcard) + 1);
}
