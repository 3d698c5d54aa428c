/** A Node process of our own: started with this same Node, read line by line, ended by its handle. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface Child {
  readonly pid: number;
  /** What it prints, line by line, until it ends. */
  readonly lines: AsyncIterable<string>;
  /** How it ended: its exit code or the signal that ended it, and what it wrote to its error output. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; errors: string }>;
  kill(signal: NodeJS.Signals): void;
}

export async function startNode(script: string, args: readonly string[]): Promise<Child> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const ended = new Promise<Awaited<Child['ended']>>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, errors }));
  });
  const lines = createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  return { pid: child.pid!, lines, ended, kill: (signal) => void child.kill(signal) };
}
