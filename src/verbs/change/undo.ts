/** `undo`: undoes all changes of a task to files, even after it has ended. Shows what that restores, then asks. */
import type { Engine } from '../../engine/engine.ts';
import type { UndoPreview } from '../../engine/recovery/undo.ts';
import { EngineError } from '../../errors.ts';
import { EXIT } from '../kit/exit.ts';
import { type Call, verb } from '../kit/verb.ts';
import { CONVERSATION, moveConversation, NOTHING_SAID, previewConversation } from '../shared/conversation.ts';
import { detailLines, noteLines, plannedLines, refuseUnplanned } from '../shared/file-lines.ts';
import { doneBy, expected, PREVIEWED, YES } from '../shared/options.ts';
import { answersFor, choicesIn, detailsFor, planData, refuseMasked } from '../shared/previewed.ts';

export const undo = verb({
  name: 'undo',
  group: 'change',
  files: true,
  arguments: { task: { about: 'undo.argument.task', of: 'task', optional: true } },
  options: { ...PREVIEWED, ...YES },
  examples: ['undo', 'undo x7k2qf --dry-run', 'undo x7k2qf --on-modified merge --yes'],
  data: {
    task: 'string',
    done: 'boolean',
    files: 'any',
    plan: 'any',
    expect: 'number',
    notes: 'any',
    conversation: CONVERSATION,
  },
  async run(call) {
    const { say, options, paint } = call;
    const ids = await call.ids();
    const given = call.args.task;
    const task = given === undefined ? await newest(call, ids.all) : await ids.task(given);
    const engine = await call.engine();
    const choices = choicesIn(call);
    const preview = await engine.previewUndo(task, { ...choices, ...detailsFor(options, choices) });
    refuseUnplanned(choices, preview, call);
    refuseMasked(choices, preview.plan);
    const name = (await engine.state(task))?.task_name ?? task;
    const ahead = await previewConversation(call, preview.conversation);
    const lines = [
      paint.bold(say('undo.title', { name, task: ids.short(task) })),
      ...[...plannedLines(preview.plan, call, choices), ...ahead.lines].map((line) => `  ${line}`),
    ];
    const foreseen = { ...dataOf(preview, options.summary), conversation: ahead.conversation, done: false };
    if (options['dry-run']) {
      const shown = { patch: options.patch || options.path.length > 0, short: ids.short };
      const inside = detailLines(preview.plan, call, shown).map((line) => `  ${line}`);
      return { data: foreseen, lines: [...lines, ...inside] };
    }
    // If there is nothing to ask about, the engine says why, or finishes an interrupted undo.
    if (preview.files && preview.files.length > 0) {
      for (const line of lines) call.tell(line);
      const ask = say('undo.ask', { task: ids.short(task) });
      if (!options.yes && !(await call.ask.confirm(ask, answersFor(preview.plan, choices))))
        return { data: foreseen, lines: [say('ask.declined')], exit: EXIT.declined };
    }
    const result = await engine.undo(task, { ...choices, ...expected(options), ...doneBy(call) });
    const { conversation, lines: said } =
      result.done && preview.conversation
        ? await moveConversation(call, task, ids.short(task))
        : NOTHING_SAID;
    const { notes, done } = result;
    return {
      data: { ...dataOf({ ...result, plan: preview.plan }), notes, done, conversation },
      lines: [
        result.done ? say('undo.done', { name }) : say('undo.nothing'),
        ...noteLines(result.notes, call),
        ...(result.done ? [say('undo.next', { redo: call.invoke(`redo ${ids.short(task)}`) })] : []),
        ...(result.done ? await commitsLine(engine, task, call) : []),
        ...said,
      ],
    };
  },
});

/** An undo changes files only. */
async function commitsLine(
  { reader }: Engine,
  task: string,
  { say, paint }: Pick<Call, 'say' | 'paint'>,
): Promise<string[]> {
  const { started_at_commit: from, current_head: to } =
    (await reader.view(task, { brief: true })).history?.versions ?? {};
  if (!from || !to || from === to) return [];
  return [paint.warn(say('undo.commits', { from: from.slice(0, 10), to: to.slice(0, 10) }))];
}

function dataOf({ task, files, plan, expect }: UndoPreview, summary = false) {
  return { task, files, plan: planData(plan, summary), expect, notes: null };
}

/** The newest task with changes to files that are not undone; a running one is refused later, not skipped. */
async function newest(call: Pick<Call, 'say' | 'engine'>, all: readonly string[]): Promise<string> {
  const engine = await call.engine();
  const { reader } = engine;
  for (const task of all.toReversed()) {
    if ((await reader.redoable(task)).unfinished) return task;
    const own = await reader.changedFiles(task);
    if (!own || (own.complete && own.changed.length + own.in_doubt.length === 0)) continue;
    if ((await reader.holder(task)) !== null || (await engine.previewUndo(task)).files?.length) return task;
  }
  throw new EngineError('NOTHING_TO_UNDO', call.say('undo.none'), {
    data: {},
    hint: call.say('undo.none_hint'),
  });
}
