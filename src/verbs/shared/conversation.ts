/** The conversation of an agent in its own program, which goes back and forth with its task. */
import type { Continuation } from '../../agents/rewind/rewind.ts';
import type { ConversationCut } from '../../engine/recovery/rollback-results.ts';
import { VibeError } from '../../errors.ts';
import type { Call } from '../kit/verb.ts';

type Caller = Pick<Call, 'say' | 'translate' | 'paint' | 'store' | 'now' | 'invoke'>;

/** What an answer says of it: how the agent continues, or why that is not known. */
export const CONVERSATION = 'any';

interface ConversationReport {
  /** Null for a task that is none of such an agent. */
  readonly conversation: unknown;
  readonly lines: readonly string[];
}

export const NOTHING_SAID: ConversationReport = { conversation: null, lines: [] };

/** Null for a task that is none of an agent in its own program. */
export async function continuation(
  { store, now }: Pick<Call, 'store' | 'now'>,
  task: string,
): Promise<Continuation | null> {
  const { continuationOf } = await import('../../agents/rewind/rewind.ts');
  return continuationOf((await store()).storage, task, now);
}

/** Takes the conversation to where the task is. That it cannot be taken there is said: the task is there already. */
export async function moveConversation(
  call: Caller,
  task: string,
  short: string,
): Promise<ConversationReport> {
  const { say, translate, paint, invoke } = call;
  try {
    const found = await continuation(call, task);
    if (!found) return NOTHING_SAID;
    return { conversation: dataOf(found), lines: [endLine(found, call), commandLine(found, call)] };
  } catch (error) {
    if (!(error instanceof VibeError)) throw error;
    const { code, message, hint } = error;
    const lines = [
      paint.warn(say('conversation.stays', { problem: translate(message) })),
      say('conversation.again', { command: invoke(`resume ${short}`), hint: translate(hint) }),
    ];
    return { conversation: { problem: { code, message, hint } }, lines };
  }
}

/** What it will be, before anything is done. */
export async function previewConversation(
  { say }: Pick<Call, 'say'>,
  cut: ConversationCut | null,
): Promise<ConversationReport> {
  if (!cut) return NOTHING_SAID;
  const { titleOf } = await import('../../agents/rewind/rewind.ts');
  const title = titleOf(cut.client);
  const { place } = cut;
  const isEmpty = place !== null && 'before' in place && place.before === 'everything';
  const text = say(
    place === null
      ? 'conversation.will_be_whole'
      : isEmpty
        ? 'conversation.will_be_empty'
        : 'conversation.will_be_cut',
    { title },
  );
  return { conversation: { ...cut, title, text }, lines: [text] };
}

export function dataOf({ client, title, session, command, line, cut, headless }: Continuation) {
  return {
    client,
    title,
    session,
    command: [command.command, ...command.args],
    line,
    cwd: command.cwd,
    headless: headless === true,
    cut: cut !== null,
    exact: cut?.exact ?? true,
  };
}

function endLine({ title, cut }: Continuation, { say, paint }: Caller): string {
  if (!cut) return say('conversation.whole', { title });
  if (!cut.exact) return paint.warn(say('conversation.near', { title }));
  return say(cut.empty ? 'conversation.empty' : 'conversation.cut', { title });
}

export function commandLine({ line, command: { cwd } }: Continuation, { say }: Pick<Call, 'say'>): string {
  return say('conversation.command', { command: line, dir: cwd });
}
