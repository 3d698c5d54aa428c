/** Where a place is among the messages of opencode. Pure. */
import type { ConversationPoint } from '../../engine/history/conversation-end.ts';
import { textIn } from '../json-line.ts';
import type { Message } from './record.ts';

interface CutAt {
  /** How many messages stay. */
  readonly count: number;
  /** False where the message of the call has others, which stay or go with it. */
  readonly exact: boolean;
}

/** Null if there is no such place. */
export function cutAt(messages: readonly Message[], point: ConversationPoint): CutAt | null {
  const upTo = (count: number, exact = true): CutAt | null => (count < 0 ? null : { count, exact });
  const named = (ref: string): number => messages.findIndex(({ id }) => id === ref);
  const after = (index: number): number => (index < 0 ? -1 : index + 1);
  if ('before' in point) {
    if (point.before === 'everything') return upTo(0);
    if (point.before === 'prompt') return upTo(named(point.ref));
    const { index, first } = callAt(messages, point.id);
    return upTo(index, first);
  }
  switch (point.after) {
    case 'prompt':
      return upTo(after(named(point.ref)));
    case 'call': {
      const { index, last } = callAt(messages, point.id);
      return upTo(after(index), last);
    }
    case 'message': {
      const call = point.call === undefined ? -1 : callAt(messages, point.call).index;
      return upTo(after(Math.max(named(point.ref), call)));
    }
  }
}

/** The message with that call, and whether it is the first and the last of its calls. */
function callAt(
  messages: readonly Message[],
  call: string,
): { index: number; first: boolean; last: boolean } {
  for (const [index, { parts }] of messages.entries()) {
    const calls = parts.flatMap((part) => textIn(part, 'callID') ?? []);
    if (calls.includes(call)) return { index, first: calls[0] === call, last: calls.at(-1) === call };
  }
  return { index: -1, first: true, last: true };
}
