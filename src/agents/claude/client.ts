/** Claude Code. */
import type { Client } from '../client.ts';
import { claudeConversations } from './conversation.ts';
import { claudeEvents } from './events.ts';

export const claude: Client = {
  name: 'claude',
  title: 'Claude Code',
  hosts: 'each',
  defers: true,
  events: claudeEvents,
  conversations: claudeConversations,
};
