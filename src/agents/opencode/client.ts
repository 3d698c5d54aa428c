/** opencode. */
import type { Client } from '../client.ts';
import { opencodeConversations } from './conversation.ts';
import { opencodeEvents } from './events.ts';

export const opencode: Client = {
  name: 'opencode',
  title: 'opencode',
  hosts: 'each',
  events: opencodeEvents,
  conversations: opencodeConversations,
};
