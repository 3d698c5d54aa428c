/** `conversations`: those that are saved, or one of them. */
import { nearest } from '../../config/nearest.ts';
import { InvalidInputError } from '../../errors.ts';
import { table } from '../format/table.ts';
import { tidy } from '../format/width.ts';
import { type Call, verb } from '../kit/verb.ts';
import { plain } from '../shared/plain.ts';

export const conversations = verb({
  name: 'conversations',
  group: 'look',
  arguments: { conversation: { about: 'conversations.argument', of: 'task', optional: true } },
  examples: ['conversations', 'conversations x7k2qf'],
  data: {
    conversations: [{ id: 'string', task: 'string|null' }],
    conversation: 'any',
  },
  async run(call) {
    const { say } = call;
    const store = await call.findStore();
    const ids = store ? await call.ids() : null;
    const saved = store ? await (await call.reader()).conversations() : [];
    const wanted = call.args.conversation;
    if (wanted !== undefined) {
      const reader = await call.reader();
      const one = await named(wanted, saved, call);
      const conversation = plain(await reader.conversation(one.id));
      return { data: { conversations: [one], conversation }, lines: linesOf(conversation, call) };
    }
    const rows = saved.map(({ id, task }) => [task === null ? id : ids!.short(task), id]);
    return {
      data: { conversations: saved, conversation: null },
      lines: rows.length === 0 ? [say('conversations.none')] : table(rows, call.width),
    };
  },
});

interface Saved {
  readonly id: string;
  readonly task: string | null;
}

/** One that is saved under this name, or the one of a task. */
async function named(
  wanted: string,
  saved: readonly Saved[],
  call: Pick<Call, 'ids' | 'say'>,
): Promise<Saved> {
  const known = saved.find(({ id }) => id === wanted);
  if (known) return known;
  const near = nearest(
    wanted,
    saved.map(({ id }) => id),
  );
  const ids = await call.ids();
  const task = await ids.task(wanted).catch((error: unknown) => {
    if (near === undefined) throw error;
    return null;
  });
  const found = task === null ? undefined : saved.find((one) => one.task === task);
  if (found) return found;
  const { say } = call;
  throw new InvalidInputError('USAGE', say('conversations.no_such', { id: wanted }), {
    data: { conversation: wanted, nearest: near ?? null },
    hint:
      (near === undefined ? '' : say('usage.nearest', { nearest: near })) + say('conversations.list_them'),
  });
}

/** A conversation of ours has messages; anything else is shown as it is. */
function linesOf(
  conversation: unknown,
  { say, paint, width }: Pick<Call, 'say' | 'paint' | 'width'>,
): string[] {
  const { messages } = (conversation ?? {}) as { messages?: unknown };
  if (!Array.isArray(messages)) return [tidy(JSON.stringify(conversation))];
  const rows = messages.map((message: unknown) => {
    const { role, content } = (message ?? {}) as { role?: unknown; content?: unknown };
    return [
      [String(role ?? '?'), paint.bold] as const,
      typeof content === 'string' ? content : JSON.stringify(content),
    ];
  });
  return rows.length === 0 ? [say('conversations.empty')] : table(rows, width);
}
