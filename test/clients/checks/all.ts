import type { Check } from './check.ts';
import { killed } from './killed.ts';
import { messages } from './messages.ts';
import { rewind } from './rewind.ts';
import { sessions } from './sessions.ts';
import { setup } from './setup.ts';
import { shapes } from './shapes.ts';

export const CHECKS: readonly Check[] = [shapes, messages, setup, sessions, killed, rewind];
