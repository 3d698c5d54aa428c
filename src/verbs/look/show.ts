/** `show`: everything about one task. Its status, what it did and changed, and how to continue. */

import type { TaskView } from '../../engine/reading/view.ts';
import { EngineError } from '../../errors.ts';
import { sparkline } from '../format/spark.ts';
import { type Cell, table } from '../format/table.ts';
import { type Amounts, amountsOf, percentOf } from '../kit/amounts.ts';
import { withShortIds } from '../kit/short.ts';
import { type Call, verb } from '../kit/verb.ts';
import { inDoubt, named } from '../shared/file-lines.ts';
import { plain } from '../shared/plain.ts';
import { stillRunsLines } from '../shared/still-runs.ts';
import { actionsOf } from './actions.ts';
import { nextVerbs } from './next-verbs.ts';
import { statusCell } from './status.ts';
import { stepLines } from './step-lines.ts';
import { TASK } from './task-shape.ts';
import { turnOf, turnsIn } from './turns.ts';

const MOST_STEPS = 20;

export const show = verb({
  name: 'show',
  group: 'look',
  arguments: { task: { about: 'show.argument.task', of: 'task', optional: true } },
  options: { all: { about: 'show.option.all' }, brief: { about: 'show.option.brief' } },
  watch: true,
  examples: ['show', 'show x7k2qf', 'show fix-login --all'],
  data: {
    task: TASK,
    working_dir: 'string',
    forked_from: 'string|null',
    input: 'any',
    state: 'any',
    history: 'any',
    context: [
      {
        checkpoint: 'string',
        bytes: 'number',
        messages: 'number',
        tool_outputs: 'number',
        decisions: 'number',
      },
    ],
    files: { known: 'boolean', complete: 'boolean', changed: ['string'], in_doubt: ['string'] },
    waits: [
      {
        id: 'string',
        kind: 'string',
        prompt: 'string|null',
        answered: 'boolean',
        timed_out: 'boolean',
        timeout_at: 'time|null',
      },
    ],
    turns: [{ checkpoint: 'string', at: 'time', prompt: 'string|null', ref: 'string|null' }],
    unfinished: 'string|null',
    processes: ['number'],
    problems: ['string'],
    next: ['string'],
    position: 'number|null',
    can_redo: 'boolean',
    redo: 'any',
    children: [{ task: 'string', short: 'string', name: 'string', status: 'string', checkpoint: 'string' }],
    in_progress: [
      { id: 'string', name: 'string', agent: 'string|null', attempt: 'number', started_at: 'time' },
    ],
    runs: [{ at: 'time', by: 'any', after: 'string', ended: 'string|null' }],
    actions: [{ verb: 'string', args: 'any', options: 'any', allowed: 'boolean', why_not: 'string|null' }],
  },
  async run(call) {
    const ids = await call.ids();
    const { reader } = await call.engine();
    const { brief } = call.options;
    const view = await reader.view(await ids.task(call.args.task ?? lastOf(ids.all, call)), { brief });
    const task = { ...view.row, short: ids.short(view.row.id) };
    const next = nextVerbs(view, task.short).map(call.invoke);
    return {
      data: {
        task,
        working_dir: view.working_dir,
        forked_from: view.forked_from,
        input: plain(view.input),
        state: plain(view.state.data),
        history: plain(view.history),
        context: view.checkpoints.map(({ id, context }) => ({ checkpoint: id, ...context })),
        files: {
          known: view.files !== null,
          complete: view.files?.complete ?? false,
          changed: view.files?.changed ?? [],
          in_doubt: view.files?.in_doubt ?? [],
        },
        waits: view.waits.map((wait) => ({
          id: wait.id,
          kind: wait.kind,
          prompt: wait.prompt ?? null,
          answered: wait.answered,
          timed_out: wait.timed_out,
          timeout_at: wait.timeout_at,
        })),
        turns: turnsOf(view),
        unfinished: view.unfinished,
        processes: view.processes,
        problems: view.problems,
        next,
        ...aboutOf(view, ids.short),
        actions: actionsOf(view, call.say),
      },
      lines: linesOf({ ...view, short: task.short, next }, call, call.options.all),
    };
  },
});

