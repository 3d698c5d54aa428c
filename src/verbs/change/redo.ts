/** `redo`: undoes the newest rollback or undo of a task. */
import { EngineError } from '../../errors.ts';
import { type Call, verb } from '../kit/verb.ts';
import { CONVERSATION, NOTHING_SAID, takeAlong } from '../shared/conversation.ts';
import { noteLines } from '../shared/files-told.ts';
import { FILE_CHOICES, fileChoices, YES } from '../shared/options.ts';

export const redo = verb({
  name: 'redo',
  group: 'change',
  files: true,
  arguments: { task: { about: 'redo.argument.task', of: 'task', optional: true } },
  options: { ...FILE_CHOICES, ...YES },
  examples: ['redo', 'redo x7k2qf', 'redo x7k2qf --on-modified merge'],
  data: {
    task: 'string',
    checkpoint: 'string|null',
    status: 'string',
    more: 'number',
    notes: 'any',
    conversation: CONVERSATION,
  },
  async run(call) {
    const { say } = call;
    const ids = await call.ids();
    const given = call.args.task;
    const id = given === undefined ? await newest(call) : await ids.task(given);
    // Files are needed only if they were restored.
    const engine = await call.engine((await (await call.reader()).redoable(id)).files);
    const { task, checkpoint, state, files_only, more, notes } = await engine.redo(
      id,
      fileChoices(call.options),
    );
    const { conversation, lines: said } = files_only
      ? NOTHING_SAID
      : await takeAlong(call, task, ids.short(task));
    return {
      data: { task, checkpoint, status: state.status, more, notes, conversation },
      lines: [
        files_only
          ? say('redo.files', { name: state.task_name })
          : checkpoint === null
            ? say('redo.retry', { name: state.task_name })
            : say('redo.done', { name: state.task_name, id: ids.shortCheckpoint(checkpoint) }),
        ...(notes ? noteLines(notes, call) : []),
        ...(more > 0
          ? [say('redo.more', { count: more, command: call.invoke(`redo ${ids.short(task)}`) })]
          : []),
        ...said,
      ],
    };
  },
});

/** The task that changed last, of those with something to redo. */
async function newest(call: Pick<Call, 'say' | 'reader'>): Promise<string> {
  const reader = await call.reader();
  const wanted = {
    statuses: [],
    resumable: false,
    find: undefined,
    sort: 'updated',
    limit: undefined,
  } as const;
  let found: { readonly id: string; readonly at: string } | undefined;
  for (const { id, updated_at } of (await reader.rows(wanted)).rows) {
    const { unfinished, possible, files_undone_at } = await reader.redoable(id);
    if (unfinished) return id;
    if (!possible) continue;
    // Undoing files leaves an ended task unchanged, but records when.
    const at = [files_undone_at ?? '', updated_at].toSorted().at(-1)!;
    if (!found || at > found.at) found = { id, at };
  }
  if (found) return found.id;
  throw new EngineError('NOTHING_TO_REDO', call.say('redo.none'), {
    data: {},
    hint: call.say('redo.none_hint'),
  });
}
