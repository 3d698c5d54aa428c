/** `redo`: undoes the newest rollback or undo of a task. */
import type { RedoPreview } from '../../engine/recovery/rollback-results.ts';
import { EngineError, InvalidInputError } from '../../errors.ts';
import type { Ids } from '../kit/ids.ts';
import { type Call, verb } from '../kit/verb.ts';
import { CONVERSATION, moveConversation, NOTHING_SAID, previewConversation } from '../shared/conversation.ts';
import { detailLines, noteLines, plannedLines, refuseUnplanned } from '../shared/file-lines.ts';
import { doneBy, expected, PREVIEWED, YES } from '../shared/options.ts';
import { choicesIn, detailsFor, planData, refuseMasked } from '../shared/previewed.ts';
import { stepAndMessageLines } from '../shared/steps-and-messages.ts';

export const redo = verb({
  name: 'redo',
  group: 'change',
  files: true,
  arguments: { task: { about: 'redo.argument.task', of: 'task', optional: true } },
  options: { ...PREVIEWED, ...YES },
  examples: ['redo', 'redo x7k2qf --dry-run', 'redo x7k2qf --on-modified merge'],
  data: {
    task: 'string',
    checkpoint: 'string|null',
    done: 'boolean',
    status: 'string',
    more: 'number',
    steps: [{ id: 'string', name: 'string', status: 'string' }],
    entries: 'any',
    files: 'any',
    plan: 'any',
    expect: 'number',
    notes: 'any',
    conversation: CONVERSATION,
  },
  async run(call) {
    const { say } = call;
    const ids = await call.ids();
    const given = call.args.task;
    const id = given === undefined ? await newest(call, ids) : await ids.task(given);
    // Files are needed only if they were restored.
    const engine = await call.engine((await (await call.reader()).redoable(id)).files);
    const { options } = call;
    const choices = choicesIn(call);
    // One that was interrupted is finished; there is nothing to preview.
    const { files, hunks, contents } = choices;
    const isPlain = options['dry-run'] || [files, hunks, contents].some((one) => one !== undefined);
    const preview = isPlain
      ? await engine.previewRedo(id, { ...choices, ...detailsFor(options, choices) })
      : null;
    if (preview) {
      refuseUnplanned(choices, preview, call);
      refuseMasked(choices, preview.plan);
    }
    if (preview && options['dry-run']) return previewed(preview, call, ids);
    const result = await engine.redo(id, { ...choices, ...expected(options), ...doneBy(call) });
    const { task, checkpoint, state, files_only, more, notes } = result;
    // Files alone, back to a checkpoint, had left the conversation.
    const { conversation, lines: said } =
      files_only && checkpoint !== null ? NOTHING_SAID : await moveConversation(call, task, ids.short(task));
    return {
      data: {
        task,
        checkpoint,
        done: true,
        status: state.status,
        more,
        notes,
        conversation,
        steps: [],
        entries: {},
        files: null,
        plan: null,
        expect: result.position,
      },
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

async function previewed(
  preview: RedoPreview,
  call: Call<
    unknown,
    { readonly patch: boolean; readonly path: readonly string[]; readonly summary: boolean }
  >,
  ids: Ids,
) {
  const { say, options } = call;
  const { task, checkpoint, status, more, steps, entries, files, plan, expect, files_only } = preview;
  const { conversation, lines: said } = await previewConversation(call, preview.conversation);
  const shown = { patch: options.patch || options.path.length > 0, short: ids.short };
  const lines = [
    ...stepAndMessageLines(preview, call),
    ...plannedLines(plan, call),
    ...detailLines(plan, call, shown),
    ...said,
  ];
  const title = say(files_only ? 'redo.title_files' : 'redo.title', { task: ids.short(task) });
  return {
    data: {
      task,
      checkpoint,
      done: false,
      status,
      more,
      notes: null,
      conversation,
      steps,
      entries,
      files,
      plan: planData(plan, options.summary),
      expect,
    },
    lines: [call.paint.bold(title), ...lines.map((line) => `  ${line}`)],
  };
}

/** The task that changed last, of those with something to redo. Where an agent is at work it may be the one who asks, and mean itself. */
async function newest(call: Pick<Call, 'say' | 'reader' | 'invoke'>, ids: Ids): Promise<string> {
  const reader = await call.reader();
  const asking = (await reader.locks()).tasks.find(({ client }) => client !== null);
  if (asking)
    throw new InvalidInputError('USAGE', call.say('redo.which', { name: asking.name }), {
      data: { task: asking.task },
      hint: call.say('redo.which_hint', { command: call.invoke(`redo ${ids.short(asking.task)}`) }),
    });
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
