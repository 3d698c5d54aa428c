/** Whether a path is captured, by the rules that hold where it is. Ignore files are read only when needed. */
import { join } from 'node:path';
import { readWhole } from '../../system/hashing/hash-files.ts';
import { type OmitReason, parentOf } from '../tree/tree.ts';
import { parseIgnoreFile } from './gitignore.ts';
import { type Inside, RULE_FILE, type Rules, type Scope } from './rules.ts';

export interface Judge {
  /** Why it is left out, or null. */
  leaveOut(path: string, isDirectory: boolean): OmitReason | null;
  readonly maxBytes: number;
  /** Captured by request, even if the rules exclude it. */
  isAlso(path: string): boolean;
}

/** For one scan: ignore files are read once. */
export function createJudge(
  root: string,
  rules: Rules,
  foldCase: boolean,
  also: ReadonlySet<string> = new Set(),
): Judge {
  const aboveAlso = new Set([...also].flatMap(directoriesAbove));
  const scopes = new Map<string, Scope | null>();
  const insides = new Map<string, Inside>();

  const scopeOf = (directory: string): Scope | null => {
    const known = scopes.get(directory);
    if (known !== undefined) return known;
    const above = directory === '' ? rules.outer : scopeOf(parentOf(directory));
    const text = readWhole(join(root, directory, RULE_FILE))?.bytes.toString();
    const own =
      text === undefined
        ? null
        : { directory, prefix: '', patterns: parseIgnoreFile(text, { foldCase }), above };
    scopes.set(directory, own ?? above);
    return own ?? above;
  };

  const insideOf = (directory: string): Inside => {
    if (directory === '') return 'nothing special';
    const known = insides.get(directory);
    if (known) return known;
    const above = parentOf(directory);
    const why = rules.leaveOut(directory, true, () => scopeOf(above), insideOf(above));
    // An excluded directory is entered only for requested files.
    const inside = why ? 'ignored' : rules.within(directory, insideOf(above));
    insides.set(directory, inside);
    return inside;
  };

  return {
    maxBytes: rules.maxBytes,
    isAlso: (path) => also.has(path),
    leaveOut(path, isDirectory) {
      if (isDirectory ? aboveAlso.has(path) : also.has(path)) return null;
      const above = parentOf(path);
      const why = rules.leaveOut(path, isDirectory, () => scopeOf(above), insideOf(above));
      // Something in it is captured anyway.
      return why === 'ignored' && isDirectory && rules.entersIgnored(path) ? null : why;
    },
  };
}

function directoriesAbove(path: string): string[] {
  const above = parentOf(path);
  return above === '' ? [] : [above, ...directoriesAbove(above)];
}

/** Whether a file of this size would not be captured, there or not. */
export function isLeftOut(judge: Judge, { path, size }: { path: string; size: number }): boolean {
  if (size > judge.maxBytes || judge.leaveOut(path, false)) return true;
  return directoriesAbove(path).some((one) => judge.leaveOut(one, true));
}
