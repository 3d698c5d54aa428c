/** Runs commands at a real terminal and keeps what it showed. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { widthOf } from '../src/verbs/format/width.ts';
import { type Row, screenAfter, textOf } from './screen.ts';

export const COLUMNS = 114;

/** A line as it was typed; `command` is what runs where that differs. */
export interface Typed {
  readonly line: string;
  readonly command?: string;
}

export interface At {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** What `script` of util-linux hands on from the command; the line that was typed is part of it. */
export async function typeAt({ line, command = line }: Typed, { cwd, env }: At): Promise<string> {
  const inside = `stty cols ${COLUMNS} rows 50; ${command}`;
  const running = promisify(execFile)('script', ['-qec', inside, '/dev/null'], { cwd, env });
  running.child.stdin!.end();
  const { stdout } = await running;
  return `\u001b[2m$\u001b[22m \u001b[1m${line}\u001b[22m\r\n${stdout}`;
}

export function rowsOf(raw: string): Row[] {
  const rows = screenAfter(raw, widthOf);
  while (textOf(rows.at(-1) ?? []) === '' && rows.length > 0) rows.pop();
  return rows;
}
