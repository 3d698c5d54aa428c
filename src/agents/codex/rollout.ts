/** Codex's rollout: a line for each event of its turns, each within the turn that began last. Pure. */

import type { ConversationPoint } from '../../engine/history/conversation-end.ts';
import { isObject } from '../../system/json.ts';
import { type Line, objectsIn, textIn } from '../json-line.ts';

const payloadOf = ({ payload }: Line): Line => (isObject(payload) ? payload : {});

/** The turn that begins with this line. */
function turnBegunIn(line: Line): string | undefined {
  const payload = payloadOf(line);
  if (line.type !== 'event_msg' || payload.type !== 'task_started') return undefined;
  const { turn_attribution: by } = payload;
  return textIn(payload, 'turn_id') ?? (isObject(by) ? textIn(by, 'turn_id') : undefined);
}

/** What the assistant said in a line; undefined for every other one. */
export function saidIn(line: Line): { readonly ref: string; readonly content: string } | undefined {
  const { type, role, id, content } = payloadOf(line);
  if (line.type !== 'response_item' || type !== 'message' || role !== 'assistant' || typeof id !== 'string')
    return undefined;
  const text = objectsIn(content)
    .map((part) => textIn(part, 'text') ?? '')
    .join('');
  return text === '' ? undefined : { ref: id, content: text };
}

/** Whether that call failed, in the line that has its end; undefined in every other one. */
export function failedIn(line: Line, call: string): boolean | undefined {
  const { type, item } = payloadOf(line);
  if (line.type !== 'event_msg' || type !== 'item_completed' || !isObject(item) || item.id !== call)
    return undefined;
  return item.status === 'failed' || (typeof item.exit_code === 'number' && item.exit_code !== 0);
}

/** Whether this is the message with that id, or where its turn begins. */
export function isNamed(line: Line, ref: string): boolean {
  return turnBegunIn(line) === ref || saidIn(line)?.ref === ref;
}

/** The turn that a place is in, and whether all of that turn comes before it. */
interface TurnAt {
  readonly turn: string;
  readonly over: boolean;
  /** It is the turn's beginning. */
  readonly begins: boolean;
}

/** `lines` are newest first. Undefined if there is no such place. */
export function turnAt(
  lines: Iterable<Line>,
  point: Exclude<ConversationPoint, { before: 'everything' }>,
): TurnAt | undefined {
  const begins = 'before' in point && point.before === 'prompt';
  /** Something of the turn was said or done after the place. */
  let more = false;
  let found = false;
  for (const line of lines) {
    const turn = turnBegunIn(line);
    if (found && turn !== undefined)
      return { turn, over: !more && 'after' in point && point.after !== 'prompt', begins };
    if (!found && isAt(line, turn, point)) {
      if (turn !== undefined) return { turn, over: false, begins };
      found = true;
    }
    if (turn !== undefined) more = false;
    else if (!found) more ||= saidIn(line) !== undefined || callIn(line) !== undefined;
  }
  return undefined;
}

function isAt(
  line: Line,
  turn: string | undefined,
  point: Exclude<ConversationPoint, { before: 'everything' }>,
): boolean {
  if ('id' in point) return callIn(line) === point.id;
  if ('after' in point && point.after === 'message')
    return saidIn(line)?.ref === point.ref || (point.call !== undefined && callIn(line) === point.call);
  return turn === point.ref;
}

/** The call that is made, or whose result comes. */
function callIn(line: Line): string | undefined {
  return line.type === 'response_item' ? textIn(payloadOf(line), 'call_id') : undefined;
}
