/** Codex. */
import type { Client } from '../client.ts';
import { codexConversations } from './conversation.ts';
import { codexEvents } from './events.ts';

export const codex: Client = {
  name: 'codex',
  title: 'Codex',
  hosts: 'shared',
  events: codexEvents,
  conversations: codexConversations,
};
