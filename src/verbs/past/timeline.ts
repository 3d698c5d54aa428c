/** `timeline`: what happened to a task, as a thread and row by row; what was rolled back among it. */
import { nearest } from '../../config/nearest.ts';
import type { TimelineRow } from '../../engine/reading/timeline/page.ts';
import type { TimelineView } from '../../engine/reading/timeline/timeline.ts';
import { InvalidInputError } from '../../errors.ts';
import { sparkline } from '../format/spark.ts';
import { type Cell, table } from '../format/table.ts';
import { type Amounts, amountsOf } from '../kit/amounts.ts';
import { type Call, verb } from '../kit/verb.ts';
import { readable } from '../look/readable.ts';
import { threadLines } from './thread.ts';

/** Of a program, and of a person at a terminal. */
const LIMIT = 200;
const LIMIT_OF_LINES = 30;
const COLUMNS = 80;

export const timeline = verb({
  name: 'timeline',
  group: 'look',
  arguments: { task: { about: 'argument.task', of: 'task' } },
  options: {
    from: { value: 'row', number: { min: 0, whole: true }, about: 'timeline.option.from' },
    limit: { value: 'n', number: { min: 0, whole: true }, about: 'timeline.option.limit' },
    bins: { value: 'n', number: { min: 1, whole: true }, about: 'timeline.option.bins' },
    agent: { value: 'agent', about: 'timeline.option.agent' },
    failed: { about: 'timeline.option.failed' },
  },
  watch: true,
  examples: ['timeline x7k2qf', 'timeline x7k2qf --failed', 'timeline x7k2qf --from 0 --limit 50 --json'],
  data: {
    task: 'string',
    position: 'number',
    total: 'number',
    matching: 'number',
    open: 'number|null',
    started_at: 'time|null',
    ended_at: 'time|null',
    last_at: 'time|null',
    emptied: 'boolean',
    rows: [
      {
        row: 'number',
        seq: 'number',
        kind: 'string',
        id: 'string',
        name: 'string',
        agent: 'string|null',
        at: 'time',
        ms: 'number|null',
        attempt: 'number',
        status: 'string',
        why: 'any',
        files: 'number|null',
        text: 'string|null',
        checkpoint: 'string|null',
        dead: 'boolean',
        task: 'string|null',
      },
    ],
    lanes: [{ agent: 'string|null', name: 'string', rows: 'number', from: 'time', to: 'time' }],
    marks: [
      {
        kind: 'string',
        seq: 'number',
        row: 'number',
        at: 'time',
        id: 'string|null',
        text: 'string|null',
        task: 'string|null',
      },
    ],
    gaps: [{ from: 'time', to: 'time', ms: 'number', after_row: 'number' }],
    dead: [
      {
        from_row: 'number',
        to_row: 'number',
        after_seq: 'number',
        rollback_seq: 'number',
        redone: 'boolean',
      },
    ],
    bins: [{ from: 'time', to: 'time', row: 'number|null', rows: 'number', failed: 'number', agents: 'any' }],
  },
  async run(call) {
    const { options } = call;
    const ids = await call.ids();
    const id = await ids.task(call.args.task);
    const reader = await call.reader();
    const known = options.agent === undefined ? [] : (await reader.timeline(id, { limit: 0 })).lanes;
    const asked = {
      from: options.from,
      limit: options.limit ?? (call.json ? LIMIT : LIMIT_OF_LINES),
      agent: options.agent === undefined ? undefined : agentNamed(options.agent, known, call),
      failed: options.failed,
    };
    // A person is shown the whole thread, whatever rows are listed.
    const bins = options.bins ?? (call.json ? undefined : (call.width ?? COLUMNS));
    const found = await reader.timeline(id, { ...asked, bins });
    const { say, translate } = call;
    const told = {
      ...found,
      rows: found.rows.map((row) => ({
        ...row,
        why: row.why && { ...row.why, text: translate(row.why.text) },
      })),
      marks: found.marks.map((mark) => ({ ...mark, text: mark.text && translate(mark.text) })),
    };
    const lines =
      found.total === 0
        ? [say(found.emptied ? 'timeline.emptied' : 'timeline.empty')]
        : linesOf(told, call, ids.short);
    return { data: told, lines };
  },
});

