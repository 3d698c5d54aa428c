import type { Check } from './check.ts';
import { exec } from './exec.ts';
import { host } from './host.ts';
import { killed } from './killed.ts';
import { messages } from './messages.ts';
import { open } from './open.ts';
import { rewind } from './rewind.ts';
import { sessions } from './sessions.ts';
import { setup } from './setup.ts';
import { shapes } from './shapes.ts';
import { two } from './two.ts';

export const CHECKS: readonly Check[] = [
  shapes,
  messages,
  setup,
  sessions,
  killed,
  rewind,
  two,
  open,
  exec,
  host,
];
