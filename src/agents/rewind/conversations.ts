/** The conversations of each client, loaded when they are needed. */
import type { ClientName, Conversations } from '../client.ts';
import { TITLES } from '../names.ts';

interface Known {
  /** As people call it. */
  readonly title: string;
  load(): Promise<Conversations>;
}

const LOAD: Readonly<Record<ClientName, Known['load']>> = {
  claude: async () => (await import('../claude/conversation.ts')).claudeConversations,
  codex: async () => (await import('../codex/conversation.ts')).codexConversations,
  gemini: async () => (await import('../gemini/conversation.ts')).geminiConversations,
  opencode: async () => (await import('../opencode/conversation.ts')).opencodeConversations,
};

/** Null for a client that is none of ours. */
export function conversationsOf(client: string): Known | null {
  if (!Object.hasOwn(LOAD, client)) return null;
  const name = client as ClientName;
  return { title: TITLES[name], load: LOAD[name] };
}
