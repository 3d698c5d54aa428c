/** Starts a program of this directory as a process of its own, and talks to it by lines of JSON. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Place } from './harness.ts';

export interface Child {
  /** The next line it says; throws when it ends without one. */
  next(): Promise<Record<string, unknown>>;
  /** Tells it something and waits for the answer. */
  ask(question: string): Promise<Record<string, unknown>>;
  signal(name: NodeJS.Signals): void;
  /** Its exit status; null when a signal ended it. */
  exit(): Promise<number | null>;
}

export function startChild(program: 'owner' | 'writer', place: Place, more: Record<string, unknown>): Child {
  const file = fileURLToPath(new URL(`./${program}.ts`, import.meta.url));
  const child: ChildProcess = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', file, JSON.stringify({ ...place.child, ...more })],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${program} ended without an answer.`);
    return JSON.parse(value) as Record<string, unknown>;
  };
  return {
    next,
    ask(question) {
      child.stdin!.write(`${question}\n`);
      return next();
    },
    signal(name) {
      child.kill(name);
    },
    exit: async () => (await ended)[0],
  };
}
