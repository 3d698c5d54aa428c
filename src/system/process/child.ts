/** A Node process of our own: started with this same Node, heard line by line, ended by its handle. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface Child {
  readonly pid: number;
  /** How it ended: its exit code, or the signal that ended it. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  kill(signal: NodeJS.Signals): void;
}

interface ChildOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called with every line it writes, to either output. */
  readonly hear: (line: string) => void;
}

export async function startNode(
  script: string,
  args: readonly string[],
  { cwd, env, hear }: ChildOptions,
): Promise<Child> {
  const child = spawn(process.execPath, [script, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const read = [child.stdout, child.stderr].map((input) => {
    const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    lines.on('line', hear);
    return new Promise<void>((done) => lines.once('close', done));
  });
  const closed = new Promise<Awaited<Child['ended']>>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  const ended = Promise.all([closed, ...read]).then(([end]) => end);
  return { pid: child.pid!, ended, kill: (signal) => void child.kill(signal) };
}