/** A lane by its path or its name; `main` is the task itself. */
function agentNamed(given: string, lanes: TimelineView['lanes'], { say }: Pick<Call, 'say'>): string | null {
  const exact = lanes.find(({ agent }) => agent === given) ?? lanes.find(({ name }) => name === given);
  if (exact) return exact.agent;
  if (given === MAIN) return null;
  const names = [MAIN, ...lanes.flatMap(({ agent }) => agent ?? [])];
  const near = nearest(given, names);
  throw new InvalidInputError('USAGE', say('timeline.no_agent', { agent: given }), {
    data: { agent: given, agents: names },
    hint:
      (near === undefined ? '' : say('usage.nearest', { nearest: near })) +
      say('timeline.agents_are', { agents: names.join(', ') }),
  });
}

const MAIN = 'main';

type Lines = Pick<Call, 'say' | 'translate' | 'paint' | 'width' | 'now' | 'invoke'>;

function linesOf(view: TimelineView, call: Lines, short: (task: string) => string): string[] {
  const { say, paint, width } = call;
  const amounts = amountsOf(call);
  const first = view.rows[0]?.row ?? 0;
  return [
    ...threadLines(view, { ...call, amounts, short }),
    ...laneLines(view, call),
    ...(view.rows.length > 0 ? [''] : []),
    ...(first > 0 ? [paint.dim(say('timeline.earlier', { count: first }))] : []),
    ...rowLines(view, { ...call, amounts, width }),
  ];
}

/** When each agent did something, where there are several. */
function laneLines({ lanes, bins }: TimelineView, { paint, width }: Lines): string[] {
  if (lanes.length < 2) return [];
  const room = Math.max(10, Math.min(bins.length, Math.floor((width ?? COLUMNS) / 2)));
  return table(
    lanes.map(({ agent, name, rows }): Cell[] => [
      [agent === null ? MAIN : `/${name}`, paint.bold],
      [String(rows), paint.dim],
      sparkline(
        joined(
          bins.map(({ agents }) => agents[agent ?? ''] ?? 0),
          room,
        ),
        room,
      ).replaceAll('▁', ' '),
    ]),
    width,
  );
}

/** Added up, to so many. */
function joined(counts: readonly number[], into: number): number[] {
  const sums = new Array<number>(Math.min(into, counts.length)).fill(0);
  for (const [at, count] of counts.entries()) sums[Math.floor((at * sums.length) / counts.length)]! += count;
  return sums;
}

function rowLines({ rows }: TimelineView, style: Lines & { readonly amounts: Amounts }): string[] {
  const { paint, amounts } = style;
  const lines = table(
    rows.map((row): Cell[] => {
      const painter = row.dead ? paint.dim : painterOf(row, paint);
      return [
        [amounts.moment(row.at).slice(-8), paint.dim],
        [row.dead ? '╎' : SIGNS[row.status], painter],
        [nameOf(row, style), painter],
        [row.agent ?? '', paint.dim],
        [row.ms === null ? '' : amounts.duration(row.ms), paint.dim],
        [noteOf(row, style), paint.dim],
      ];
    }),
    style.width,
  );
  return rows.flatMap((row, at) => [
    lines[at]!,
    ...(row.why && !row.dead ? [paint.warn(`          ↳ ${row.why.text}`)] : []),
  ]);
}

const SIGNS: Readonly<Record<TimelineRow['status'], string>> = {
  success: '✓',
  failed: '✗',
  pending: '…',
  unknown: '?',
  skipped: '–',
  refused: '⊘',
};

function painterOf({ status, kind }: TimelineRow, paint: Call['paint']) {
  if (status === 'success') return WORK.has(kind) ? paint.good : paint.bold;
  return {
    failed: paint.bad,
    pending: paint.warn,
    unknown: paint.warn,
    skipped: paint.dim,
    refused: paint.dim,
  }[status];
}

const WORK: ReadonlySet<TimelineRow['kind']> = new Set(['step', 'tool', 'shell', 'edit', 'agent']);

function nameOf({ kind, name, attempt }: TimelineRow, { say }: Pick<Call, 'say'>): string {
  const times = attempt > 1 ? ` ×${attempt}` : '';
  if (WORK.has(kind)) return `${name.replace(/^tool:/, '')}${times}`;
  if (kind !== 'status') return say(`timeline.kind.${kind}` as 'timeline.kind.wait');
  if (name === 'retry' || name === 'in_progress')
    return say(name === 'retry' ? 'timeline.kind.retry' : 'timeline.kind.started');
  return say(`status.${name}` as 'status.paused');
}

function noteOf({ kind, name, text, status }: TimelineRow, { translate }: Pick<Call, 'translate'>): string {
  if (kind === 'message') return `${name}: ${text ?? ''}`;
  if (text === null) return '';
  return status === 'success' && WORK.has(kind) ? readable(text) : translate(text);
}
