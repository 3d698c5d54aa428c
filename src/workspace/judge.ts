/** Whether a path is captured, by the rules that hold where it is. Ignore files are read only when something is judged by them. */
import { join } from 'node:path';
import { readWhole } from '../system/hash-files.ts';
import { parseIgnoreFile } from './gitignore.ts';
import { type Inside, RULE_FILE, type Rules, type Scope } from './rules.ts';
import { type OmitReason, parentOf } from './tree.ts';

export interface Judge {
  /** Why it is left out, or null. */
  leaveOut(path: string, isDirectory: boolean): OmitReason | null;
  readonly maxBytes: number;
}

/** For one scan: what it read of ignore files it believes until the end. */
export function createJudge(root: string, rules: Rules, foldCase: boolean): Judge {
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
    const inside = why === 'ignored' ? 'ignored' : rules.within(directory, insideOf(above));
    insides.set(directory, inside);
    return inside;
  };

  return {
    maxBytes: rules.maxBytes,
    leaveOut(path, isDirectory) {
      const above = parentOf(path);
      const why = rules.leaveOut(path, isDirectory, () => scopeOf(above), insideOf(above));
      // Something in it is captured all the same.
      return why === 'ignored' && isDirectory && rules.entersIgnored(path) ? null : why;
    },
  };
}
