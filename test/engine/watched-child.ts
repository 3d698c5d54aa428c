/** A process with a task that does what it is told, line by line. */
import { createInterface } from 'node:readline';
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';

const { dir, config } = JSON.parse(process.argv[2]!);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const engine = await openEngine({ project_dir: dir, config, signals: false, automatic_cleanup: false });
const watched = defineTask('watched', async (task) => {
  for (;;) {
    const { value: line } = await lines.next();
    if (line === 'ask') await task.waitFor('user_input', { prompt: 'Well?' });
    else if (line === 'side by side') {
      await task.progress(40);
      // They run until the question is there.
      const both = ['left', 'right'].map((name) => task.step(name, () => lines.next()));
      await both[0];
      await task.waitFor('user_input', { prompt: 'Well?' });
      await new Promise(() => {});
    } else await task.step(line!, () => line);
  }
});
const { id } = await engine.start(watched, undefined);
console.log(id);
