/** Reads an exported file and checks all of it before anything is stored. Blobs are checked, but not kept. */
import { hash } from 'node:crypto';
import { phrase } from '../../phrase.ts';
import { assertKey } from '../../storage/keys.ts';
import { decode } from '../../storage/serialize.ts';
import { parseEntry } from '../task/entries.ts';
import { kindOf } from '../task/layout.ts';
import { HEAD, type Head, openHead } from '../task/records/head.ts';
import { keyOf } from '../task/records/kind.ts';
import { STATE } from '../task/records/state.ts';
import {
  broken,
  type PortableContent,
  type PortableHeader,
  type PortableLimits,
  type PortablePart,
} from './format.ts';

export interface ReadTask {
  readonly task: string;
  /** How many entries its journal ever had. */
  readonly end: number;
  readonly head: Head;
  /** By their numbers; those that are missing were cut. */
  readonly entries: ReadonlyMap<number, string>;
  /** At `tasks/{task}/`. */
  readonly records: ReadonlyMap<string, unknown>;
}

export interface ReadFile {
  readonly header: PortableHeader;
  readonly tasks: readonly ReadTask[];
  /** Records outside tasks. */
  readonly others: readonly { readonly category: string; readonly key: string; readonly data: unknown }[];
}

type Line<T extends PortableContent['t']> = Extract<PortableContent, { t: T }>;

export async function readPortable(
  parts: AsyncIterable<PortablePart>,
  { max_held, max_entries }: Pick<PortableLimits, 'max_held' | 'max_entries'>,
): Promise<ReadFile> {
  let header: PortableHeader | undefined;
  const entries = new Map<string, Map<number, string>>();
  const records = new Map<string, Map<string, unknown>>();
  const others: ReadFile['others'][number][] = [];
  let held = 0;
  const hold = (text: string): void => {
    held += text.length;
    if (held > max_held) throw broken(phrase`its entries and records have more than ${max_held} characters`);
  };
  const takeEntry = ({ task, seq, data }: Line<'entry'>): void => {
    const journal = entries.get(task) ?? unknownTask(task);
    if (seq < 1 || seq > endOf(header!, task) || journal.has(seq))
      throw broken(phrase`entry ${seq} is out of place`);
    parseEntry(decode(data), seq);
    journal.set(seq, data);
  };
  const takeRecord = ({ category, key, data }: Line<'record'>): void => {
    assertKey(key);
    const task = taskOfRecord(category, key);
    const of = records.get(task) ?? unknownTask(task);
    if (category !== 'tasks') others.push({ category, key, data: decode(data) });
    else if (of.has(key)) throw broken(phrase`the record ${key} is there twice`);
    else of.set(key, decode(data));
  };
  for await (const part of parts) {
    if ('header' in part) {
      header = part.header;
      const entriesEver = header.tasks.reduce((sum, { end }) => sum + end, 0);
      if (entriesEver > max_entries) throw broken(phrase`its journals have more than ${max_entries} entries`);
      for (const { task } of header.tasks) {
        entries.set(task, new Map());
        records.set(task, new Map());
      }
    } else if (part.line.t === 'blob') checkBlob(part.line, (task) => entries.has(task));
    else {
      hold(part.line.data);
      if (part.line.t === 'entry') takeEntry(part.line);
      else takeRecord(part.line);
    }
  }
  if (
    header === undefined ||
    header.tasks.at(-1)!.task !== header.task ||
    entries.size !== header.tasks.length
  )
    throw broken(phrase`its header does not name its task`);
  const tasks = header.tasks.map(({ task, end }) => {
    const of = records.get(task)!;
    return { task, end, head: headOf(task, of), entries: entries.get(task)!, records: of };
  });
  for (const one of tasks) checkReferences(one, header);
  return { header, tasks, others };
}

/** What a task shares must be in the file, and what it can redo must be its own. */
function checkReferences({ task, head, records }: ReadTask, { tasks }: PortableHeader): void {
  for (const { task: parent, to } of head.lineage) {
    const end = parent === task ? undefined : tasks.find((one) => one.task === parent)?.end;
    if (end === undefined || to > end) throw broken(phrase`${task} shares data that is not in it`);
  }
  for (const [key, data] of records) kindOf('tasks', key)!.kind.check?.(data, task);
}

/** Only what a task is made of: a file brings nothing else into a store. */
function taskOfRecord(category: string, key: string): string {
  const known = kindOf(category, key);
  if (known?.kind.travels === 'always') return known.task;
  throw broken(phrase`no task has a record ${category}/${key}`);
}

/** Without these there is no task; their content is checked with all others. */
function headOf(task: string, records: ReadonlyMap<string, unknown>): Head {
  STATE.check!(records.get(keyOf(STATE, task)), task);
  return openHead(task, records.get(keyOf(HEAD, task)));
}

function checkBlob({ task, id, base64 }: Line<'blob'>, isKnown: (task: string) => boolean): void {
  if (task !== null && !isKnown(task)) unknownTask(task);
  if (task === null && !/^(?:snapshot|tree|file)\//.test(id))
    throw broken(phrase`the blob ${id} belongs to no task`);
  if (hash('sha256', Buffer.from(base64, 'base64')) !== id.slice(id.indexOf('/') + 1))
    throw broken(phrase`the blob ${id} does not match its hash`);
}

function endOf({ tasks }: PortableHeader, task: string): number {
  return tasks.find((one) => one.task === task)!.end;
}

function unknownTask(task: string): never {
  throw broken(phrase`its header does not name the task ${task}`);
}
