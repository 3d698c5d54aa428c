/**
 * `checkpoints resume`: resumes after a checkpoint; what the task recorded after it is undone first. An agent in its own program is
 * started where its conversation then ends.
 */
import { parseCheckpointId } from '../../task/keys.ts';
import { type Program, type Resuming, verb } from '../kit/verb.ts';
import { continuation } from '../shared/conversation.ts';
import { nobodyTakes } from '../shared/more-arguments.ts';
import { CODE, fileChoices, OUTCOME, RECOVERY_CHOICES, recoveryChoices, YES } from '../shared/options.ts';
import { declinedTakingBack, TAKE_BACK } from '../shared/take-back.ts';

export const checkpointsResume = verb({
  name: 'checkpoints resume',
  group: 'run',
  arguments: {
    checkpoint: { about: 'argument.checkpoint', of: 'checkpoint' },
    more: { about: 'resume.argument.more', optional: true, many: true },
  },
  options: { ...CODE, ...RECOVERY_CHOICES, ...TAKE_BACK, ...YES },
  examples: [
    'checkpoints resume x7k2qf-4',
    'checkpoints resume x7k2qf-4 --on-upstream ignore',
    'checkpoints resume x7k2qf-4 -- --model opus',
  ],
  data: OUTCOME,
  files: true,
  async run(call) {
    const { options } = call;
    const { more } = call.args;
    const checkpoint = await (await call.ids()).checkpoint(call.args.checkpoint);
    const { task } = parseCheckpointId(checkpoint)!;
    const row = await (await call.reader()).row(task);
    const byProgram = row?.client != null && options.file === undefined;
    if (!byProgram && more.length > 0) throw nobodyTakes(more, call);
    const files = await call.engine(true);
    const declined = await declinedTakingBack(call, () =>
      files.previewRollback(checkpoint, fileChoices(options)),
    );
    if (declined) return declined;
    const begin: Resuming['begin'] = (engine) => engine.resumeFrom(checkpoint, recoveryChoices(options));
    if (!byProgram) return call.resume(task, { ...options, begin });
    await files.rollback(checkpoint, fileChoices(options));
    const { title, line, command } = (await continuation(call, task))!;
    const program: Program = {
      title,
      command: [command.command, ...command.args, ...more],
      line,
      cwd: command.cwd,
    };
    return call.resume(task, { ...options, begin, program });
  },
});
