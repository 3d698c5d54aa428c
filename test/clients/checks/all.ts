import { approve } from './approve.ts';
import type { Check } from './check.ts';
import { exec } from './exec.ts';
import { hand } from './hand.ts';
import { host } from './host.ts';
import { killed } from './killed.ts';
import { messages } from './messages.ts';
import { open } from './open.ts';
import { rewind } from './rewind.ts';
import { screen } from './screen.ts';
import { sessions } from './sessions.ts';
import { setup } from './setup.ts';
import { shapes } from './shapes.ts';
import { slash } from './slash.ts';
import { two } from './two.ts';

export const CHECKS: readonly Check[] = [
  shapes,
  messages,
  setup,
  hand,
  sessions,
  killed,
  rewind,
  slash,
  screen,
  two,
  open,
  exec,
  host,
  approve,
];
