/** What an undo and a redo must leave, told from who changed each path when. Every difference from that has to be named. */
import { isDeepStrictEqual } from 'node:util';
import type { Files, Thing } from '../workspace/ground.ts';

export type Who = 'task' | 'person';

interface Change {
  readonly who: Who;
  readonly before: Thing | undefined;
  readonly after: Thing | undefined;
}

export interface Ledger {
  /** The files as they are when somebody has done something. */
  note(who: Who, files: Files): void;
  changes(path: string): readonly Change[];
  readonly start: Files;
}

export function createLedger(start: Files): Ledger {
  const history = new Map<string, Change[]>();
  let last = start;
  return {
    start,
    note(who, files) {
      for (const path of new Set([...last.keys(), ...files.keys()])) {
        const [before, after] = [last.get(path), files.get(path)];
        if (isDeepStrictEqual(before, after)) continue;
        history.set(path, [...(history.get(path) ?? []), { who, before, after }]);
      }
      last = files;
    },
    changes: (path) => history.get(path) ?? [],
  };
}

export function judgeUndo(ledger: Ledger, before: Files, after: Files, named: readonly string[]): string[] {
  const problems: string[] = [];
  for (const path of new Set([...ledger.start.keys(), ...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(path), after.get(path)];
    const changes = ledger.changes(path);
    const wanted = wantedAt(changes, was);
    if (isDeepStrictEqual(is, wanted) || isDeepStrictEqual(is, wantedAt(withoutDetour(changes), was)))
      continue;
    // Left as it was, or as it was when it was first captured, and said so.
    if (
      isNamed(path, named) &&
      (isDeepStrictEqual(is, was) || changes.some(({ before }) => isDeepStrictEqual(is, before)))
    )
      continue;
    problems.push(
      `undo: ${JSON.stringify(path)} is ${told(is)}, not ${told(wanted)}; it was ${told(was)}${isNamed(path, named) ? ', and is named' : ''}`,
    );
  }
  return problems;
}

/** What a person did and took back again leaves the file as the task left it: it may be put back, too. */
function withoutDetour(changes: readonly Change[]): readonly Change[] {
  const last = changes.findLastIndex(({ who }) => who === 'task');
  const isDetour = last >= 0 && isDeepStrictEqual(changes[last]!.after, changes.at(-1)!.after);
  return isDetour ? changes.slice(0, last + 1) : changes;
}

/** As before the last changes of the task's that nobody else came after; a person's last word holds. */
function wantedAt(all: readonly Change[], now: Thing | undefined): Thing | undefined {
  const changes = [...all];
  if (changes.length === 0 || changes.at(-1)!.who === 'person') return now;
  let wanted = now;
  while (changes.at(-1)?.who === 'task') wanted = changes.pop()!.before;
  return wanted;
}

export function judgeRedo(before: Files, undone: Files, after: Files, named: readonly string[]): string[] {
  return [...new Set([...before.keys(), ...undone.keys(), ...after.keys()])].flatMap((path) => {
    const [wanted, is] = [before.get(path), after.get(path)];
    if (isDeepStrictEqual(is, wanted) || (isDeepStrictEqual(is, undone.get(path)) && isNamed(path, named)))
      return [];
    return [`redo: ${JSON.stringify(path)} is ${told(is)}, not ${told(wanted)}`];
  });
}

/** By itself, or by the directory that is not captured. */
function isNamed(path: string, named: readonly string[]): boolean {
  return named.some((one) => one === path || path.startsWith(`${one}/`));
}

function told(thing: Thing | undefined): string {
  if (!thing) return 'nothing';
  if (thing.kind === 'file')
    return `a file ${thing.mode.toString(8)} ${JSON.stringify(thing.bytes.slice(0, 60))}`;
  return thing.kind === 'symlink' ? `a link to ${thing.target}` : 'a directory';
}
