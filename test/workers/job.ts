/** A task that does each kind of thing once, in a row, and says of each that it begins. */
import type { TaskContext } from '../../src/engine/api/context.ts';
import type { defineTask as Define, TaskDefinition } from '../../src/engine/api/definition.ts';

export const FILE = 'made.txt';

/** `begins` is told what begins; in the end the file that it made is gone again. */
export function everyKind(
  defineTask: typeof Define,
  who: string,
  begins: (what: string) => void,
  witness: string,
): TaskDefinition<void, string> {
  const run = async (task: TaskContext): Promise<string> => {
    await task.step('plain', () => begins('plain'));
    await task.step('dangerous', () => begins('dangerous'), { dangerous: true });
    await task.tool('call', {}, () => begins('tool'));
    await task.step('outer', async () => {
      begins('outer');
      await task.step('inner', () => begins('inner'), { dangerous: true });
      await task.step('inner', () => begins('inner'));
    });
    await task.files.write(FILE, 'made');
    await task.files.edit(FILE, (text) => `${text}, edited`);
    await task.files.delete(FILE);
    await task.shell(`echo '${who} shell' >> '${witness}'`);
    await task.waitFor('external_api', { timeout_ms: 1 }).catch(() => begins('after a wait'));
    await task.agent('helper', async (helper) => {
      await helper.step('within', () => begins('within'));
    });
    await task.set('variable', 'set');
    await task.sleep(1);
    await task.step('last', () => begins('last'));
    return 'done';
  };
  return defineTask('every-kind', run, { version: '1' });
}
