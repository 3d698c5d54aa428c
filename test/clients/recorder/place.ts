import { join } from 'node:path';
import type { ClientName } from '../install.ts';

/** The command that appends the event on its standard input to a file. */
export function recorderCommand(client: ClientName, file: string): [string, ...string[]] {
  return [process.execPath, join(import.meta.dirname, 'recorder.js'), client, file];
}

/** The recorder as a plugin of opencode. */
export const OPENCODE_RECORDER: string = join(import.meta.dirname, 'opencode-plugin.js');
