/**
 * Claude Code's transcript: entries with a `uuid` that name their parent, so that a rewind of its own leaves branches, and lines
 * beside them. Each block of an answer is an entry. Pure.
 */

import type { ConversationPoint } from '../../engine/history/conversation-end.ts';
import { isObject } from '../../system/json.ts';
import { type Line, objectsIn, parseLine, textIn } from '../json-line.ts';

/** What a line has to do with a call. */
const blocksOf = ({ message }: Line): readonly Line[] =>
  objectsIn(isObject(message) ? message.content : null);
const callsIn = (line: Line): string[] =>
  blocksOf(line).flatMap(({ type, id }) => (type === 'tool_use' && typeof id === 'string' ? [id] : []));
const resultsIn = (line: Line): string[] =>
  blocksOf(line).flatMap(({ type, tool_use_id: id }) =>
    type === 'tool_result' && typeof id === 'string' ? [id] : [],
  );
const messageOf = ({ type, message }: Line): string | undefined =>
  type === 'assistant' && isObject(message) ? textIn(message, 'id') : undefined;

/** A line of a prompt, which may have several; results carry the id of their prompt, too. */
function isOfPrompt(line: Line, prompt: string): boolean {
  return line.type === 'user' && line.promptId === prompt && resultsIn(line).length === 0;
}

/** Whether this is the message or the prompt with that id. */
export function isNamed(line: Line, ref: string): boolean {
  return line.uuid === ref || isOfPrompt(line, ref);
}

/** What the assistant said in a line; undefined for every other line, and for what its program says in its place. */
export function saidIn(line: Line): { readonly ref: string; readonly content: string } | undefined {
  const { type, uuid, message, isSidechain, isApiErrorMessage } = line;
  if (type !== 'assistant' || typeof uuid !== 'string' || isSidechain === true || isApiErrorMessage === true)
    return undefined;
  if (isObject(message) && message.model === '<synthetic>') return undefined;
  const content = blocksOf(line)
    .flatMap((block) => (block.type === 'text' ? (textIn(block, 'text') ?? []) : []))
    .join('\n');
  return content === '' ? undefined : { ref: uuid, content };
}

/** The lines of a session that ends at that place, none if nothing was said before it; null if there is no such place. */
export function cutLines(
  texts: readonly string[],
  point: ConversationPoint,
  session: string,
): string[] | null {
  const lines = texts.map(parseLine).filter((line) => line !== null);
  const entries = createEntries(lines);
  const end = endOf(entries, point);
  if (end === undefined) return null;
  if (end === null) return [];
  return kept(entries, end).map((line) =>
    JSON.stringify('sessionId' in line ? { ...line, sessionId: session } : line),
  );
}

interface Entries {
  readonly lines: readonly Line[];
  /** Where the line with that uuid is. */
  readonly places: ReadonlyMap<string, number>;
  parentOf(at: number): number | null;
}

function createEntries(lines: readonly Line[]): Entries {
  const places = new Map(
    lines.flatMap(({ uuid }, at) => (typeof uuid === 'string' ? [[uuid, at] as const] : [])),
  );
  const parentOf = (at: number): number | null => {
    const { parentUuid, logicalParentUuid } = lines[at]!;
    // What was summed up is no parent of the summary, but comes before it.
    const parent = parentUuid ?? logicalParentUuid;
    return (typeof parent === 'string' ? places.get(parent) : undefined) ?? null;
  };
  return { lines, places, parentOf };
}

/** The last entry that stays; null if none does, undefined if there is no such place. */
function endOf(entries: Entries, point: ConversationPoint): number | null | undefined {
  if ('before' in point) {
    if (point.before === 'everything') return null;
    return point.before === 'prompt' ? beforePrompt(entries, point.ref) : beforeCall(entries, point.id);
  }
  switch (point.after) {
    case 'call':
      return afterCall(entries, point.id);
    case 'prompt':
      return afterPrompt(entries, point.ref);
    case 'message': {
      const message = entries.places.get(point.ref);
      const call = point.call === undefined ? undefined : afterCall(entries, point.call);
      return message === undefined || call === undefined ? (message ?? call) : Math.max(message, call);
    }
  }
}

/** A fork gives all that was before it one prompt id: the prompt is the last stretch of such lines. */
function beforePrompt(entries: Entries, ref: string): number | null | undefined {
  const { lines, parentOf } = entries;
  let at: number | null = lines.findLastIndex((line) => isOfPrompt(line, ref));
  if (at < 0) return undefined;
  for (
    let parent = parentOf(at);
    parent !== null && lines[parent]!.type !== 'assistant';
    parent = parentOf(parent)
  )
    if (isOfPrompt(lines[parent]!, ref)) at = parent;
  return parentOf(at);
}

/** With what its program adds to it. */
function afterPrompt({ lines, parentOf }: Entries, ref: string): number | undefined {
  const prompt = lines.findLastIndex((line) => isOfPrompt(line, ref));
  if (prompt < 0) return undefined;
  const added = new Set([prompt]);
  let last = prompt;
  for (let at = prompt + 1; at < lines.length; at++) {
    const parent = parentOf(at);
    if (parent !== last || !added.has(parent) || lines[at]!.type === 'assistant') continue;
    added.add(at);
    last = at;
  }
  return last;
}

function beforeCall(entries: Entries, id: string): number | null | undefined {
  const { lines, parentOf } = entries;
  const at = lines.findLastIndex((line) => callsIn(line).includes(id));
  if (at < 0) return undefined;
  const message = messageOf(lines[at]!);
  let first = at;
  for (
    let parent = parentOf(at);
    parent !== null && messageOf(lines[parent]!) === message;
    parent = parentOf(parent)
  ) {
    const [earlier] = callsIn(lines[parent]!);
    if (earlier !== undefined) return afterCall(entries, earlier);
    first = parent;
  }
  return parentOf(first);
}

/** After the call itself where it has no result. */
function afterCall({ lines }: Entries, id: string): number | undefined {
  const result = lines.findLastIndex((line) => resultsIn(line).includes(id));
  if (result >= 0) return result;
  const call = lines.findLastIndex((line) => callsIn(line).includes(id));
  return call < 0 ? undefined : call;
}

/** The way to the entry, the results of calls on that way, and the lines that are none of any way. */
function kept({ lines, parentOf }: Entries, end: number): Line[] {
  const way = new Set<number>();
  for (let at: number | null = end; at !== null && !way.has(at); at = parentOf(at)) way.add(at);
  const stays = new Set(way);
  const isBeside = (at: number): boolean => {
    const parent = parentOf(at);
    if (parent === null || !stays.has(parent)) return false;
    return resultsIn(lines[at]!).length > 0 || (!way.has(parent) && lines[at]!.type === 'attachment');
  };
  for (let at = 0; at < end; at++) if (typeof lines[at]!.uuid === 'string' && isBeside(at)) stays.add(at);
  const named = new Set([...stays].map((at) => lines[at]!.uuid));
  return lines.slice(0, end + 1).filter((line, at) => {
    if (typeof line.uuid === 'string') return stays.has(at) || line.isSidechain === true;
    return line.leafUuid === undefined || named.has(line.leafUuid);
  });
}
