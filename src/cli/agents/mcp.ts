/** The MCP server of a session: an unlisted tool for hooks, and a few for the model. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { Payload } from '../../agents/client.ts';
import { REWIND_PROMPT, SESSION_RESOURCE, TOOLS } from '../../agents/for-models.ts';
import type { Host } from '../../agents/host/host.ts';
import { VERSION } from '../../system/version.ts';
import { callTool, sessionText } from './tools.ts';

const { name, description } = REWIND_PROMPT;

/** Resolves when the client has gone. */
export async function serveMcp(host: Host): Promise<void> {
  const server = new Server(
    { name: 'vibe-engine', version: VERSION },
    { capabilities: { tools: {}, resources: {}, prompts: {} } },
  );
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [...TOOLS] }));
  server.setRequestHandler(
    CallToolRequestSchema,
    async ({ params: { name, arguments: given = {}, _meta } }) => {
      const thread = _meta?.threadId;
      const session = typeof thread === 'string' ? thread : undefined;
      if (name !== 'hook') return text(await callTool({ host, session }, name, given, server));
      const payload: Payload = thread === undefined ? given : { ...given, thread_id: thread };
      return text(JSON.stringify(await host.hook(payload)));
    },
  );
  server.setRequestHandler(ListResourcesRequestSchema, async () => ({ resources: [SESSION_RESOURCE] }));
  server.setRequestHandler(ReadResourceRequestSchema, async () => ({
    contents: [{ uri: SESSION_RESOURCE.uri, mimeType: 'text/plain', text: await sessionText(host) }],
  }));
  server.setRequestHandler(ListPromptsRequestSchema, async () => ({ prompts: [{ name, description }] }));
  server.setRequestHandler(GetPromptRequestSchema, async () => ({
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: REWIND_PROMPT.text } }],
  }));
  const gone = Promise.withResolvers<void>();
  server.onclose = () => gone.resolve();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => gone.resolve());
  process.stdin.once('end', () => gone.resolve());
  process.stdin.once('close', () => gone.resolve());
  await server.connect(new StdioServerTransport());
  await gone.promise;
  await server.close();
}

function text(answer: string) {
  return { content: [{ type: 'text' as const, text: answer }] };
}
