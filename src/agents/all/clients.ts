/** The programs whose sessions can be recorded. */
import { claude } from '../claude/client.ts';
import type { Client } from '../client.ts';
import { codex } from '../codex/client.ts';
import { gemini } from '../gemini/client.ts';
import { opencode } from '../opencode/client.ts';

export const CLIENTS: readonly Client[] = [claude, codex, gemini, opencode];
