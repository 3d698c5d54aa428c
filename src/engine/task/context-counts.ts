/** How much context a task has: what was said, and what the attempts in progress have said so far. */
import { contextReference } from '../../checkpoint/validation/required-context.ts';

export interface Counts {
  readonly messages: number;
  readonly tool_outputs: number;
  readonly decisions: number;
  readonly bytes: number;
}

export const NOTHING: Counts = { messages: 0, tool_outputs: 0, decisions: 0, bytes: 0 };

/** What `accumulated_context` of a state holds: its size, and the reference for `loadContext`. */
export interface AccumulatedContext extends Counts {
  readonly reference: string;
}

export function accumulated(
  task: string,
  { context, seq }: { readonly context: Counts; readonly seq: number },
): AccumulatedContext {
  return { ...context, reference: contextReference(task, seq) };
}

/** The part of a task's memory used here. */
interface Counting {
  context: Counts;
  /** By attempt: it is context once the attempt has succeeded. */
  readonly said: Map<string, Counts>;
}

export function addContext(
  memory: Counting,
  kind: 'message' | 'tool' | 'decision',
  bytes: number,
  within?: { readonly step: string; readonly attempt: number },
): void {
  if (!within) {
    memory.context = withOne(memory.context, kind, bytes);
    return;
  }
  const key = attemptKey(within.step, within.attempt);
  memory.said.set(key, withOne(memory.said.get(key) ?? NOTHING, kind, bytes));
}

function withOne(counts: Counts, kind: 'message' | 'tool' | 'decision', bytes: number): Counts {
  return {
    messages: counts.messages + Number(kind === 'message'),
    tool_outputs: counts.tool_outputs + Number(kind === 'tool'),
    decisions: counts.decisions + Number(kind === 'decision'),
    bytes: counts.bytes + bytes,
  };
}

/** The attempt succeeded: what it said counts. */
export function addSaid(memory: Counting, step: string, attempt: number): void {
  if (memory.said.size === 0) return;
  const key = attemptKey(step, attempt);
  memory.context = sum(memory.context, memory.said.get(key) ?? NOTHING);
  memory.said.delete(key);
}

function sum(a: Counts, b: Counts): Counts {
  return {
    messages: a.messages + b.messages,
    tool_outputs: a.tool_outputs + b.tool_outputs,
    decisions: a.decisions + b.decisions,
    bytes: a.bytes + b.bytes,
  };
}

/** The key for what an attempt of a step says. */
export function attemptKey(step: string, attempt: number): string {
  return `${step}@${attempt}`;
}
