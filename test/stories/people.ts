/** What others do to the files of a story: each change by a person has a mark of its own. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EMPTY, PAGES, type Spot, slotsIn, textOf, withMark } from '../agents/pages.ts';
import type { Random } from '../crash/random.ts';
import { look, type Model } from './model.ts';

/** So few that edits meet. */
export const STORY_PAGES: readonly string[] = PAGES.slice(0, 3);
const SLOTS = EMPTY.length;

export function drawSpot(rng: Random): Spot {
  return { path: rng.pick(STORY_PAGES), slot: rng.below(SLOTS) };
}

export function firstPages(dir: string): void {
  for (const path of STORY_PAGES) writeFileSync(join(dir, path), textOf(path, EMPTY));
}

export type Person = ReturnType<typeof createPerson>;

export function createPerson(dir: string, rng: Random, model: Model) {
  /** Marks of tasks that lay still when somebody took them out, by their file, while it is there. */
  const reverted = new Map<string, string>();
  let number = 0;
  const read = (path: string): string | null => {
    try {
      return readFileSync(join(dir, path), 'utf8');
    } catch {
      return null;
    }
  };
  const add = (): string => {
    const spot = drawSpot(rng);
    const mark = `person.${number++}`;
    const text = read(spot.path) ?? textOf(spot.path, EMPTY);
    writeFileSync(join(dir, spot.path), withMark(spot, mark, text));
    model.known.set(mark, 'once');
    return `a person adds ${mark} to ${spot.path}`;
  };
  /** What was in a file that somebody took away is gone with it; under a new name a task's marks are nobody's any more. */
  const openFor = (name: string, tasks: 'may' | 'any'): void => {
    for (const [mark, where] of look(dir).marks) {
      if (!where.includes(name) || model.known.get(mark) === 'any') continue;
      if (tasks === 'may' || !mark.startsWith('person.')) model.known.set(mark, tasks);
    }
    for (const [mark, path] of reverted) if (path === name) reverted.delete(mark);
  };
  const remove = (): string => {
    const path = rng.pick(STORY_PAGES);
    if (read(path) === null) return add();
    openFor(path, 'may');
    rmSync(join(dir, path));
    return `a person deletes ${path}`;
  };
  const rename = (): string => {
    const path = rng.pick(STORY_PAGES);
    if (read(path) === null) return add();
    const to = `renamed-${number++}.txt`;
    openFor(path, 'any');
    renameSync(join(dir, path), join(dir, to));
    return `a person renames ${path} to ${to}`;
  };
  /** Takes a task's mark out, and adds one: what merge on resume is about. */
  const revert = (when: 'meanwhile' | 'between'): string => {
    const path = rng.pick(STORY_PAGES);
    const text = read(path);
    const theirs =
      text === null
        ? []
        : slotsIn(path, text)
            .flat()
            .filter((mark) => !mark.startsWith('person.'));
    if (theirs.length === 0) return add();
    const mark = rng.pick(theirs);
    writeFileSync(join(dir, path), text!.replace(` ${mark}`, ''));
    // A task that is at work takes what it finds for what is to be there.
    if (!model.known.has(mark) && when === 'between') reverted.set(mark, path);
    if (model.known.get(mark) !== 'any') model.known.set(mark, 'may');
    return `a person takes ${mark} out of ${path}`;
  };
  return {
    /** Returns what was done, for debugging a failed story. */
    act(when: 'meanwhile' | 'between' = 'between'): string {
      const dice = rng.below(10);
      if (dice === 0) return remove();
      if (dice === 1) return rename();
      if (dice === 2) return revert(when);
      return add();
    },
    reverted,
  };
}
