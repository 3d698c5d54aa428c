/** What a model reads of us: descriptions of our tools, and how it is asked to use them. In English, as models are told things. */

const NO_INPUT = { type: 'object' as const, properties: {} };
const CONFIRMED = {
  type: 'boolean',
  description: 'The person has agreed, where the client cannot ask by itself.',
};

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
      'Takes files of this session back to one of its checkpoints, and prepares a copy of the conversation that ends there. Changes of people and of other agents stay. Asks the person first. Can be undone with `redo`, until the session goes on.',
    inputSchema: {
      type: 'object' as const,
      properties: {
        checkpoint: { type: 'string' },
        confirmed: CONFIRMED,
      },
      required: ['checkpoint'],
    },
    annotations: { destructiveHint: true },
  },
  {
    name: 'redo',
    description:
      'Takes back the last rewind of this session: its files and its conversation are as before. Asks the person first.',
    inputSchema: { type: 'object' as const, properties: { confirmed: CONFIRMED } },
    annotations: { destructiveHint: true },
  },
] as const;

export const SESSION_RESOURCE = {
  uri: 'vibe://session',
  name: 'session',
  description: 'This session as a durable task: its steps, its files, its checkpoints.',
  mimeType: 'text/plain',
};

export const REWIND_PROMPT = {
  name: 'rewind',
  description: 'Take this session back to an earlier prompt.',
  text: 'List the checkpoints of this session with the tool `checkpoints`, ask me which one to go back to, and then call `rewind` with it.',
};

export const NOTHING_RECORDED = 'Nothing of this session has been recorded yet.';

export function noSuchTool(name: string): string {
  return `There is no tool ${name}.`;
}

export function notOfSession(preview: string): string {
  return `Nothing was changed: that is no checkpoint of this session. It would have been:\n${preview}\nCall \`checkpoints\` for those of this session.`;
}

export function notAgreed(preview: string): string {
  return `Nothing was changed. This is what would happen:\n${preview}\nAsk the person, and call it again with confirmed: true once they agree.`;
}
