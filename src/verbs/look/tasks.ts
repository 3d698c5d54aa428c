/** `tasks`: lists tasks with their status. */
import { SHOWN_STATUSES, type TaskStatus } from '../../task/status.ts';
import { type Cell, table } from '../format/table.ts';
import { amountsOf } from '../kit/amounts.ts';
import { type Call, verb } from '../kit/verb.ts';
import { statusCell } from './status.ts';
import { TASK } from './task-shape.ts';

const LIMIT = 20;

export const tasks = verb({
  name: 'tasks',
  group: 'look',
  options: {
    status: { value: 'status', choices: SHOWN_STATUSES, many: true, about: 'tasks.option.status' },
    resumable: { about: 'tasks.option.resumable' },
    find: { value: 'text', about: 'tasks.option.find' },
    sort: { value: 'order', choices: ['created', 'updated', 'name', 'status'], about: 'tasks.option.sort' },
    limit: { value: 'n', number: { min: 1, whole: true }, about: 'tasks.option.limit' },
    all: { about: 'tasks.option.all' },
    after: { value: 'task', about: 'tasks.option.after' },
    counts: { about: 'tasks.option.counts' },
  },
  watch: true,
  examples: ['tasks', 'tasks --status failed,paused --sort updated', 'tasks --resumable --watch'],
  data: {
    tasks: [{ ...TASK, unfinished: 'boolean' }],
    more: 'boolean',
    counts: 'any',
    unreadable: ['string'],
  },
  async run(call) {
    const { say, translate, options, paint } = call;
    const store = await call.findStore();
    if (!store)
      return { data: { tasks: [], more: false, counts: null, unreadable: [] }, lines: [say('tasks.none')] };
    const { shortener } = await import('../kit/short.ts');
    const { rows, more, counts, unreadable } = await (await call.reader()).rows({
      statuses: options.status,
      resumable: options.resumable,
      find: options.find,
      sort: options.sort ?? 'created',
      limit: options.all ? undefined : (options.limit ?? LIMIT),
      after: options.after,
      counts: options.counts,
    });
    const short = shortener(rows.map(({ id }) => id));
    const cutOff = await (await call.reader()).unfinished(rows.map(({ id }) => id));
    const found = rows.map((row) => ({
      ...row,
      short: short(row.id),
      unfinished: cutOff.includes(row.id),
    }));
    const { ago } = amountsOf(call);
    const lines: Cell[][] = found.map((row) => [
      row.short,
      statusCell(row, call),
      [ago(row.updated_at), paint.dim],
      [row.name, paint.bold],
      [
        [
          row.unfinished && say('tasks.unfinished', { command: call.invoke(`finish ${row.short}`) }),
          row.client,
          translate(row.detail ?? ''),
          row.files_undone && say('tasks.files_undone'),
        ]
          .filter(Boolean)
          .join(' '),
        paint.dim,
      ],
    ]);
    const filtered = options.status.length > 0 || options.resumable || options.find !== undefined;
    const none = say(filtered ? 'tasks.none_such' : 'tasks.none');
    return {
      data: { tasks: found, more, counts, unreadable },
      lines: [
        ...(found.length > 0 ? table(lines, call.width) : unreadable.length > 0 ? [] : [none]),
        ...unreadable.map((task) =>
          paint.warn(say('tasks.unreadable', { task, command: call.invoke('doctor --repair') })),
        ),
        ...countsLine(counts, call),
        ...(more ? [paint.dim(say('tasks.more', { shown: found.length }))] : []),
      ],
    };
  },
});

function countsLine(
  counts: Readonly<Record<TaskStatus, number>> | null,
  { say, paint }: Pick<Call, 'say' | 'paint'>,
): string[] {
  if (!counts) return [];
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return [
    paint.dim(some.map(([status, count]) => `${say(`status.${status as TaskStatus}`)}: ${count}`).join('  ')),
  ];
}
