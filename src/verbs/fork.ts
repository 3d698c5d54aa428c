/** `fork`: a new task from any checkpoint of another, which is left as it is. */
import { verb } from './kit/verb.ts';

export const fork = verb({
  name: 'fork',
  group: 'change',
  files: true,
  summary: 'fork.summary',
  arguments: { checkpoint: { about: 'argument.checkpoint', of: 'checkpoint' } },
  options: {
    name: { value: 'name', about: 'fork.option.name' },
    dir: { value: 'dir', about: 'fork.option.dir' },
  },
  examples: ['fork x7k2qf-4', 'fork x7k2qf-4 --name "the other way" --dir ../other'],
  data: { task: 'string', short: 'string', parent: 'string', checkpoint: 'string' },
  async run(call) {
    const { say, options } = call;
    const from = await (await call.ids()).checkpoint(call.args.checkpoint);
    const { name, dir } = options;
    // Files are looked at only where they are to be put somewhere.
    const engine = await call.engine(dir !== undefined);
    const { id, parent, checkpoint } = await engine.fork(from, {
      ...(name === undefined ? {} : { task_name: name }),
      ...(dir === undefined ? {} : { working_dir: call.path(dir) }),
    });
    const short = (await call.ids()).short(id);
    return {
      data: { task: id, short, parent, checkpoint },
      lines: [say('fork.done', { id: short, command: call.invoke(`resume ${short}`) })],
    };
  },
});
