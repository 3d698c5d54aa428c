/** Which events of a task call for a checkpoint, as its code writes them. */
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { put } from '../workspace/ground.ts';
import { benches } from './setup.ts';

const newBench = benches();

const works = defineTask(
  'works',
  async (task, dir: string) => {
    await task.message('system', 'be brief');
    await task.message('user', 'change a file');
    await task.message('assistant', 'with a command');
    await task.shell('true');
    await task.shell('echo more >> a.txt');
    await task.shell('echo less >> a.txt; exit 1');
    await task.step('outside', () => put(dir, 'b.txt', 'b\n'), { dangerous: 'external_api' });
    return task.message('user', 'thanks');
  },
  { version: '1' },
);

test.each([
  [
    { after_step: 'off' },
    ['after_user_input', 'after_file_change', 'after_file_change', 'after_file_change', 'after_user_input'],
  ],
  [
    { after_file_change: 'off', after_user_input: 'off' },
    ['after_step', 'after_step', 'after_step', 'after_step'],
  ],
] as const)('with %j: %j', async (triggers, expected) => {
  const { dir, open } = newBench();
  put(dir, 'a.txt', 'a\n');
  const engine = await open({
    workspace: true,
    config: {
      checkpoints: { triggers: { before_shell_command: 'off', before_external_api: 'off', ...triggers } },
    },
  });
  const made: string[] = [];
  engine.on('checkpoint', ({ trigger }) => made.push(trigger));
  await engine.run(works, dir);
  expect(made.filter((trigger) => trigger.startsWith('after_'))).toEqual(expected);
});
