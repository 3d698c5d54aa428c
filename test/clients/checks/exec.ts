/** A client with our hooks under `vibe-engine exec` is one task: that of the command, which records what it does. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MAIN, setHooked } from '../hooked.ts';
import { DRIVERS } from '../run.ts';
import type { Check } from './check.ts';

export const exec: Check = {
  name: 'exec',
  async *run(client) {
    await using stage = await setHooked(client, () => ({
      write: [
        { calls: [{ kind: 'write', path: 'a.txt', text: 'one\n' }] },
        { calls: [{ kind: 'shell', command: 'echo two > b.txt' }] },
        { text: 'Done.' },
      ],
    }));
    const args = DRIVERS[client].args({ prompt: '[[write]] Do it.' }, stage.place);
    const { code, stderr } = await stage.other(process.execPath, MAIN, 'exec', '--', client, ...args);
    const tasks = await stage.tasks();
    yield {
      part: 'one task',
      problems: [
        ...(code === 0 ? [] : [`it ended with ${code}: ${stderr}`]),
        ...(tasks.length === 1 ? [] : [`there are ${tasks.length} tasks: ${JSON.stringify(tasks)}`]),
      ],
    };
    const { files, history, turns } = await stage.show(tasks[0]!.id);
    const calls = history.steps.filter(({ status }) => status === 'success').map(({ name }) => name);
    yield {
      part: 'its prompt and its calls',
      problems: [
        ...(turns.length === 1 ? [] : [`${turns.length} prompts are recorded`]),
        // The command, and the two calls in it.
        ...(calls.length === 3 ? [] : [`these calls are recorded: ${calls.join(', ')}`]),
      ],
    };
    const missing = ['a.txt', 'b.txt'].filter((name) => !files.changed.includes(name));
    yield { part: 'its files', problems: missing.map((name) => `${name} is not among them`) };
    await stage.vibe('undo', tasks[0]!.id, '--yes');
    const left = ['a.txt', 'b.txt'].filter((name) => existsSync(join(stage.place.project, name)));
    yield { part: 'taken back', problems: left.map((name) => `${name} is still there`) };
  },
};
