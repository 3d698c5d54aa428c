/** `locks`: who runs which task, and which files are reserved for whom. */

import { type Cell, table } from '../format/table.ts';
import { amountsOf } from '../kit/amounts.ts';
import { verb } from '../kit/verb.ts';

export const locks = verb({
  name: 'locks',
  group: 'look',
  watch: true,
  examples: ['locks', 'locks --watch'],
  data: {
    tasks: [{ task: 'string', name: 'string', holder: 'string', since: 'time' }],
    files: [
      {
        id: 'string',
        owner: 'string',
        operation: 'string',
        paths: ['string'],
        acquired_at: 'time',
        expires_at: 'time',
        expired: 'boolean',
      },
    ],
  },
  async run(call) {
    const { say, paint } = call;
    const store = await call.findStore();
    const found = store ? await (await call.reader()).locks() : { tasks: [], files: [] };
    const ids = store ? await call.ids() : null;
    const { ago } = amountsOf(call);
    const runs = found.tasks.map(({ task, name, holder, since }): Cell[] => [
      `  ${ids!.short(task)}`,
      [name, paint.bold],
      holder,
      [ago(since), paint.dim],
    ]);
    const held = found.files.map(({ owner, operation, paths, expires_at, expired }): Cell[] => [
      `  ${paths.join(', ')}`,
      say(operation === 'write' ? 'locks.writes' : 'locks.reads'),
      owner,
      expired
        ? [say('locks.expired'), paint.warn]
        : [say('locks.until', { time: ago(expires_at) }), paint.dim],
    ]);
    return {
      data: found,
      lines: [
        ...(runs.length === 0
          ? [say('locks.no_tasks')]
          : [paint.bold(say('locks.tasks')), ...table(runs, call.width)]),
        ...(held.length === 0
          ? [say('locks.no_files')]
          : [paint.bold(say('locks.files')), ...table(held, call.width)]),
      ],
    };
  },
});
