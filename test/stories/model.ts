/**
 * What must be in the files: every edit by anybody is a mark that no other edit has. A person's is there exactly once; a
 * task's as often as its journal, and what was taken back since, says. Nothing here knows how the engine does it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGES, slotsIn } from '../agents/pages.ts';

/** `may`: once or not at all. `any`: somebody chose what leaves it open. */
export type There = 'once' | 'never' | 'may' | 'any';

export interface Found {
  readonly files: ReadonlyMap<string, string>;
  /** Where each mark is. */
  readonly marks: ReadonlyMap<string, readonly string[]>;
}

export function look(dir: string): Found {
  const files = new Map<string, string>();
  for (const name of readdirSync(dir).sort())
    if (name !== '.vibe-engine') files.set(name, readFileSync(join(dir, name), 'utf8'));
  const marks = new Map<string, string[]>();
  for (const [name, text] of files)
    for (const [, line] of text.matchAll(/^slot \d((?: \S+)*)$/gm))
      for (const mark of line!.split(' ').filter(Boolean))
        marks.set(mark, [...(marks.get(mark) ?? []), name]);
  return { files, marks };
}

export interface Model {
  /** What a person wrote, or what is known beyond the journals. */
  readonly known: Map<string, There>;
  /** What the journal of each task says of its marks. */
  readonly journals: Map<string, ReadonlyMap<string, There>>;
  /** Taken back by the task that made them, and perhaps brought back by a fork: there, they are the fork's. */
  readonly forks: Set<string>;
}

export function newModel(): Model {
  return { known: new Map(), journals: new Map(), forks: new Set() };
}

/** What is wrong with the files, in a sentence each. */
export function judge({ known, journals }: Model, { files, marks }: Found): string[] {
  const expected = new Map<string, There>();
  for (const journal of journals.values()) for (const [mark, there] of journal) expected.set(mark, there);
  for (const [mark, there] of known) expected.set(mark, there);
  const problems: string[] = [];
  for (const [mark, there] of expected) {
    const times = marks.get(mark)?.length ?? 0;
    if (there === 'once' && times === 0) problems.push(`lost: ${mark} is nowhere`);
    if (there === 'never' && times > 0) problems.push(`${mark} is in ${marks.get(mark)}, and was taken back`);
    if (there !== 'any' && times > 1) problems.push(`doubled: ${mark} is there ${times} times`);
  }
  for (const [mark, where] of marks)
    if (!expected.has(mark)) problems.push(`nobody wrote ${mark}, and it is in ${where}`);
  for (const [name, text] of files) {
    if (!PAGES.includes(name)) continue;
    try {
      slotsIn(name, text);
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  return problems;
}

/** Whether a refused verb left every byte as it was. */
export function changedFiles(before: Found, after: Found): string[] {
  const names = new Set([...before.files.keys(), ...after.files.keys()]);
  return [...names].filter((name) => before.files.get(name) !== after.files.get(name));
}