/** What it did and does, beside its steps. */
function aboutOf({ about, can_redo, row, state }: TaskView, short: (task: string) => string) {
  const operations =
    state.status === 'in_progress' && row.holder !== null ? (state.data.under_way ?? []) : [];
  return {
    position: about?.position ?? null,
    can_redo,
    redo: can_redo ? (about?.undone ?? null) : null,
    children: (about?.children ?? []).map((child) => ({ ...child, short: short(child.task) })),
    in_progress: operations.map((one) => ({ ...one, agent: one.agent === '' ? null : one.agent })),
    runs: about?.runs ?? [],
  };
}

type Shown = TaskView & { readonly short: string; readonly next: readonly string[] };

function linesOf(
  view: Shown,
  call: Pick<Call, 'say' | 'translate' | 'paint' | 'width' | 'language' | 'now' | 'invoke'>,
  all: boolean,
): string[] {
  const { say, paint, width } = call;
  const { row, history } = view;
  const amounts = amountsOf(call);
  const facts = factsOf(view, call, amounts, all);
  const steps = history && history.steps.length > 0;
  return [
    ...table(
      [[[row.name, paint.bold], statusCell(row, call), [call.translate(row.detail ?? ''), paint.dim]]],
      width,
    ),
    ...table(facts, width),
    ...turnLines(view, call, all),
    ...(steps
      ? [
          paint.bold(
            say('show.steps', {
              count: history.steps.length,
              time: amounts.duration(history.total_duration),
            }),
          ),
        ]
      : []),
    ...(steps ? stepLines(history, { ...call, amounts, width, most: all ? null : MOST_STEPS }) : []),
    ...(view.unfinished
      ? [paint.warn(say('show.unfinished', { command: call.invoke(`${view.unfinished} ${view.short}`) }))]
      : []),
    ...stillRunsLines(view.processes, call),
    ...view.problems.map((problem) => paint.bad(say('show.problem', { problem: call.translate(problem) }))),
    ...(view.next.length > 0 ? [paint.bold(say('show.next')), ...view.next.map((line) => `  ${line}`)] : []),
  ];
}

function factsOf(
  view: Shown,
  { say, translate, paint }: Pick<Call, 'say' | 'translate' | 'paint'>,
  amounts: Amounts,
  all: boolean,
): Cell[][] {
  const { row, state, history, checkpoints, files, waits } = view;
  const when = (time: string): string =>
    say('text.noted', { text: amounts.moment(time), note: amounts.ago(time) });
  const facts: [label: string, text: string | null][] = [
    [say('show.id'), row.id],
    [say('show.created'), when(row.created_at)],
    [say('show.changed'), when(row.updated_at)],
    [say('show.holder'), row.holder],
    [
      say('show.agent'),
      row.client && say('show.agent_is', { client: row.client, session: row.session ?? '' }),
    ],
    [say('show.forked_from'), view.forked_from && withShortIds(view.forked_from)],
    [say('show.instructions'), state.status === 'paused' ? state.data.resume_instructions : null],
    ...waits.map(({ prompt, kind, answered, timed_out, timeout_at, id }): [string, string] => [
      say(answered ? 'show.answered' : timed_out ? 'show.timed_out' : 'show.asks'),
      [
        prompt ?? kind,
        ...(waits.length > 1 ? [`(${id})`] : []),
        ...(answered || timed_out || timeout_at === null
          ? []
          : [say('show.until', { time: amounts.moment(timeout_at) })]),
      ].join(' '),
    ]),
    [say('show.checkpoints'), checkpoints.length === 0 ? null : newest(view, say, amounts)],
    [say('show.context'), checkpoints.length === 0 ? null : growth(checkpoints, say, amounts)],
    [say('show.files'), files === null ? null : filesLine(files, say, all)],
    [say('show.files_undone'), undoneLine(row, say, amounts)],
    [say('show.git'), gitLine(history, say, translate)],
    [say('show.recoveries'), history?.recovery_attempts ? String(history.recovery_attempts) : null],
  ];
  return facts.flatMap(([label, text]) => (text === null ? [] : [[[label, paint.dim] as const, text]]));
}

