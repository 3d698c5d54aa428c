/** `pause`: stops a task at its next safe point, in whichever process it runs. */
import { verb } from '../kit/verb.ts';

export const pause = verb({
  name: 'pause',
  group: 'change',
  arguments: { task: { about: 'argument.task', of: 'task' } },
  options: {
    reason: { value: 'text', about: 'pause.option.reason' },
    instructions: { value: 'text', about: 'pause.option.instructions' },
  },
  examples: ['pause x7k2qf', 'pause x7k2qf --reason "until the release" --instructions "mind the new API"'],
  data: { task: 'string', status: 'string', asked: 'string|null' },
  async run(call) {
    const { say } = call;
    const ids = await call.ids();
    const id = await ids.task(call.args.task);
    const engine = await call.engine();
    const { reason = say(call.by === 'dashboard' ? 'pause.reason_page' : 'pause.reason'), instructions } =
      call.options;
    const holder = await engine.reader.holder(id);
    await engine.pause(id, reason, instructions, call.by ?? undefined);
    const { status, task_name: name } = (await engine.state(id))!;
    const asked = status === 'paused' ? null : holder;
    const command = call.invoke(`resume ${ids.short(id)}`);
    return {
      data: { task: id, status, asked },
      lines:
        asked === null
          ? [say('pause.done', { name, command })]
          : [say('pause.asked', { name, holder: asked })],
    };
  },
});
