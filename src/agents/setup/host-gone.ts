import { phrase } from '../../phrase.ts';
import * as io from '../../system/io.ts';
import type { ServerEntry } from './plugin/host.ts';

/** What is wrong with the program that an installed plugin starts: Node or this package may have been moved or removed since. */
export function hostGone(server: ServerEntry | undefined): string[] {
  const [command, script] = [server?.command, server?.args[0]];
  const there = command !== undefined && script !== undefined && io.exists(command) && io.exists(script);
  return there
    ? []
    : [
        phrase`The plugin starts a program that is not there any more: run "vibe-engine hooks install" again.`,
      ];
}
