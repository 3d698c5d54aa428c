/** Google's generateContent and streamGenerateContent: what Gemini CLI speaks. */
import { plainSse, type Reply } from './reply.ts';
import type { Answer, Message, Request } from './script.ts';

interface Body {
  readonly tools?: readonly { readonly functionDeclarations?: readonly { readonly name: string }[] }[];
  readonly contents: readonly { readonly role?: string; readonly parts?: readonly Part[] }[];
}

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: unknown };
  readonly functionResponse?: { readonly id?: string; readonly name: string; readonly response?: unknown };
}

export function readContents(given: unknown, path: string): Request {
  const { tools = [], contents } = given as Body;
  const [, model = '', method] = /models\/([^:/]+):(\w+)/.exec(path) ?? [];
  return {
    model,
    stream: method === 'streamGenerateContent',
    tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
    messages: contents.map(readContent),
  };
}

function readContent({ role, parts = [] }: Body['contents'][number]): Message {
  return {
    role: role === 'model' ? 'assistant' : 'user',
    text: parts
      .filter(({ text, thought }) => text !== undefined && !thought)
      .map(({ text }) => text)
      .join('\n'),
    calls: parts
      .map(({ functionCall }) => functionCall)
      .filter((call) => call !== undefined)
      .map(({ id = '', name, args }) => ({ id, name, input: args })),
    results: parts
      .map(({ functionResponse }) => functionResponse)
      .filter((result) => result !== undefined)
      .map(({ id = '', response }) => ({ id, text: JSON.stringify(response) })),
  };
}

export function sayContents({ model, stream }: Request, { text, calls }: Answer): Reply {
  const parts = [
    ...(text === '' ? [] : [{ text }]),
    ...calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } })),
  ];
  const response = {
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
    modelVersion: model,
  };
  return stream ? plainSse([response]) : { json: response };
}
