/** `run`: starts a task from a file. */

import { assertRequirements } from '../../engine/lifecycle/requirements.ts';
import { verb } from '../../verbs/kit/verb.ts';
import { ANSWERS, OUTCOME } from '../../verbs/shared/options.ts';
import { follow } from './follow.ts';
import { readInput } from './input.ts';
import { loadTask } from './load.ts';

export const run = verb({
  name: 'run',
  group: 'run',
  arguments: { file: { about: 'run.argument.file' } },
  options: {
    input: { value: 'json', about: 'run.option.input' },
    name: { value: 'name', about: 'run.option.name' },
    id: { value: 'id', about: 'run.option.id' },
    ...ANSWERS,
  },
  examples: ['run review.ts', 'run review.ts --input @input.json'],
  data: OUTCOME,
  files: true,
  async run(call) {
    const { file } = call.args;
    const { input: given, name, id } = call.options;
    const { task, origin } = await loadTask(file, call.say);
    await assertRequirements(task);
    const input = await readInput(given, call.say);
    const engine = await call.worker([task]);
    const options = { origin, ...(name ? { task_name: name } : {}), ...(id ? { task_id: id } : {}) };
    return follow(engine, () => engine.start(task, input as never, options), call);
  },
});
