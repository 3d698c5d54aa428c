/** The programs whose sessions can be recorded. */
import { claude } from '../claude/client.ts';
import type { Client } from '../client.ts';

export const CLIENTS: readonly Client[] = [claude];
