/** `cancel`: cancels a task permanently. */
import type { Engine } from '../../engine/engine.ts';
import { type Call, verb } from '../kit/verb.ts';
import { stillRunsLines } from '../shared/still-runs.ts';

export const cancel = verb({
  name: 'cancel',
  group: 'change',
  arguments: { task: { about: 'argument.task', of: 'task' } },
  options: { reason: { value: 'text', about: 'cancel.option.reason' } },
  examples: ['cancel x7k2qf', 'cancel x7k2qf --reason "no longer needed"'],
  data: { task: 'string', status: 'string', asked: 'string|null' },
  async run(call) {
    const { say } = call;
    const ids = await call.ids();
    const id = await ids.task(call.args.task);
    const engine = await call.engine();
    const holder = await engine.reader.holder(id);
    await engine.cancel(
      id,
      call.options.reason ?? say(call.by === 'dashboard' ? 'cancel.reason_page' : 'cancel.reason'),
      call.by ?? undefined,
    );
    const { status, task_name: name } = (await engine.state(id))!;
    const asked = status === 'cancelled' ? null : holder;
    const done = () => doneLines(engine, id, call, { name, short: ids.short(id) });
    return {
      data: { task: id, status, asked },
      lines:
        asked === null
          ? [...(await done()), ...stillRunsLines(await engine.reader.leftRunning(id), call)]
          : [say('cancel.asked', { name, holder: asked })],
    };
  },
});

/** What happened to its changes: they stay, unless they were undone before. */
async function doneLines(
  { reader }: Pick<Engine, 'reader'>,
  id: string,
  { say, invoke }: Pick<Call, 'say' | 'invoke'>,
  { name, short }: { readonly name: string; readonly short: string },
): Promise<string[]> {
  const { files_undone_at, possible } = await reader.redoable(id);
  if (files_undone_at === null) return [say('cancel.done', { name })];
  const redo = possible ? [invoke(`redo ${short}`)] : [];
  return [say('cancel.done_undone', { name }), ...redo.map((redo) => say('undo.next', { redo }))];
}
