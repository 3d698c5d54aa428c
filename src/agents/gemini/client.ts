/** Gemini CLI. */
import type { Client } from '../client.ts';
import { geminiConversations } from './conversation.ts';
import { geminiEvents } from './events.ts';

export const gemini: Client = {
  name: 'gemini',
  title: 'Gemini CLI',
  hosts: 'shared',
  events: geminiEvents,
  conversations: geminiConversations,
};
