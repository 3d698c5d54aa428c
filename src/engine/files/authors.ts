/** Who changed files between two points of a task's journal: snapshots, and who was at work before each. Pure. */
import { isAtOrAbove } from '../../workspace/restore/plan.ts';
import { type Cut, isAfter } from '../task/cut.ts';
import type { Entry, EntryOf } from '../task/entries.ts';
import type { Head } from '../task/records/head.ts';
import type { FileEntries } from './own-changes.ts';
import type { During } from './spans.ts';

/** A point with its files. */
export interface Side extends Cut {
  readonly snapshot: string;
}

/** The files were looked at. */
export interface Look {
  readonly snapshot: string;
  /** Who was at work since the look before; nobody of the task where there is none. */
  readonly by: readonly Author[];
  /** It tells of these files alone. */
  readonly only?: readonly string[];
  readonly during: During;
}

interface Author {
  /** `task`, `shell` or `agent:{name}`. */
  readonly name: string;
  /** The files that it can have changed; default: any. */
  readonly paths?: readonly string[];
}

const OTHERS = 'you';

/** Oldest first; the first one is where it starts. `cut`: nobody runs the task at `to`. */
export function looksBetween(files: FileEntries, head: Head, from: Side, to: Side, cut = false): Look[] {
  const found: Look[] = [];
  let open = new Map<string, Author>();
  /** Their ends were not recorded. */
  let cutOff = new Map<string, Author>();
  let since = 0;
  let isPassed = false;
  const look = (snapshot: string, time: number, by: readonly Author[], only?: readonly string[]): void => {
    if (!isPassed) return;
    if (found.length === 0)
      found.push({ snapshot: from.snapshot, by: [], during: { since: time, until: time } });
    const during = { since, until: time };
    if (snapshot !== found.at(-1)!.snapshot) add(found, { snapshot, by, during, ...(only && { only }) });
    since = time;
  };
  /** Where operations were cut off, anybody may have been at work since. */
  const all = (cut = cutOff.size > 0): Author[] => [
    ...open.values(),
    ...cutOff.values(),
    ...(cut ? [{ name: OTHERS }] : []),
  ];
  for (const { task, seq, entry } of files) {
    if (isAfter(head, to, { task, seq })) break;
    isPassed ||= isAfter(head, from, { task, seq });
    const time = Date.parse(entry.at);
    switch (entry.t) {
      case 'begin':
        look(entry.snapshot!, time, all());
        cutOff = new Map();
        open.set(entry.id, authorOf(entry));
        break;
      case 'step':
      case 'failure': {
        // Its process was killed, and not the operation, if its end came after all.
        const own = open.get(entry.id) ?? (entry.files ? cutOff.get(entry.id) : undefined);
        if (!own) break;
        cutOff.delete(entry.id);
        if (entry.files) end(entry, { ...own, name: nameOf(entry.agent, entry.files.by) });
        else cutOff.set(entry.id, own);
        open.delete(entry.id);
        break;
      }
      case 'skip':
        open.delete(entry.id);
        break;
      case 'recovery':
        for (const [id, author] of open) cutOff.set(id, author);
        open = new Map();
        break;
      case 'fork':
        open = new Map();
        cutOff = new Map();
        break;
      case 'rollback':
        open = new Map();
        cutOff = new Map();
        if (entry.snapshot !== undefined) look(entry.snapshot, time, []);
        break;
      case 'checkpoint':
        look(entry.mark!.snapshot!, time, all());
        break;
    }
  }
  isPassed = true;
  look(to.snapshot, Number.POSITIVE_INFINITY, all(cutOff.size > 0 || (cut && open.size > 0)));
  return found;

  /** Where others changed files in the meantime, its own part is known apart. */
  function end({ id, at, ms, files }: Ended, own: Author): void {
    const time = Date.parse(at) + ms;
    const { from, to, own: part } = files!;
    const rest = [...open].filter(([other]) => other !== id).map(([, author]) => author);
    const isApart = part !== undefined && (part.from === part.to || own.paths !== undefined);
    if (isApart && part.from !== part.to) {
      look(part.from, time, rest, own.paths);
      look(part.to, time, [own], own.paths);
    }
    // What came after a result was answered is not its own.
    const isAnswered = !isApart && part?.from === from;
    if (isAnswered) look(part!.to, time, [own, ...rest, ...cutOff.values()]);
    look(to, time, isApart || isAnswered ? rest : [own, ...rest, ...cutOff.values()]);
  }
}

type Ended = EntryOf<'step'> | EntryOf<'failure'>;

/** Stretches of one author that follow each other are one. */
function add(looks: Look[], next: Look): void {
  const last = looks.at(-1)!;
  const [a, b] = [last.by, next.by];
  const isOne = looks.length > 1 && a.length === b.length && a.length < 2 && a[0]?.name === b[0]?.name;
  if (!isOne || last.only || next.only) {
    looks.push(next);
    return;
  }
  const during = { since: last.during.since, until: next.during.until };
  looks[looks.length - 1] = { ...next, by: a[0] && b[0] ? [joined(a[0], b[0])] : [], during };
}

function joined({ name, paths }: Author, other: Author): Author {
  return paths && other.paths ? { name, paths: [...new Set([...paths, ...other.paths])] } : { name };
}

/** Null where it may have been several. */
export function nameFor({ by }: Look, path: string): string | null {
  const names = by
    .filter(({ paths }) => paths?.some((one) => isAtOrAbove(path, one)) ?? true)
    .map(({ name }) => name);
  const [one = OTHERS, ...more] = new Set(names);
  return more.length === 0 ? one : null;
}

export function tellsOf({ only }: Look, path: string): boolean {
  return only?.some((one) => isAtOrAbove(path, one)) ?? true;
}

function authorOf({ agent, danger, paths }: Extract<Entry, { t: 'begin' }>): Author {
  const name = nameOf(agent, danger === 'shell_command' ? 'shell' : 'step');
  return { name, ...(paths && { paths }) };
}

/** A sub-agent is told by its name, whatever it uses. */
function nameOf(agent: string, by: 'step' | 'tool' | 'shell'): string {
  if (agent !== '') return `agent:${agent.replace(/^\//, '')}`;
  return by === 'shell' ? 'shell' : 'task';
}
