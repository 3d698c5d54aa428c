/** `tree`: tasks and what was forked from them, with branches. */

import type { TreeNode } from '../../engine/reading/tree.ts';
import type { StatusFacts } from '../../task/status.ts';
import { clip, tidy } from '../format/width.ts';
import { type Amounts, amountsOf } from '../kit/amounts.ts';
import type { Ids } from '../kit/ids.ts';
import { type Call, verb } from '../kit/verb.ts';
import { statusText } from '../look/status.ts';

/** As deep as forks of forks are described; deeper ones look the same. */
const NODE = {
  task: 'string',
  short: 'string',
  name: 'string',
  status: 'string|null',
  interrupted: 'boolean',
  idle: 'boolean',
  checkpoint: 'string|null',
  at: 'time',
  steps: 'number',
  dead: [{ at: 'time', from: 'number', to: 'number' }],
  children: 'any',
} as const;

export const tree = verb({
  name: 'tree',
  group: 'look',
  arguments: { task: { about: 'tree.argument.task', of: 'task', optional: true } },
  watch: true,
  examples: ['tree', 'tree x7k2qf'],
  data: { roots: [NODE] },
  async run(call) {
    const store = await call.findStore();
    if (!store) return { data: { roots: [] }, lines: [call.say('tree.none')] };
    const ids = await call.ids();
    const given = call.args.task;
    const task = given === undefined ? null : await ids.task(given);
    const found = await (await call.reader()).tree(task);
    const roots = found.map((node) => withShort(node, ids));
    const style = { ...call, amounts: amountsOf(call), ids, task };
    return {
      data: { roots },
      lines: found.length === 0 ? [call.say('tree.none')] : found.flatMap((node) => linesOf(node, style)),
    };
  },
});

interface Shown extends Omit<TreeNode, 'children' | 'facts'>, Pick<StatusFacts, 'interrupted' | 'idle'> {
  readonly short: string;
  readonly status: StatusFacts['status'] | null;
  readonly children: readonly Shown[];
}

function withShort({ facts, ...node }: TreeNode, ids: Ids): Shown {
  const { status = null, interrupted = false, idle = false } = facts ?? {};
  return {
    ...node,
    ...{ status, interrupted, idle },
    short: ids.short(node.task),
    children: node.children.map((child) => withShort(child, ids)),
  };
}

type Style = Pick<Call, 'say' | 'paint' | 'width'> & {
  readonly amounts: Amounts;
  readonly ids: Ids;
  /** The one that was asked for. */
  readonly task: string | null;
};

function linesOf(node: TreeNode, style: Style, before = '', branch = ''): string[] {
  const { say, paint, amounts, ids, task, width } = style;
  const { facts, name, steps, at, checkpoint, dead, children } = node;
  const sign = facts?.interrupted ? '◌' : (SIGNS[facts?.status ?? ''] ?? '●');
  const number = checkpoint?.slice(checkpoint.lastIndexOf('-') + 1);
  const about = [
    facts === null ? '' : statusText(facts, say),
    say('tree.steps', { count: steps }),
    amounts.ago(at),
    ...(number === undefined ? [] : [say('tree.from', { number })]),
    ...(dead.length === 0 ? [] : [say('tree.dead', { count: dead.length })]),
  ].filter((fact) => fact !== '');
  const title = `${sign} ${ids.short(node.task)}  ${tidy(name)}`;
  const told = about.join(' · ');
  const room = width === null ? title.length : Math.max(20, width - before.length - branch.length);
  const line = clip(title, room);
  const shown = node.task === task ? paint.bold(line) : line;
  return [
    `${paint.dim(before + branch)}${shown}`,
    paint.dim(
      `${before}${branch === '├─ ' ? '│  ' : branch === '' ? '' : '   '}${children.length > 0 ? '│' : ' '} ${told}`,
    ),
    ...children.flatMap((child, at) =>
      linesOf(
        child,
        style,
        before + (branch === '├─ ' ? '│  ' : branch === '' ? '' : '   '),
        at === children.length - 1 ? '└─ ' : '├─ ',
      ),
    ),
  ];
}

const SIGNS: Readonly<Record<string, string>> = {
  queued: '○',
  in_progress: '◐',
  paused: '‖',
  waiting: '◆',
  completed: '✓',
  failed: '✗',
  cancelled: '⊖',
};
