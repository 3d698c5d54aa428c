/**
 * What the fake model says. A prompt names its script by a word in double brackets, `[[write]] Make a file`; the answer to a request
 * is the turn of that script whose number is how often the model has spoken since. So it follows from the conversation alone:
 * a request that is repeated gets the same answer, and a title or a summary asked for meanwhile takes nothing away.
 */

/** Something a model can ask for, in the words of no client. Paths are relative to the project. */
export type Call =
  | { readonly kind: 'write'; readonly path: string; readonly text: string }
  | { readonly kind: 'edit'; readonly path: string; readonly from: string; readonly to: string }
  | { readonly kind: 'read'; readonly path: string }
  | { readonly kind: 'shell'; readonly command: string }
  /** A sub-agent, which is waited for where it does not work in the background. */
  | { readonly kind: 'agent'; readonly prompt: string; readonly background?: boolean }
  /** What some clients need to wait for a sub-agent: put after it by the fake model itself. */
  | { readonly kind: 'wait' }
  | {
      readonly kind: 'mcp';
      readonly server: string;
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
    };

/** One answer of the model: text, calls, or both. */
export interface Turn {
  readonly text?: string;
  readonly calls?: readonly Call[];
}

export type Scripts = Readonly<Record<string, readonly Turn[]>>;

/** A message as the model was sent it, in the words of no protocol. */
export interface Message {
  /** 'system' is what the client says beside the conversation, wherever it says it. */
  readonly role: 'user' | 'assistant' | 'system';
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly results: readonly { readonly id: string; readonly text: string }[];
}

/** What a client asked of the model. */
export interface Request {
  readonly model: string;
  readonly stream: boolean;
  readonly tools: readonly string[];
  readonly messages: readonly Message[];
}

/** A request with what was made of it. `script` is undefined where it was a side request: a title, a summary, a check. */
export interface Asked extends Request {
  readonly path: string;
  readonly script: string | undefined;
  readonly turn: number;
  readonly body: unknown;
}

/** A call as a client's own tool. `text` is the input where the tool takes text instead of JSON. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly text?: string;
}

/** An answer in a client's own tools. */
export interface Answer {
  readonly text: string;
  readonly calls: readonly ToolCall[];
}

const NAMED = /\[\[([\w-]+)\]\]/g;

/** Which script a request is in, and at which turn. Requests that offer no tools are side requests. */
export function placeOf({ messages, tools }: Request): { script: string | undefined; turn: number } {
  const last = messages.findLastIndex(({ role, text }) => role === 'user' && text.search(NAMED) >= 0);
  if (last < 0 || tools.length === 0) return { script: undefined, turn: 0 };
  const script = [...messages[last]!.text.matchAll(NAMED)].at(-1)![1];
  return { script, turn: timesSpoken(messages.slice(last + 1)) };
}

/** Some protocols send one answer as several messages: what follows one another without the other side is one. */
function timesSpoken(messages: readonly Message[]): number {
  return messages.filter(({ role }, at) => role === 'assistant' && messages[at - 1]?.role !== 'assistant')
    .length;
}

/** The turn to answer with; a script that has ended says so, and so does a side request. */
export function turnAt(scripts: Scripts, script: string | undefined, turn: number): Turn {
  return (script === undefined ? undefined : scripts[script]?.[turn]) ?? { text: 'Done.' };
}
