import type { Check } from './check.ts';
import { messages } from './messages.ts';
import { shapes } from './shapes.ts';

export const CHECKS: readonly Check[] = [shapes, messages];
