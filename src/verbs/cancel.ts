/** `cancel`: calls a task off for good. */
import { verb } from './kit/verb.ts';

export const cancel = verb({
  name: 'cancel',
  group: 'change',
  summary: 'cancel.summary',
  arguments: { task: { about: 'argument.task', of: 'task' } },
  options: { reason: { value: 'text', about: 'cancel.option.reason' } },
  examples: ['cancel x7k2qf', 'cancel x7k2qf --reason "no longer needed"'],
  data: { task: 'string', status: 'string', asked: 'string|null' },
  async run(call) {
    const { say } = call;
    const ids = await call.ids();
    const id = await ids.task(call.args.task);
    const engine = await call.engine();
    const holder = (await engine.storage.owner(id))?.holder ?? null;
    await engine.cancel(id, call.options.reason ?? say('cancel.reason'));
    const { status, task_name: name } = (await engine.state(id))!;
    const asked = status === 'cancelled' ? null : holder;
    return {
      data: { task: id, status, asked },
      lines: [asked === null ? say('cancel.done', { name }) : say('cancel.asked', { name, holder: asked })],
    };
  },
});
