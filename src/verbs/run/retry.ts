/** `retry`: runs what failed again, or everything from a step on. */

import { verb } from '../kit/verb.ts';
import { CODE, fileChoices, OUTCOME, RECOVERY_CHOICES, recoveryChoices, YES } from '../shared/options.ts';
import { declinedTakingBack, TAKE_BACK } from '../shared/take-back.ts';

export const retry = verb({
  name: 'retry',
  group: 'run',
  arguments: { task: { about: 'argument.task', of: 'task' } },
  options: {
    'from-step': { value: 'name', about: 'retry.option.from_step' },
    attempts: { value: 'n', number: { min: 1, whole: true }, about: 'retry.option.attempts' },
    ...CODE,
    ...RECOVERY_CHOICES,
    ...TAKE_BACK,
    ...YES,
  },
  examples: ['retry x7k2qf', 'retry x7k2qf --from-step fetch', 'retry x7k2qf --attempts 3'],
  data: OUTCOME,
  files: true,
  async run(call) {
    const { options } = call;
    const { 'from-step': step, attempts } = options;
    const id = await (await call.ids()).task(call.args.task);
    const chosen = {
      ...recoveryChoices(options),
      ...(step === undefined ? {} : { step }),
      ...(attempts === undefined ? {} : { attempts }),
    };
    if (step !== undefined) {
      const engine = await call.engine(true);
      const declined = await declinedTakingBack(call, () =>
        engine.previewRetry(id, step, fileChoices(options)),
      );
      if (declined) return declined;
    }
    return call.resume(id, { ...options, begin: (engine) => engine.retry(id, chosen) });
  },
});
