/** `resume`: resumes a task where it was, with the code it was started with. */

import { verb } from '../kit/verb.ts';
import { CODE, OUTCOME, RECOVERY_CHOICES, recoveryChoices, YES } from '../shared/options.ts';
import { theResumable } from '../shared/which.ts';

export const resume = verb({
  name: 'resume',
  group: 'run',
  arguments: { task: { about: 'resume.argument.task', of: 'task', optional: true } },
  options: { ...CODE, ...RECOVERY_CHOICES, ...YES },
  examples: ['resume', 'resume x7k2qf', 'resume x7k2qf --on-modified merge'],
  data: OUTCOME,
  files: true,
  async run(call) {
    const { options } = call;
    const given = call.args.task;
    const id =
      given === undefined
        ? await theResumable(call, 'resume', call.say('resume.which'))
        : await (await call.ids()).task(given);
    return call.goOn(id, {
      ...options,
      begin: (engine) => engine.resume(id, recoveryChoices(options)),
    });
  },
});
