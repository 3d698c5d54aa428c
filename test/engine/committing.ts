/** A task that writes a file, commits it, and does so again. */
import { defineTask, type TaskDefinition } from '../../src/engine/api/definition.ts';

export const COMMITTING: TaskDefinition<void, (string | undefined)[]> = defineTask(
  'committing',
  async (task) => {
    const commits = [];
    for (const name of ['first', 'second']) {
      await task.files.write(`${name}.txt`, `${name}\n`);
      commits.push((await task.commit('The same words each time'))?.commit);
    }
    return commits;
  },
);
