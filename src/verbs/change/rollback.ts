/** `rollback`: takes a task and its files back to a checkpoint. Shows what that removes, then asks. */
import type { FileChoices } from '../../engine/files/choices.ts';
import type { RollbackPreview } from '../../engine/recovery/rollback.ts';
import { EXIT } from '../kit/exit.ts';
import type { Ids } from '../kit/ids.ts';
import { type Call, verb } from '../kit/verb.ts';
import { CONVERSATION, moveConversation, NOTHING_SAID, previewConversation } from '../shared/conversation.ts';
import { detailLines, named, noteLines, plannedLines, refuseUnplanned } from '../shared/file-lines.ts';
import { doneBy, expected, PREVIEWED, YES } from '../shared/options.ts';
import { answersFor, choicesIn, detailsFor, planData, refuseMasked } from '../shared/previewed.ts';
import { stepAndMessageLines } from '../shared/steps-and-messages.ts';

export const rollback = verb({
  name: 'rollback',
  aliases: ['rewind', 'checkpoints rollback'],
  group: 'change',
  files: true,
  arguments: { checkpoint: { about: 'rollback.argument.checkpoint', of: 'checkpoint' } },
  options: {
    to: { value: 'id', about: 'rollback.option.to' },
    only: { value: 'part', choices: ['state', 'files'], about: 'rollback.option.only' },
    ...PREVIEWED,
    ...YES,
  },
  examples: [
    'rollback x7k2qf-4',
    'rollback x7k2qf-4 --dry-run',
    'rollback x7k2qf-4 --only files --on-modified merge --yes',
    'rollback x7k2qf-4 --file src/login.ts=merge --expect 118 --yes',
    'rollback x7k2qf-4 --hunk src/api.ts:1=yours --hunk src/api.ts:2=before',
    'rollback x7k2qf --to toolu_01AbC',
  ],
  data: {
    task: 'string',
    checkpoint: 'string',
    done: 'boolean',
    steps: [{ id: 'string', name: 'string', status: 'string' }],
    entries: 'any',
    checkpoints: ['string'],
    files: 'any',
    plan: 'any',
    expect: 'number',
    notes: 'any',
    conversation: CONVERSATION,
  },
  async run(call) {
    const { say, options } = call;
    const ids = await call.ids();
    const checkpoint =
      options.to === undefined
        ? await ids.checkpoint(call.args.checkpoint)
        : await ids.checkpointBefore(call.args.checkpoint, options.to);
    // If nothing was captured there is nothing to restore, and files are not needed.
    const known = options.only !== undefined || (await (await call.reader()).knowsFiles(checkpoint));
    const part = known ? options.only : 'state';
    const only = part === undefined ? {} : { only: part };
    const engine = await call.engine(part !== 'state');
    const choices = choicesIn(call);
    const preview = await engine.previewRollback(checkpoint, {
      ...only,
      ...choices,
      ...detailsFor(options, choices),
    });
    refuseUnplanned(choices, preview, call);
    refuseMasked(choices, preview.plan);
    const lines = previewLines(preview, ids, call, choices);
    if (options['dry-run']) {
      const { conversation, lines: said } = await previewConversation(call, preview.conversation);
      const shown = { patch: options.patch || options.path.length > 0, short: ids.short };
      const inside = [...detailLines(preview.plan, call, shown), ...said].map((line) => `  ${line}`);
      const data = { ...dataOf(preview, options.summary), conversation, done: false };
      return { data, lines: [...lines, ...inside] };
    }
    for (const line of lines) call.tell(line);
    if (
      !options.yes &&
      !(await call.ask.confirm(
        say('rollback.ask', { id: ids.shortCheckpoint(checkpoint) }),
        answersFor(preview.plan, choices),
      ))
    )
      return { data: { ...dataOf(preview), done: false }, lines: [say('ask.declined')], exit: EXIT.declined };
    const result = await engine.rollback(checkpoint, {
      ...only,
      ...choices,
      ...expected(options),
      ...doneBy(call),
    });
    const task = ids.short(result.task);
    const back = { ...dataOf({ ...result, plan: preview.plan }), notes: result.notes, done: result.done };
    // If only files are restored, what was said stays said.
    const { conversation, lines: said } =
      part === 'files' || !result.done ? NOTHING_SAID : await moveConversation(call, result.task, task);
    const data = { ...back, conversation };
    if (!result.done) {
      const id = ids.shortCheckpoint(checkpoint);
      const line = part === 'files' ? say('undo.nothing') : say('rollback.nothing', { id });
      return { data, lines: [line, ...noteLines(result.notes, call)] };
    }
    return {
      data,
      lines: [
        say(part === 'files' ? 'rollback.files_done' : 'rollback.done', {
          id: ids.shortCheckpoint(checkpoint),
        }),
        ...noteLines(result.notes, call),
        ...said,
        part === 'files'
          ? say('undo.next', { redo: call.invoke(`redo ${task}`) })
          : say('rollback.next', {
              redo: call.invoke(`redo ${task}`),
              resume: call.invoke(`resume ${task}`),
            }),
      ],
    };
  },
});

function dataOf(preview: RollbackPreview, summary = false) {
  const { task, checkpoint, steps, entries, checkpoints, files, expect } = preview;
  const plan = planData(preview.plan, summary);
  const nothing = { notes: null, conversation: null };
  return { task, checkpoint, steps, entries, checkpoints, files, plan, expect, ...nothing };
}

function previewLines(
  preview: RollbackPreview,
  ids: Ids,
  { say, paint }: Pick<Call, 'say' | 'paint'>,
  choices: FileChoices,
): string[] {
  const { checkpoints } = preview;
  return [
    paint.bold(say('rollback.title', { id: ids.shortCheckpoint(preview.checkpoint) })),
    ...stepAndMessageLines(preview, { say }),
    ...(checkpoints.length > 0
      ? [
          say('rollback.checkpoints', {
            count: checkpoints.length,
            ids: named(checkpoints.map(ids.shortCheckpoint)),
          }),
        ]
      : []),
    ...plannedLines(preview.plan, { say, paint }, choices),
  ].map((line, at) => (at === 0 ? line : `  ${line}`));
}
