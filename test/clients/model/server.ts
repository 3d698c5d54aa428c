/** The fake model API: every protocol on one loopback port, answering by script and keeping what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ClientName } from '../install.ts';
import { readMessages, sayMessages } from './anthropic.ts';
import { readContents, sayContents } from './gemini.ts';
import type { Reply } from './reply.ts';
import { readResponses, sayResponses } from './responses.ts';
import { type Answer, type Asked, placeOf, type Request, type Scripts, turnAt } from './script.ts';
import { last, TOOLS, turnsFor } from './tools.ts';

export interface Model extends AsyncDisposable {
  readonly url: string;
  /** Every request for an answer, side requests included, in order. */
  readonly asked: readonly Asked[];
  /** Paths that were asked for and are none of a model's. */
  readonly strange: readonly string[];
}

interface Protocol {
  readonly path: RegExp;
  read(body: unknown, path: string): Request;
  say(request: Request, answer: Answer, id: string): Reply;
}

const PROTOCOLS: readonly Protocol[] = [
  { path: /^\/v1\/messages$/, read: readMessages, say: sayMessages },
  { path: /^\/v1\/responses$/, read: readResponses, say: sayResponses },
  {
    path: /^\/v1beta\/models\/[^/]+:(?:streamG|g)enerateContent$/,
    read: readContents,
    say: sayContents,
  },
];

/** Paths that want an answer which is always the same. */
const FIXED: readonly (readonly [path: RegExp, json: unknown])[] = [
  [/^\/v1\/messages\/count_tokens$/, { input_tokens: 10 }],
  [/^\/v1beta\/models\/[^/]+:countTokens$/, { totalTokens: 10 }],
  [/^\/v1\/models$/, { object: 'list', data: [], models: [] }],
];

export async function startModel(client: ClientName, project: string, given: Scripts): Promise<Model> {
  const scripts = Object.fromEntries(
    Object.entries(given).map(([name, turns]) => [name, turnsFor(client, turns)]),
  );
  const asked: Asked[] = [];
  const strange: string[] = [];
  const server = createServer(async (request, response) => {
    const path = new URL(request.url!, 'http://model').pathname;
    const fixed = FIXED.find(([pattern]) => pattern.test(path));
    const protocol = PROTOCOLS.find(({ path: pattern }) => pattern.test(path));
    const body = await bodyOf(request);
    if (fixed) return send(response, { json: fixed[1] });
    if (!protocol || request.method !== 'POST') {
      strange.push(`${request.method} ${request.url}`);
      response.writeHead(request.method === 'HEAD' ? 200 : 404).end();
      return;
    }
    const parsed = protocol.read(body, request.url!);
    const place = placeOf(parsed);
    const number = asked.push({ ...parsed, ...place, path, body });
    const { text = '', calls = [] } = turnAt(scripts, place.script, place.turn);
    const made = calls.map((call) => TOOLS[client](call, project, parsed));
    const tools = made.length > 0 ? made : last(client, text, parsed);
    const named = tools.map((tool, at) => ({
      ...tool,
      id: `toolu_${place.script}_${place.turn}_${at}_${number}`,
    }));
    send(response, protocol.say(parsed, { text, calls: named }, String(number)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    strange,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? undefined : JSON.parse(text);
}

function send(response: ServerResponse, reply: Reply): void {
  if ('json' in reply)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply.json));
  else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(reply.events);
}
