/** OpenAI's Responses: what Codex speaks. */
import { type Event, type Reply, sse } from './reply.ts';
import type { Answer, Message, Request, ToolCall } from './script.ts';

interface Body {
  readonly model: string;
  readonly stream?: boolean;
  readonly tools?: readonly Tool[];
  readonly input: readonly Item[];
}

interface Tool {
  readonly type: string;
  readonly name?: string;
  readonly tools?: readonly Tool[];
}

interface Item {
  readonly type: string;
  readonly role?: string;
  readonly content?: Text;
  readonly call_id?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly input?: string;
  readonly output?: Text;
}

type Text = string | readonly { readonly text?: string }[];

export function readResponses(given: unknown): Request {
  const { model, stream = false, tools = [], input } = given as Body;
  return { model, stream, tools: tools.flatMap(namesOf), messages: input.map(readItem) };
}

/** A tool of a namespace is named `namespace/tool`. */
function namesOf({ type, name, tools }: Tool): string[] {
  if (tools) return tools.flatMap(namesOf).map((inner) => `${name}/${inner}`);
  return [name ?? type];
}

function readItem({ type, role, content = '', call_id: id = '', output, ...call }: Item): Message {
  const none = { text: '', calls: [], results: [] };
  if (type === 'message') return { ...none, role: roleOf(role), text: textOf(content) };
  if (output !== undefined) return { ...none, role: 'user', results: [{ id, text: textOf(output) }] };
  if (!type.endsWith('_call')) return { ...none, role: 'assistant' };
  const name = call.namespace === undefined ? call.name! : `${call.namespace}/${call.name}`;
  const input = call.arguments === undefined ? call.input : JSON.parse(call.arguments);
  return { ...none, role: 'assistant', calls: [{ id, name, input }] };
}

const roleOf = (role: string | undefined): Message['role'] =>
  role === 'assistant' || role === 'user' ? role : 'system';

const textOf = (content: Text): string =>
  typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n');

export function sayResponses({ model }: Request, { text, calls }: Answer, number: string): Reply {
  const id = `resp_${number}`;
  const output = [
    ...(text === ''
      ? []
      : [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }]),
    ...calls.map(itemOf),
  ].map((item, at) => ({ ...item, id: `item_${number}_${at}` }));
  const usage = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 20,
  };
  const response = { id, object: 'response', model, status: 'in_progress', output: [] };
  return sse([
    { type: 'response.created', response },
    ...output.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item },
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: { ...response, status: 'completed', output, usage } },
  ]);
}

function itemOf({ id: call_id, name: full, input, text }: ToolCall): Event {
  const [name, namespace] = full.split('/').reverse();
  const call = { call_id, name, ...(namespace === undefined ? {} : { namespace }) };
  if (text !== undefined) return { type: 'custom_tool_call', input: text, ...call };
  return { type: 'function_call', arguments: JSON.stringify(input), ...call };
}
