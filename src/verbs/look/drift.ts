/** `drift`: whether the repository has changed under tasks, and how severely. */

import type { VersionTracker } from '../../drift/tracker.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Drifted } from '../../engine/git/looking.ts';
import { isFinal, type TaskStatus } from '../../task/status.ts';
import { type Call, verb } from '../kit/verb.ts';

export const drift = verb({
  name: 'drift',
  group: 'look',
  files: true,
  arguments: { task: { about: 'drift.argument', of: 'task', optional: true } },
  options: { stored: { about: 'drift.option.stored' } },
  examples: ['drift', 'drift x7k2qf', 'drift x7k2qf --stored'],
  data: {
    tasks: [
      {
        task: 'string',
        name: 'string',
        status: 'string',
        branch: 'string|null',
        head: 'string|null',
        upstream: 'string|null',
        commits_behind: 'number',
        level: 'string|null',
        files: ['string'],
        others: ['string'],
        unknown: 'string|null',
        checked_at: 'time',
        events: [{ detected_at: 'time', type: 'string', resolution: 'string', details: 'any' }],
      },
    ],
  },
  async run(call) {
    const { say, paint } = call;
    const ids = (await call.findStore()) ? await call.ids() : null;
    const engine = ids && (await call.engine());
    const wanted = ids && call.args.task !== undefined ? [await ids.task(call.args.task)] : null;
    const tasks = [];
    for (const { id, name, status } of engine ? await concerned(engine, wanted) : []) {
      const seen = call.options.stored ? null : await engine!.drift(id);
      const tracker = seen?.tracker ?? (await engine!.versions(id));
      if (tracker) tasks.push({ ...described(tracker, seen), task: id, name, status });
    }
    const lines = tasks.flatMap((one) => [
      paint.bold(say('drift.task', { name: one.name, id: ids!.short(one.task) })),
      ...factLines(one, call).map((line) => `  ${line}`),
      ...nextLines(one, ids!.short(one.task), call).map((line) => `  ${line}`),
    ]);
    if (lines.length > 0) return { data: { tasks }, lines };
    const over = engine && wanted === null ? await newestOver(engine) : null;
    const none =
      over === null
        ? say('drift.none')
        : say('drift.over', { command: call.invoke(`drift ${ids!.short(over)}`) });
    return { data: { tasks }, lines: [none] };
  },
});

/** Those that have not ended, newest first, unless one is named. */
async function concerned(
  engine: Engine,
  wanted: readonly string[] | null,
): Promise<{ id: string; name: string; status: TaskStatus }[]> {
  const states = wanted
    ? (await Promise.all(wanted.map((id) => engine.state(id)))).flatMap((state) => state ?? [])
    : (await engine.tasks({ limit: Number.MAX_SAFE_INTEGER })).filter(({ status }) => !isFinal(status));
  return states.map(({ task_id, task_name, status }) => ({ id: task_id, name: task_name, status }));
}

/** The newest of those that are over and were in a repository. */
async function newestOver(engine: Engine): Promise<string | null> {
  for (const { task_id, status } of await engine.tasks({ limit: MOST_LOOKED_AT }))
    if (isFinal(status) && (await engine.versions(task_id))) return task_id;
  return null;
}

const MOST_LOOKED_AT = 50;

function described(tracker: VersionTracker, seen: Drifted | null) {
  const { branch, current_head, upstream, commits_behind, assessed, unknown, others, checked_at } = tracker;
  const last = tracker.drift_events.findLast(({ details }) => details.severity !== undefined);
  return {
    branch,
    head: current_head,
    upstream: upstream?.name ?? null,
    commits_behind,
    level: seen?.drift.level ?? assessed?.level ?? null,
    files: commits_behind === 0 ? [] : [...(last?.details.files ?? [])],
    others: [...others],
    unknown: unknown ? unknown.reason : null,
    checked_at,
    events: tracker.drift_events.map(({ detected_at, type, resolution, details }) => ({
      detected_at,
      type,
      resolution,
      details,
    })),
  };
}

type Described = ReturnType<typeof described>;

function factLines(
  one: Described,
  { say, translate, paint }: Pick<Call, 'say' | 'translate' | 'paint'>,
): string[] {
  const { branch, head, upstream, commits_behind: count, files, others, unknown, events } = one;
  const painter =
    { none: paint.good, low: paint.good, medium: paint.warn, high: paint.bad }[one.level ?? 'none'] ??
    paint.warn;
  const pending = events.filter(({ resolution }) => resolution === 'pending');
  const rewritten = pending.some(({ type }) => type === 'force_push');
  return [
    say('show.git_at', { branch: branch ?? 'HEAD', commit: head?.slice(0, 10) ?? '–' }),
    ...(upstream === null
      ? [say('drift.no_upstream')]
      : [
          rewritten
            ? paint.bad(say('drift.rewritten', { upstream }))
            : count === 0
              ? paint.good(say('drift.level_with', { upstream }))
              : painter(say('drift.behind', { count, upstream, level: translate(one.level ?? '?') })),
        ]),
    ...(files.length > 0 ? [say('drift.files', { files: files.join(', ') })] : []),
    ...(others.length > 0 ? [say('drift.others', { files: others.join(', ') })] : []),
    ...(unknown === null || upstream === null
      ? []
      : [paint.warn(say('drift.unknown', { reason: translate(unknown) }))]),
    ...[...new Set(pending.map(({ type }) => type))].map((type) =>
      say('drift.pending', { type: say(`drift.type.${type}`) }),
    ),
  ];
}

/** What can be typed about it; nothing that would be refused. */
function nextLines(
  { status, level, commits_behind, events }: Described & { status: TaskStatus },
  short: string,
  { say, invoke }: Pick<Call, 'say' | 'invoke'>,
): string[] {
  const undecided = events.some(({ type, resolution }) => resolution === 'pending' && NEWS.has(type));
  const rewritten = events.some(({ type, resolution }) => resolution === 'pending' && type === 'force_push');
  const mergeable = commits_behind > 0 && !rewritten && level !== 'high';
  const rests = status === 'paused' || status === 'failed';
  const commands = [
    ...(mergeable && (rests || isFinal(status)) ? [`rebase ${short}`] : []),
    ...(undecided && rests
      ? [
          rewritten ? `restart ${short}` : `restart ${short} --upstream`,
          `resume ${short} --on-upstream=ignore`,
        ]
      : []),
  ];
  return commands.length === 0 ? [] : [say('drift.next', { commands: commands.map(invoke).join('   ') })];
}

const NEWS: ReadonlySet<string> = new Set(['upstream_change', 'force_push']);
