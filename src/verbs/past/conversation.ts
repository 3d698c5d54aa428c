/** `conversation`: what was said in a task, from its journal, also while it runs. */
import type { SaidMessage } from '../../engine/reading/conversation.ts';
import { harmless, tidy } from '../format/width.ts';
import { amountsOf } from '../kit/amounts.ts';
import { type Call, verb } from '../kit/verb.ts';

const LIMIT = 50;
/** Of one message, at a terminal. */
const MOST_LINES = 12;

export const conversation = verb({
  name: 'conversation',
  group: 'look',
  arguments: { task: { about: 'argument.task', of: 'task' } },
  options: {
    from: { value: 'n', number: { min: 0, whole: true }, about: 'conversation.option.from' },
    limit: { value: 'n', number: { min: 0, whole: true }, about: 'conversation.option.limit' },
  },
  watch: true,
  examples: ['conversation x7k2qf', 'conversation x7k2qf --from 0 --limit 20'],
  data: {
    task: 'string',
    position: 'number',
    total: 'number',
    messages: [
      {
        index: 'number',
        seq: 'number',
        task: 'string',
        role: 'string',
        agent: 'string|null',
        at: 'time',
        text: 'string|null',
        content: 'any',
        truncated: 'boolean',
        tool: 'any',
        ref: 'string|null',
      },
    ],
  },
  async run(call) {
    const { say, paint, options } = call;
    const task = await (await call.ids()).task(call.args.task);
    const found = await (await call.reader()).said(task, {
      from: options.from,
      limit: options.limit ?? LIMIT,
    });
    const first = found.messages[0]?.index ?? 0;
    return {
      data: found,
      lines: [
        ...(found.total === 0 ? [say('conversation.nothing')] : []),
        ...(first > 0 ? [paint.dim(say('conversation.earlier', { count: first }))] : []),
        ...found.messages.flatMap((message) => linesOf(message, call)),
      ],
    };
  },
});

function linesOf(message: SaidMessage, call: Pick<Call, 'say' | 'paint' | 'now'>): string[] {
  const { say, paint } = call;
  const { role, agent, at, tool } = message;
  const time = amountsOf(call).moment(at).slice(-8);
  const who = [tool ? tool.name : role === 'decision' ? say('timeline.kind.decision') : role, agent]
    .filter(Boolean)
    .join(' ');
  const wrong = tool !== null && tool.status !== 'success';
  const painter = wrong ? paint.bad : tool ? paint.dim : paint.bold;
  const text = (message.text ?? JSON.stringify(message.content) ?? '').trim();
  const lines = text === '' ? [] : harmless(text).split('\n');
  const more = lines.length - MOST_LINES;
  return [
    `${painter(tidy(who))} ${paint.dim(time)}`,
    ...lines.slice(0, MOST_LINES).map((line) => (tool ? paint.dim(`  ${line}`) : `  ${line}`)),
    ...(more > 0 ? [paint.dim(`  ${say('conversation.more_lines', { count: more })}`)] : []),
  ];
}
