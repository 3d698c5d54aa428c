/** `conversations`: those that are saved, or one of them. */
import { nearest } from '../../config/nearest.ts';
import { InvalidInputError } from '../../errors.ts';
import { autoSaveId } from '../../persistence/conversations.ts';
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
      const id = await idOf(wanted, saved, call);
      const conversation = plain(await reader.conversation(id));
      return { data: { conversations: [listed(id)], conversation }, lines: linesOf(conversation, call) };
    }
    const found = saved.map(listed);
    const rows = found.map(({ id, task }) => [task === null ? id : ids!.short(task), id]);
    return {
      data: { conversations: found, conversation: null },
      lines: rows.length === 0 ? [say('conversations.none')] : table(rows, call.width),
    };
  },
});

const AUTO_SAVED = autoSaveId('');

function listed(id: string): { id: string; task: string | null } {
  return { id, task: id.startsWith(AUTO_SAVED) ? id.slice(AUTO_SAVED.length) : null };
}

/** One that is saved under this name, or the one of a task. */
async function idOf(
  wanted: string,
  saved: readonly string[],
  call: Pick<Call, 'ids' | 'say'>,
): Promise<string> {
  if (saved.includes(wanted)) return wanted;
  const near = nearest(wanted, saved);
  const ids = await call.ids();
  const task = await ids.task(wanted).catch((error: unknown) => {
    if (near === undefined) throw error;
    return null;
  });
  const id = task === null ? null : autoSaveId(task);
  if (id !== null && saved.includes(id)) return id;
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
