/**
 * Tasks that this process does not own, as it last read them: the next call reads only what was appended since. The sum that
 * ends the last line covers the whole log and its identity. While it is where it was, the log is the same up to there.
 */
import { CorruptError } from '../../errors.ts';
import { openIfExists, readRange } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import { refuseLinks } from '../../system/own-files.ts';
import type { Layout } from './layout.ts';
import { loadScope, readOn, type Scope } from './scope.ts';

interface Unowned {
  /** The task as its log has it now; null when it has none. */
  scope(task: string): Scope | null;
}

interface CachedScope {
  readonly scope: Scope;
  /** The index it was read with. A later one may have seen more of the log than there is now. */
  readonly index: string;
}

/** As many tasks are kept: readers mostly ask about one, many times. */
const MOST_TASKS = 8;

export function createUnowned(layout: Layout): Unowned {
  const kept = new Map<string, CachedScope>();
  return {
    scope(task) {
      const index = versionOf(layout.taskIndex(task));
      const known = kept.get(task);
      kept.delete(task);
      const isKept = known !== undefined && known.index === index && isCurrent(layout, known.scope);
      const scope = isKept ? known.scope : loadScope(layout, task);
      if (scope) kept.set(task, { scope, index }); // The one that was asked for last goes last.
      if (kept.size > MOST_TASKS) kept.delete(kept.keys().next().value!);
      return scope;
    },
  };
}

/** Indexes are replaced, never changed. */
function versionOf(path: string): string {
  const found = io.lstat(path);
  return found ? `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}` : '';
}

/** Reads what was appended. False when everything has to be read again. */
function isCurrent(layout: Layout, scope: Scope): boolean {
  refuseLinks([layout.taskDir(scope.task!), scope.path]);
  const file = openIfExists(scope.path);
  if (!file) return false;
  try {
    const line = `${scope.sum}\n`;
    const found = readRange(file, scope.end - line.length, scope.end + 1);
    if (found.toString('latin1', 0, line.length) !== line) return false;
    // A zero is the room of its owner.
    if (found.length > line.length && found.at(-1) !== 0) readOn(scope, file);
    return true;
  } catch (error) {
    if (error instanceof CorruptError) return false; // Reading all of it says what is wrong.
    throw error;
  } finally {
    io.close(file);
  }
}
