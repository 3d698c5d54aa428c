/** Codex. */
import type { Client } from '../client.ts';
import { codexConversations } from './conversation.ts';
import { codexEvents } from './events.ts';

export const codex: Client = {
  name: 'codex',
  title: 'Codex',
  hosts: 'one for all',
  events: codexEvents,
  conversations: codexConversations,
};
