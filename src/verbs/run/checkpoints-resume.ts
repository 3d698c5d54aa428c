/** `checkpoints resume`: resumes after a checkpoint; what the task recorded after it is undone first. */
import { parseCheckpointId } from '../../checkpoint/record/record.ts';
import { verb } from '../kit/verb.ts';
import { CODE, OUTCOME, RECOVERY_CHOICES, recoveryChoices, YES } from '../shared/options.ts';

export const checkpointsResume = verb({
  name: 'checkpoints resume',
  group: 'run',
  arguments: { checkpoint: { about: 'argument.checkpoint', of: 'checkpoint' } },
  options: { ...CODE, ...RECOVERY_CHOICES, ...YES },
  examples: ['checkpoints resume x7k2qf-4', 'checkpoints resume x7k2qf-4 --on-upstream ignore'],
  data: OUTCOME,
  files: true,
  async run(call) {
    const { options } = call;
    const checkpoint = await (await call.ids()).checkpoint(call.args.checkpoint);
    return call.goOn(parseCheckpointId(checkpoint)!.task, {
      ...options,
      begin: (engine) => engine.resumeFrom(checkpoint, recoveryChoices(options)),
    });
  },
});
