/**
 * Gemini CLI's transcript: messages by their ids, each as often as it changed, lines that set all of them, and lines that
 * take some back. Its hooks name neither prompts nor calls, so these are found by their times: a prompt is written after its
 * hook was called, an answer before those of its calls. Pure.
 */

import type { ConversationPoint } from '../../engine/history/conversation-end.ts';
import { timeOfId } from '../../system/ids.ts';
import { isObject } from '../../system/json.ts';
import { type Line, objectsIn, parseLine, textIn } from '../json-line.ts';

interface Record {
  /** The lines of a session that are no messages, as one. */
  readonly head: Line;
  readonly messages: readonly Line[];
}

/** As Gemini CLI reads it. */
export function readRecord(texts: readonly string[]): Record {
  let head: Line = {};
  const messages = new Map<string, Line>();
  /** When each was written first: a session that is resumed has all of them written again. */
  const times = new Map<string, unknown>();
  const put = (line: Line): void => {
    const { id } = line;
    if (typeof id !== 'string') return;
    if (!times.has(id)) times.set(id, line.timestamp);
    messages.set(id, { ...line, timestamp: times.get(id) });
  };
  for (const line of texts.map(parseLine)) {
    if (!line) continue;
    const { $rewindTo: to, $set: set } = line;
    if (typeof to === 'string') takeBack(messages, to);
    else if (isObject(set)) {
      const { messages: all, ...rest } = set;
      head = { ...head, ...rest };
      if (!Array.isArray(all)) continue;
      messages.clear();
      for (const one of objectsIn(all)) put(one);
    } else if (typeof line.id === 'string') put(line);
    else head = { ...head, ...line };
  }
  return { head, messages: [...messages.values()] };
}

function takeBack(messages: Map<string, Line>, to: string): void {
  const ids = [...messages.keys()];
  for (const id of ids.slice(Math.max(0, ids.indexOf(to)))) messages.delete(id);
}

interface CutMessages {
  readonly messages: readonly Line[];
  /** False where calls of one answer cannot be told apart. */
  readonly exact: boolean;
}

/** The messages up to that place; null if there is no such place. */
export function cutMessages(messages: readonly Line[], point: ConversationPoint): CutMessages | null {
  const upTo = (end: number, exact = true): CutMessages | null =>
    end < 0 ? null : { messages: messages.slice(0, end), exact };
  if ('before' in point) {
    if (point.before === 'everything') return upTo(0);
    if (point.before === 'prompt') return upTo(promptAt(messages, point.ref));
    const at = answerAt(messages, point.id);
    return upTo(at, !isOneOfSeveral(messages[at]));
  }
  switch (point.after) {
    case 'prompt':
      return upTo(promptAt(messages, point.ref) + 1 || -1);
    case 'call': {
      const at = answerAt(messages, point.id);
      return upTo(afterAnswer(messages, at), !isOneOfSeveral(messages[at]));
    }
    case 'message': {
      const at = messages.findIndex(({ id }) => id === point.ref);
      const call = point.call === undefined ? -1 : answerAt(messages, point.call);
      return upTo(Math.max(afterAnswer(messages, at), afterAnswer(messages, call)));
    }
  }
}

const timeOf = (line: Line): number => Date.parse(textIn(line, 'timestamp') ?? '');

/** The first that was written since its hook was called. */
function promptAt(messages: readonly Line[], ref: string): number {
  const time = Date.parse(ref);
  return messages.findIndex((line) => isPrompt(line) && timeOf(line) >= time);
}

/** The answer with that call: the last with calls that was written before its hook was called. */
function answerAt(messages: readonly Line[], call: string): number {
  const own = messages.findIndex((line) => objectsIn(line.toolCalls).some(({ id }) => id === call));
  if (own >= 0) return own;
  const time = timeOfId(call);
  return messages.findLastIndex((line) => callsIn(line) > 0 && timeOf(line) <= time);
}

/** With the results of its calls; -1 for none. */
function afterAnswer(messages: readonly Line[], at: number): number {
  if (at < 0) return -1;
  const next = messages[at + 1];
  return next && isResult(next) ? at + 2 : at + 1;
}

function isOneOfSeveral(line: Line | undefined): boolean {
  return line !== undefined && callsIn(line) > 1;
}

/** How many calls an answer has. In a session that was resumed they are parts of what it says. */
function callsIn({ type, toolCalls, content }: Line): number {
  if (type !== 'gemini') return 0;
  return objectsIn(toolCalls).length || objectsIn(content).filter((part) => 'functionCall' in part).length;
}

function isResult({ type, content }: Line): boolean {
  return type === 'user' && objectsIn(content).some((part) => 'functionResponse' in part);
}

/** The first message of a session is what the client says of its surroundings. */
function isPrompt(line: Line): boolean {
  return line.type === 'user' && !isResult(line) && !contentOf(line).startsWith('<session_context>');
}

function contentOf({ content }: Line): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .map((part) => textIn(part, 'text') ?? '')
    .join('');
}

/** What the assistant said in a message; undefined for every other one. */
export function saidIn(line: Line): { readonly ref: string; readonly content: string } | undefined {
  const content = line.type === 'gemini' && typeof line.id === 'string' ? contentOf(line) : '';
  return content.trim() === '' ? undefined : { ref: line.id as string, content };
}

/** Whether all that comes after it was said since: it is that message, or from before that prompt. */
export function isBefore(line: Line, since: string): boolean {
  return line.id === since || timeOf(line) < Date.parse(since);
}
