/** A program that is spoken with in lines, on its standard input and output, until the caller is done with it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { withoutKeys } from './environment.ts';

interface LineProgram {
  send(line: string): void;
  /** Closes its input, which asks it to end; kills it if it does not. */
  end(): Promise<void>;
}

const GRACE_MS = 2_000;

/** `closed` is called once, when there will be no more lines; also if it could not be started. */
export function startLines(
  [file, ...args]: readonly [string, ...string[]],
  on: { readonly line: (line: string) => void; readonly closed: () => void },
  cwd: string = process.cwd(),
): LineProgram {
  const child = spawn(file, args, {
    cwd,
    env: withoutKeys(process.env),
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
  const gone = once(child, 'close').then(
    () => on.closed(),
    () => on.closed(),
  );
  child.stdin.on('error', () => {}); // it may end without reading what it is given
  createInterface({ input: child.stdout }).on('line', on.line);
  return {
    send: (line) => void child.stdin.write(`${line}\n`),
    async end() {
      child.stdin.end();
      const forced = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
      await gone;
      clearTimeout(forced);
    },
  };
}
