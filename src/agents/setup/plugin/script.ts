/** The program that a hook starts where it cannot call the host itself. */
import { fileURLToPath } from 'node:url';
import { readIfExists } from '../../../system/files.ts';
import { packaged } from '../../../system/packaged.ts';
import { shellWord } from '../../../system/process/shell.ts';
import type { ClientName } from '../../client.ts';
import { commandLine, type Program } from './host.ts';

export const SCRIPT = 'hook.sh';

export function scriptText(program: Program): string {
  const text = readIfExists(fileURLToPath(packaged(`plugins/${SCRIPT}`)))!.toString('utf8');
  return text
    .replace("host='npx vibe-engine'", () => `host=${shellWord(commandLine(program))}`)
    .replace("user=''", `user='${process.getuid?.() ?? ''}'`);
}

/** `script` is a word of the shell. `exec`: its parent has to be the client, and not a shell between. */
export function commandHook(script: string, client: ClientName, flags: readonly string[]): string {
  return ['exec', 'sh', script, ...flags, client].join(' ');
}