function turnsOf({ checkpoints }: Pick<TaskView, 'checkpoints'>) {
  return turnsIn(checkpoints).map((one) => ({ checkpoint: one.id, at: one.created_at, ...turnOf(one) }));
}

const MOST_TURNS = 10;

/** The checkpoint before each prompt, and the prompt. */
function turnLines(
  view: Shown,
  call: Pick<Call, 'say' | 'paint' | 'width' | 'language' | 'now'>,
  all: boolean,
): string[] {
  const { say, paint, width } = call;
  const turns = turnsIn(view.checkpoints);
  if (turns.length === 0) return [];
  const { ago } = amountsOf(call);
  const rows = turns
    .slice(all ? 0 : -MOST_TURNS)
    .map((one): Cell[] => [
      `  ${view.short}-${one.sequence_number}`,
      [ago(one.created_at), paint.dim],
      turnOf(one).prompt ?? '',
    ]);
  return [paint.bold(say('show.turns', { count: turns.length })), ...table(rows, width)];
}

function newest({ checkpoints, short }: Shown, say: Call['say'], amounts: Amounts): string {
  const last = checkpoints.at(-1)!;
  // Their numbers only grow.
  const made = last.sequence_number;
  return say(made > checkpoints.length ? 'show.listed_checkpoints' : 'show.newest_checkpoint', {
    count: checkpoints.length,
    made,
    id: `${short}-${last.sequence_number}`,
    ago: amounts.ago(last.created_at),
    progress: percentOf(last.state.progress),
  });
}

function growth(checkpoints: TaskView['checkpoints'], say: Call['say'], amounts: Amounts): string {
  const { messages, tool_outputs, decisions, bytes } = checkpoints.at(-1)!.context;
  const size = amounts.bytes(bytes);
  const sizes = checkpoints.map(({ context }) => context.bytes);
  return `${sparkline(sizes, 20)} ${say('show.context_is', { size, messages, tool_outputs, decisions })}`;
}

function filesLine(
  { changed, in_doubt, complete }: NonNullable<TaskView['files']>,
  say: Call['say'],
  all: boolean,
): string {
  const names = all ? changed.join(', ') : named(changed);
  const shown =
    changed.length === 0 ? say('show.no_files') : say('show.files_are', { count: changed.length, names });
  const doubts = inDoubt(in_doubt, say);
  const known = complete ? shown : `${shown} ${say('show.files_open')}`;
  return doubts === null ? known : `${known}; ${doubts}`;
}

function undoneLine({ files_undone }: TaskView['row'], say: Call['say'], amounts: Amounts): string | null {
  if (!files_undone) return null;
  const { at, by } = files_undone;
  return say('show.files_undone_by', { by, time: amounts.moment(at), ago: amounts.ago(at) });
}

function gitLine(
  history: TaskView['history'],
  say: Call['say'],
  translate: Call['translate'],
): string | null {
  const versions = history?.versions;
  if (!versions) return null;
  const { branch, current_head, upstream, commits_behind, assessed } = versions;
  const at = say('show.git_at', { branch: branch ?? 'HEAD', commit: current_head?.slice(0, 10) ?? '–' });
  if (commits_behind === 0 || upstream === null) return at;
  return `${at}, ${say('show.git_behind', { count: commits_behind, upstream: upstream.name, level: translate(assessed?.level ?? '?') })}`;
}

function lastOf(all: readonly string[], { say, invoke }: Pick<Call, 'say' | 'invoke'>): string {
  const last = all.at(-1);
  if (last !== undefined) return last;
  const hint = say('show.none_hint', { command: invoke('exec -- <command>') });
  throw new EngineError('TASK_UNKNOWN', say('tasks.none'), { data: {}, hint });
}
