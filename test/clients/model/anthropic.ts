/** Anthropic's Messages: what Claude Code speaks, and opencode with its anthropic provider. */

import { type Event, type Reply, sse } from './reply.ts';
import type { Answer, Message, Request } from './script.ts';

interface Body {
  readonly model: string;
  readonly stream?: boolean;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly {
    readonly role: 'user' | 'assistant';
    readonly content: string | readonly Block[];
  }[];
}

type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'tool_result';
      readonly tool_use_id: string;
      readonly content?: string | readonly Block[];
    }
  | { readonly type: 'other' };

export function readMessages(given: unknown): Request {
  const { model, stream = false, tools = [], messages } = given as Body;
  return { model, stream, tools: tools.map(({ name }) => name), messages: messages.map(readMessage) };
}

function readMessage({ role, content }: Body['messages'][number]): Message {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content;
  return {
    role,
    text: textOf(blocks),
    calls: blocks
      .filter((block) => block.type === 'tool_use')
      .map(({ id, name, input }) => ({ id, name, input })),
    results: blocks
      .filter((block) => block.type === 'tool_result')
      .map(({ tool_use_id, content: said = '' }) => ({ id: tool_use_id, text: textOf(said) })),
  };
}

function textOf(content: string | readonly Block[]): string {
  if (typeof content === 'string') return content;
  return content
    .filter((block) => block.type === 'text')
    .map(({ text }) => text)
    .join('\n');
}

const USAGE = { input_tokens: 10, output_tokens: 10 };

export function sayMessages({ model, stream }: Request, { text, calls }: Answer, id: string): Reply {
  const stop_reason = calls.length > 0 ? 'tool_use' : 'end_turn';
  const content = [
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input }) as const),
  ];
  const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model, stop_sequence: null };
  if (!stream) return { json: { ...message, content, stop_reason, usage: USAGE } };
  return sse([
    { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage: USAGE } },
    ...content.flatMap(blockEvents),
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: USAGE },
    { type: 'message_stop' },
  ]);
}

function blockEvents(
  block: { type: 'text'; text: string } | { type: 'tool_use'; id: string; name: string; input: unknown },
  index: number,
): Event[] {
  const [empty, delta] =
    block.type === 'text'
      ? [
          { ...block, text: '' },
          { type: 'text_delta', text: block.text },
        ]
      : [
          { ...block, input: {} },
          { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
        ];
  return [
    { type: 'content_block_start', index, content_block: empty },
    { type: 'content_block_delta', index, delta },
    { type: 'content_block_stop', index },
  ];
}
