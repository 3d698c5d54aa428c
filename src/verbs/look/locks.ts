/** `locks`: who runs which task, and which files are reserved for whom. */

import { type Cell, table } from '../format/table.ts';
import { amountsOf } from '../kit/amounts.ts';
import type { Ids } from '../kit/ids.ts';
import { verb } from '../kit/verb.ts';

export const locks = verb({
  name: 'locks',
  group: 'look',
  watch: true,
  examples: ['locks', 'locks --watch'],
  data: {
    tasks: [{ task: 'string', name: 'string', client: 'string|null', holder: 'string', since: 'time' }],
    files: [
      {
        id: 'string',
        owner: 'string',
        operation: 'string',
        paths: ['string'],
        acquired_at: 'time',
        expires_at: 'time',
        expired: 'boolean',
        task_name: 'string|null',
        client: 'string|null',
      },
    ],
  },
  async run(call) {
    const { say, paint } = call;
    const store = await call.findStore();
    const found = store ? await (await call.reader()).locks() : { tasks: [], files: [] };
    const ids = store ? await call.ids() : null;
    const { ago } = amountsOf(call);
    const runs = found.tasks.map(({ task, name, client, holder, since }): Cell[] => [
      `  ${ids!.short(task)}`,
      [name, paint.bold],
      client === null ? holder : `${client}, ${holder}`,
      [ago(since), paint.dim],
    ]);
    const held = found.files.map(({ operation, paths, expires_at, expired, ...by }): Cell[] => [
      `  ${paths.join(', ')}`,
      say(operation === 'write' ? 'locks.writes' : 'locks.reads'),
      ownerText(by, ids!),
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

/** Who it is for: the task by its name, and the agent in it. */
function ownerText({ owner, task_name, client }: Owner, ids: Pick<Ids, 'short'>): string {
  if (task_name === null) return owner;
  const [task, ...agent] = owner.split('/') as [string, ...string[]];
  return [task_name, client, [ids.short(task), ...agent].join('/')].filter(Boolean).join(', ');
}

interface Owner {
  readonly owner: string;
  readonly task_name: string | null;
  readonly client: string | null;
}
