/** The plugin and the commands as opencode reads them, inside its directory. */
import { fileURLToPath } from 'node:url';
import { readIfExists } from '../../../system/files.ts';
import { packaged } from '../../../system/packaged.ts';
import { TOOLS } from '../../for-models.ts';
import type { Files } from './files.ts';
import { type Program, serverEntry } from './host.ts';
import { opencodeCommands } from './slash.ts';

export const OPENCODE_PLUGIN = 'plugin/vibe-engine.js';

export function opencodeFiles(program: Program, strict: boolean): Files {
  const text = readIfExists(fileURLToPath(packaged('plugins/opencode.js')))!.toString('utf8');
  const { command, args } = serverEntry(program, 'opencode', strict);
  return {
    [OPENCODE_PLUGIN]: text
      .replace(/^const HOST = .*$/m, () => `const HOST = ${JSON.stringify([command, ...args])};`)
      .replace(/^const STRICT = .*$/m, `const STRICT = ${strict};`)
      .replace(/^const TOOLS = .*$/m, () => `const TOOLS = ${JSON.stringify(toolsOf())};`),
    ...opencodeCommands(program),
  };
}

/** The tools as the plugin offers them: by name, what they do, and their arguments. */
function toolsOf(): readonly (readonly [name: string, about: string, args: object])[] {
  return TOOLS.map(({ name, description, inputSchema }) => [name, description, inputSchema.properties]);
}

/** The program that an installed plugin starts. */
export function hostOf(text: string): readonly string[] {
  const found = /^const HOST = (\[.*\]);$/m.exec(text)?.[1];
  return found === undefined ? [] : (JSON.parse(found) as string[]);
}
