/** Who changed files between two points of a task's journal: snapshots, and who was at work before each. Pure. */
import { isAtOrAbove } from '../../workspace/restore/plan.ts';
import { type Cut, isAfter } from '../task/cut.ts';
import type { EntryOf } from '../task/entries.ts';
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

/** The operation that changed something: the last entry about it, in whose journal. */
export interface Maker {
  readonly task: string;
  readonly seq: number;
  readonly id: string;
  readonly name: string;
  /** `''` for the task itself. */
  readonly agent: string;
}

interface Author {
  /** `task`, `shell` or `agent:{name}`. */
  readonly name: string;
  /** The operation, where it is one. */
  readonly maker?: Maker;
  /** The files that it can have changed; default: any. */
  readonly paths?: readonly string[];
}

const OTHERS = 'you';

/** Oldest first, each operation by itself; the first one is where it starts. `cut`: nobody runs the task at `to`. */
export function looksBetween(files: FileEntries, head: Head, from: Side, to: Side, cut = false): Look[] {
  const found: Look[] = [];
  let open = new Map<string, Working>();
  /** Their ends were not recorded. */
  let cutOff = new Map<string, Working>();
  let since = 0;
  let isPassed = false;
  const look = (snapshot: string, time: number, by: readonly Author[], only?: readonly string[]): void => {
    if (!isPassed) return;
    if (found.length === 0)
      found.push({ snapshot: from.snapshot, by: [], during: { since: time, until: time } });
    const during = { since, until: time };
    if (snapshot !== found.at(-1)!.snapshot) found.push({ snapshot, by, during, ...(only && { only }) });
    if (!only) since = time;
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
        open.set(entry.id, authorOf(entry, task, seq));
        break;
      case 'step':
      case 'failure': {
        // Its process was killed, and not the operation, if its end came after all.
        const own = open.get(entry.id) ?? (entry.files ? cutOff.get(entry.id) : undefined);
        if (!own) break;
        cutOff.delete(entry.id);
        own.maker.seq = seq;
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
      case 'take':
        if (!entry.changed) break;
        look(entry.changed.from, time, all());
        open = new Map();
        cutOff = new Map();
        look(entry.changed.to, time, [{ name: `task:${entry.from}` }]);
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

/** Its entries come one by one. */
interface Working extends Author {
  readonly maker: Maker & { seq: number };
}

/** Stretches of one author that follow each other are one, but for operations that may have changed some of these files. */
export function joinLooks(looks: readonly Look[], apart: readonly string[] | 'all' = []): Look[] {
  const found: Look[] = [];
  for (const next of looks) {
    const last = found.at(-1);
    const isOne = found.length > 1 && isSameAuthor(last!, next) && ![last!, next].some(isApart);
    if (!isOne) found.push(next);
    else found[found.length - 1] = together(last!, next);
  }
  return found;

  function isApart({ only, by }: Look): boolean {
    if (only !== undefined || apart === 'all') return true;
    return by.some(({ paths }) => apart.some((path) => paths?.some((one) => isAtOrAbove(path, one)) ?? true));
  }
}

function isSameAuthor({ by: a }: Look, { by: b }: Look): boolean {
  return a.length === b.length && a.length < 2 && a[0]?.name === b[0]?.name;
}

function together({ by: a, during: { since } }: Look, next: Look): Look {
  const during = { since, until: next.during.until };
  return { ...next, by: a[0] && next.by[0] ? [joined(a[0], next.by[0])] : [], during };
}

function joined({ name, paths }: Author, other: Author): Author {
  return paths && other.paths ? { name, paths: [...new Set([...paths, ...other.paths])] } : { name };
}

/** Null where it may have been several. */
export function authorFor({ by }: Look, path: string): { by: string | null; maker: Maker | null } {
  const all = by.filter(({ paths }) => paths?.some((one) => isAtOrAbove(path, one)) ?? true);
  const [one = OTHERS, ...more] = new Set(all.map(({ name }) => name));
  const maker = all.length === 1 ? (all[0]!.maker ?? null) : null;
  return { by: more.length === 0 ? one : null, maker };
}

export function covers({ only }: Look, path: string): boolean {
  return only?.some((one) => isAtOrAbove(path, one)) ?? true;
}

function authorOf(
  { id, name: of, agent, danger, paths }: EntryOf<'begin'>,
  task: string,
  seq: number,
): Working {
  const name = nameOf(agent, danger === 'shell_command' ? 'shell' : 'step');
  return { name, maker: { task, seq, id, name: of, agent }, ...(paths && { paths }) };
}

/** A sub-agent is told by its name, whatever it uses. */
function nameOf(agent: string, by: 'step' | 'tool' | 'shell'): string {
  if (agent !== '') return `agent:${agent.replace(/^\//, '')}`;
  return by === 'shell' ? 'shell' : 'task';
}
