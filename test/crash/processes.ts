/** Starts writer processes and listens to what they acknowledge. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LaneStart, WriterOptions } from './writer.ts';

export interface Writer {
  readonly process: ChildProcess;
  /** The last operation that each lane reported as acknowledged. */
  readonly acked: Map<string, number>;
  readonly errors: { lane: string; n: number; code: string; message: string }[];
  /** Resolves when the line was said, or when the process is gone. */
  said(line: string | RegExp): Promise<void>;
  /** Lets a writer that was started on standby begin, on these lanes. */
  go(lanes: readonly LaneStart[]): Promise<void>;
  /** `kill -9`, and every line that it still said has been read. */
  kill(): Promise<void>;
  /** Resolves when the process has ended by itself and all its lines have been read. */
  ended(): Promise<void>;
}

export const WRITER: string = fileURLToPath(new URL('writer.ts', import.meta.url));

export function startWriter(options: WriterOptions, through: readonly string[] = []): Writer {
  const command = [...through, process.execPath, '--disable-warning=ExperimentalWarning', WRITER];
  const child = spawn(command[0]!, [...command.slice(1), JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const acked = new Map<string, number>();
  const errors: Writer['errors'] = [];
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let rest = '';
  let stderr = '';
  let over = false;

  const hear = (line: string): void => {
    lines.push(line);
    const [word, lane = '', n = '', code = '', ...message] = line.split(' ');
    if (word === 'ack') acked.set(lane, Number(n));
    if (word === 'error') errors.push({ lane, n: Number(n), code, message: message.join(' ') });
  };
  const wake = (): void => {
    for (const each of waiting) each();
  };
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop()!;
    parts.forEach(hear);
    wake();
  });
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  child.stdin!.on('error', () => {});
  const ended = once(child, 'close').then(() => {
    over = true;
    wake();
    if (child.exitCode !== 0 && child.exitCode !== null) {
      errors.push({ lane: '-', n: 0, code: 'UNTYPED', message: stderr.slice(0, 2000) });
    }
  });

  const said = async (wanted: string | RegExp): Promise<void> => {
    const matches = (line: string) => (typeof wanted === 'string' ? line === wanted : wanted.test(line));
    let seen = 0;
    const there = (): boolean => {
      for (; seen < lines.length; seen++) if (matches(lines[seen]!)) return true;
      return over;
    };
    if (there()) return;
    await new Promise<void>((resolve) => {
      const check = (): void => {
        if (!there()) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
    });
  };

  return {
    process: child,
    acked,
    errors,
    said,
    async go(lanes) {
      await said('standby');
      child.stdin!.write(`${JSON.stringify(lanes)}\n`);
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    ended: () => ended,
  };
}
