/** `entry`: one entry of a task's journal, whole. */

import { InvalidInputError } from '../../errors.ts';
import { harmless } from '../format/width.ts';
import { amountsOf } from '../kit/amounts.ts';
import { verb } from '../kit/verb.ts';

export const entry = verb({
  name: 'entry',
  group: 'look',
  arguments: {
    task: { about: 'argument.task', of: 'task' },
    seq: { about: 'entry.argument.seq' },
  },
  examples: ['entry x7k2qf 12', 'entry x7k2qf 12 --json'],
  data: {
    task: 'string',
    seq: 'number',
    kind: 'string',
    at: 'time',
    dead: 'boolean',
    value: 'any',
    truncated: 'boolean',
    files: 'any',
  },
  async run(call) {
    const { say, paint } = call;
    const task = await (await call.ids()).task(call.args.task);
    if (!/^[1-9]\d{0,14}$/.test(call.args.seq))
      throw new InvalidInputError('USAGE', say('entry.no_number', { given: call.args.seq }), {
        data: { seq: call.args.seq },
        hint: say('entry.no_number_hint', { command: call.invoke('timeline --json') }),
      });
    const found = await (await call.reader()).entry(task, Number(call.args.seq));
    const { moment } = amountsOf(call);
    return {
      data: found,
      lines: [
        paint.bold(say('entry.title', { seq: found.seq, kind: found.kind, time: moment(found.at) })),
        ...(found.dead ? [paint.warn(say('entry.dead'))] : []),
        ...harmless(JSON.stringify(found.value, null, 2)).split('\n'),
        ...(found.truncated ? [paint.dim(say('entry.truncated'))] : []),
      ],
    };
  },
});
