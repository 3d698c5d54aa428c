/**
 * The recording as a plugin of opencode, which runs in its process: appends every hook with what it was given to the file that is
 * named beside it, and denies a shell command that has the word "deny-me" in it.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const file = readFileSync(join(import.meta.dirname, '..', 'recorder-file'), 'utf8');
/** What comes by the dozen and tells nothing that another event does not. */
const NOISE =
  /^(?:plugin|catalog|integration|reference)\.|^session\.(?:updated|diff|status)$|^message\.part\.delta$|^file\.watcher/;
const write = (hook, input, output) => appendFileSync(file, `${JSON.stringify({ hook, input, output })}\n`);

export const Recorder = async ({ directory, worktree }) => {
  write('load', { directory, worktree }, undefined);
  return {
    event: async ({ event }) => {
      if (!NOISE.test(event.type)) write('event', event, undefined);
    },
    'chat.message': async (input, output) => write('chat.message', input, output),
    'command.execute.before': async (input, output) => write('command.execute.before', input, output),
    'permission.ask': async (input, output) => write('permission.ask', input, output),
    'shell.env': async (input, output) => write('shell.env', input, output),
    'tool.execute.before': async (input, output) => {
      write('tool.execute.before', input, output);
      if (JSON.stringify(output.args).includes('deny-me')) throw new Error('The recording denies this.');
    },
    'tool.execute.after': async (input, output) => write('tool.execute.after', input, output),
    dispose: async () => write('dispose', {}, undefined),
  };
};
