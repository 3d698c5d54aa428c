/** What the model may ask of us: its checkpoints, what changed, who has which file, and to go back. */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Host } from '../../agents/host/host.ts';
import { handleSlashCommand } from '../../verbs/slash.ts';

const NO_INPUT = { type: 'object' as const, properties: {} };

export const TOOLS = [
  {
    name: 'checkpoints',
    description: 'Lists the places of this session that it can be taken back to: one before each prompt.',
    inputSchema: NO_INPUT,
    annotations: { readOnlyHint: true },
  },
  {
    name: 'diff',
    description:
      'Shows what this session changed in files since one of its checkpoints; default: since its beginning.',
    inputSchema: { type: 'object' as const, properties: { checkpoint: { type: 'string' } } },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'who_has',
    description: 'Says which files other agents are changing now, and who they are.',
    inputSchema: NO_INPUT,
    annotations: { readOnlyHint: true },
  },
  {
    name: 'rewind',
    description:
      'Takes files of this session back to one of its checkpoints. Changes of people and of other agents stay. Asks the person first. Can be undone with `vibe-engine redo`.',
    inputSchema: {
      type: 'object' as const,
      properties: {
        checkpoint: { type: 'string' },
        confirmed: {
          type: 'boolean',
          description: 'The person has agreed, where the client cannot ask by itself.',
        },
      },
      required: ['checkpoint'],
    },
    annotations: { destructiveHint: true },
  },
] as const;

export const SESSION_RESOURCE = {
  uri: 'vibe://session',
  name: 'session',
  description: 'This session as a durable task: its steps, its files, its checkpoints.',
  mimeType: 'text/plain',
};

export const PROMPT = { name: 'rewind', description: 'Take this session back to an earlier prompt.' };

export function promptText(): string {
  return 'List the checkpoints of this session with the tool `checkpoints`, ask me which one to go back to, and then call `rewind` with it.';
}

export async function sessionText(host: Host): Promise<string> {
  return run(host, (task) => `/show ${task}`);
}

export async function callTool(
  host: Host,
  name: string,
  given: Readonly<Record<string, unknown>>,
  server: Server,
): Promise<string> {
  const checkpoint = typeof given.checkpoint === 'string' ? given.checkpoint : '';
  switch (name) {
    case 'checkpoints':
      return run(host, (task) => `/checkpoints list ${task}`);
    case 'diff':
      return run(host, (task) => `/checkpoints diff ${quoted(checkpoint || `${task}-1`)}`);
    case 'who_has':
      return run(host, () => '/locks');
    case 'rewind':
      return rewind(host, checkpoint, given.confirmed === true, server);
    default:
      return `There is no tool ${name}.`;
  }
}

async function rewind(host: Host, checkpoint: string, confirmed: boolean, server: Server): Promise<string> {
  const preview = await run(host, () => `/rollback ${quoted(checkpoint)} --dry-run`);
  if (!confirmed && !(await agreed(server, preview)))
    return `Nothing was changed. This is what would happen:\n${preview}\nAsk the person, and call it again with confirmed: true once they agree.`;
  await (await host.current())?.session.rest(); // The task must be free.
  return run(host, () => `/rollback ${quoted(checkpoint)} --yes`);
}

/** False also where the client cannot ask. */
async function agreed(server: Server, preview: string): Promise<boolean> {
  if (!server.getClientCapabilities()?.elicitation) return false;
  const requestedSchema = { type: 'object' as const, properties: {} };
  const { action } = await server.elicitInput({ message: `Go back?\n${preview}`, requestedSchema });
  return action === 'accept';
}

async function run(host: Host, line: (task: string) => string): Promise<string> {
  const current = await host.current();
  const task = current?.session.task();
  if (!current || task == null) return 'Nothing of this session has been recorded yet.';
  const { lines } = await handleSlashCommand(line(task), current.engine);
  return lines.join('\n');
}

function quoted(word: string): string {
  return `"${word.replaceAll(/["\\]/g, '')}"`;
}
