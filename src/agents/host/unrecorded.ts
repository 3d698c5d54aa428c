/** The words at the end of a turn, which a client's own record may have already. Pure. */
import type { HookEvent, SaidMessage } from '../client.ts';

/** What is still to be recorded of them; undefined if nothing is. */
export function unrecorded(
  { message, whole }: Pick<Extract<HookEvent, { kind: 'stop' }>, 'message' | 'whole'>,
  said: readonly SaidMessage[],
): string | undefined {
  if (message === undefined) return undefined;
  if (!whole) return said.at(-1)?.content.trim() === message.trim() ? undefined : message;
  const rest = said
    .filter(({ agent }) => agent === undefined)
    .reduce((left, { content }) => withoutFirst(left, content.trim()), message.trim());
  return rest === '' ? undefined : rest;
}

function withoutFirst(text: string, first: string): string {
  return text.startsWith(first) ? text.slice(first.length).trimStart() : text;
}
