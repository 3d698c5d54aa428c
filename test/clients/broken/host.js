/**
 * A host that does not do its work: as an MCP server and at its socket it answers every hook with an error ("refusing"), or those
 * before a call never ("hung").
 */
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

const mode = process.env.VIBE_BROKEN_HOST;
const client = process.argv[3];

const isCall = (text) => /"(?:PreToolUse|BeforeTool|tool\.execute\.before)"/.test(text);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

const base = process.env.XDG_RUNTIME_DIR || join(tmpdir(), `vibe-engine-${process.getuid()}`);
const named = process.argv.find((arg) => arg.startsWith('--client-process='))?.split('=')[1];
const socket = join(base, 'vibe-engine', `${client}-${named ?? process.ppid}.sock`);
mkdirSync(dirname(socket), { recursive: true, mode: 0o700 });
createServer(async (incoming, outgoing) => {
  let text = '';
  for await (const part of incoming) text += part;
  if (mode === 'refusing')
    outgoing.writeHead(400).end(); // As ours does where it fails.
  else if (!isCall(text)) outgoing.end('{}');
})
  .listen(socket)
  .unref();

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  if (method === 'initialize')
    send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'broken', version: '1.0.0' },
      },
    });
  else if (method === 'tools/list') send({ id, result: { tools: [] } });
  else if (method !== 'tools/call' || mode === 'refusing')
    send({ id, error: { code: -32603, message: 'broken' } });
  else if (!isCall(line)) send({ id, result: { content: [{ type: 'text', text: '{}' }] } });
}
process.exit(0);
