/**
 * A tiny MCP server over stdio with one tool, `note {file, text}`, which appends a line to a file of the project: a call that changes
 * a file by the hand of neither the client nor a shell. `note` with the text "refuse" fails.
 */
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const NOTE = {
  name: 'note',
  description: 'Appends a line to a file',
  inputSchema: {
    type: 'object',
    properties: { file: { type: 'string' }, text: { type: 'string' } },
    required: ['file', 'text'],
  },
};

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'test', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [NOTE] }),
  'tools/call': ({ name, arguments: { file, text } }) => {
    if (name !== 'note' || text === 'refuse')
      return { content: [{ type: 'text', text: 'refused' }], isError: true };
    appendFileSync(file, `${text}\n`);
    return { content: [{ type: 'text', text: `noted in ${file}` }] };
  },
};

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = METHODS[method];
  if (answer) send({ id, result: answer(params) });
  else send({ id, error: { code: -32601, message: `there is no ${method}` } });
}
