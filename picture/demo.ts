/** The demo of the build. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rowsOf, typeAt } from './terminal.ts';

export const LAUNCHER = fileURLToPath(new URL('../bin/vibe-engine.js', import.meta.url));

/** What our command finds of the shell that called it; `npm_command` is as npx sets it. */
export const SHELL = { TERM: 'xterm-256color', SHELL: '/bin/sh', npm_command: 'exec' } as const;

export async function demo() {
  const title = 'npx vibe-engine demo';
  const env = { ...SHELL, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  const command = `exec '${process.execPath}' '${LAUNCHER}' demo`;
  return { title, rows: rowsOf(await typeAt({ line: title, command }, { cwd: process.cwd(), env })) };
}
