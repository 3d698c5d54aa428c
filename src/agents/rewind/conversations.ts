/** The conversations of each client, loaded when they are needed. */
import type { ClientName, Conversations } from '../client.ts';

interface Known {
  /** As people call it. */
  readonly title: string;
  load(): Promise<Conversations>;
}

const KNOWN: Readonly<Record<ClientName, Known>> = {
  claude: {
    title: 'Claude Code',
    load: async () => (await import('../claude/conversation.ts')).claudeConversations,
  },
  codex: { title: 'Codex', load: async () => (await import('../codex/conversation.ts')).codexConversations },
  gemini: {
    title: 'Gemini CLI',
    load: async () => (await import('../gemini/conversation.ts')).geminiConversations,
  },
  opencode: {
    title: 'opencode',
    load: async () => (await import('../opencode/conversation.ts')).opencodeConversations,
  },
};

/** Null for a client that is none of ours. */
export function conversationsOf(client: string): Known | null {
  return Object.hasOwn(KNOWN, client) ? KNOWN[client as ClientName] : null;
}

/** As people call it, else by its own name. */
export function titleOf(client: string): string {
  return conversationsOf(client)?.title ?? client;
}
