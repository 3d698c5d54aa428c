/** What there is: keys of records and ids of tasks, and how much room it all takes. */
import { join, relative, sep } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { CorruptError } from '../../errors.ts';
import { namesIn } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import { isCategory, isTaskId } from '../keys.ts';
import { byCodePoint } from '../page.ts';
import type { Layout } from './layout.ts';
import type { Owned } from './owned.ts';
import { loadScope, type Scope } from './scope.ts';

/** Whether it has a commit. For tasks that this process owns, memory is more accurate: a sync may have failed. */
export function isTask(layout: Layout, task: string, owned: Pick<Owned, 'has' | 'scope'>): boolean {
  return owned.has(task) ? isCommitted(() => owned.scope(task)) : hasCommit(layout, task);
}

/** A log is made, with its first line, just before its first commit; an index is written only after one. */
export function hasCommit(layout: Layout, task: string): boolean {
  return io.lstat(layout.taskIndex(task)) !== null || isCommitted(() => loadScope(layout, task));
}

function isCommitted(scope: () => Scope | null): boolean {
  try {
    return (scope()?.start ?? 0) > 0;
  } catch (error) {
    if (error instanceof CorruptError) return true; // It had a commit once.
    throw error;
  }
}

export function taskIds(layout: Layout): string[] {
  return namesIn(layout.tasksDir).flatMap((entry) =>
    entry.isDirectory() ? (taskOf(layout, entry.name) ?? []) : [],
  );
}

/** What names of directories say, which never changes: of 10,000 tasks that takes longer than reading the names. */
const known = new WeakMap<Layout, Map<string, string | null>>();

function taskOf(layout: Layout, name: string): string | null {
  const names = known.get(layout) ?? new Map<string, string | null>();
  known.set(layout, names);
  const before = names.get(name);
  if (before !== undefined) return before;
  const task = layout.keyOf(`${name}.json`);
  const found = isTaskId(task) && layout.taskDir(task!) === join(layout.tasksDir, name) ? task : null;
  names.set(name, found);
  return found;
}

/** The keys of a category outside tasks: the files, corrected by what the log still holds. */
export function keysOutside(layout: Layout, scope: Scope, category: string): string[] {
  const keys = new Set(keysInFiles(layout, category));
  for (const record of scope.records.values()) {
    if (record.category !== category) continue;
    if (record.text === null) keys.delete(record.key);
    else keys.add(record.key);
  }
  return [...keys];
}

/** The categories outside tasks that have a record, in order. */
export function categoriesIn(layout: Layout, scope: Scope): string[] {
  const named = [...scope.records.values()].map(({ category }) => category);
  const names = new Set([...categoryDirs(layout), ...named]);
  return [...names].filter((name) => keysOutside(layout, scope, name).length > 0).sort(byCodePoint);
}

/** Directories that may hold records outside tasks; other files may be next to them. */
export function categoryDirs(layout: Layout): string[] {
  return namesIn(layout.root).flatMap((entry) =>
    entry.isDirectory() && isCategory(entry.name) && entry.name !== 'tasks' ? [entry.name] : [],
  );
}

/** The keys of a task's records; where its log is damaged, also of those that only have a file. */
export function keysOfTask(layout: Layout, scope: Scope | null): string[] {
  const files = scope?.damage ? keysInFiles(layout, 'tasks', layout.taskDir(scope.task!)) : [];
  const keys = new Set(files);
  for (const { key, text } of scope?.records.values() ?? []) {
    if (text === null) keys.delete(key);
    else keys.add(key);
  }
  return [...keys];
}

/** `within` is a directory of the category, all of it by default. */
export function keysInFiles(
  layout: Layout,
  category: string,
  within: string = layout.categoryDir(category),
): string[] {
  const dir = layout.categoryDir(category);
  const found: string[] = [];
  const walk = (inside: string): void => {
    for (const entry of namesIn(join(dir, inside))) {
      const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
      if (entry.isDirectory()) walk(path);
      const key = entry.isFile() ? layout.keyOf(path) : null;
      if (key !== null && layout.recordFile(category, key) === join(dir, path)) found.push(key);
    }
  };
  walk(relative(dir, within).split(sep).join('/'));
  return found;
}

/** How many bytes the files of a store have, without locks. A file that disappears in the meantime counts as 0. */
export async function sizeOfStore(layout: Layout): Promise<number> {
  const waiting = [layout.root];
  let bytes = 0;
  for (let dir = waiting.pop(); dir !== undefined; dir = waiting.pop()) {
    for (const entry of namesIn(dir)) {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) {
        if (path !== layout.locksDir) waiting.push(path);
      } else bytes += io.lstat(path)?.size ?? 0;
    }
    await turn(); // A large store has many directories, and other work must continue.
  }
  return bytes;
}
