/** `cancel`: calls a task off for good. */
import type { Storage } from '../../storage/contract.ts';
import { type Call, verb } from '../kit/verb.ts';
import { stillRunsLines } from '../shared/still-runs.ts';

export const cancel = verb({
  name: 'cancel',
  group: 'change',
  summary: 'cancel.summary',
  arguments: { task: { about: 'argument.task', of: 'task' } },
  options: { reason: { value: 'text', about: 'cancel.option.reason' } },
  examples: ['cancel x7k2qf', 'cancel x7k2qf --reason "no longer needed"'],
  data: { task: 'string', status: 'string', asked: 'string|null' },
  async run(call) {
    const { say } = call;
    const ids = await call.ids();
    const id = await ids.task(call.args.task);
    const engine = await call.engine();
    const holder = (await engine.storage.owner(id))?.holder ?? null;
    await engine.cancel(id, call.options.reason ?? say('cancel.reason'));
    const { status, task_name: name } = (await engine.state(id))!;
    const asked = status === 'cancelled' ? null : holder;
    const { leftRunning } = await import('../../engine/reading/view.ts');
    const done = () => doneLines(engine.storage, id, call, { name, short: ids.short(id) });
    return {
      data: { task: id, status, asked },
      lines:
        asked === null
          ? [...(await done()), ...stillRunsLines(await leftRunning(engine.storage, id), call)]
          : [say('cancel.asked', { name, holder: asked })],
    };
  },
});

/** What became of what it did: that stays, unless it was taken back before. */
async function doneLines(
  storage: Storage,
  id: string,
  { say, invoke }: Pick<Call, 'say' | 'invoke'>,
  { name, short }: { readonly name: string; readonly short: string },
): Promise<string[]> {
  const [{ requireTask }, { canRedo }] = await Promise.all([
    import('../../engine/task/tasks.ts'),
    import('../../engine/recovery/redo.ts'),
  ]);
  const { head } = await requireTask(storage, id);
  if (!head.files_undone) return [say('cancel.done', { name })];
  const redo = (await canRedo(storage, head)) ? [invoke(`redo ${short}`)] : [];
  return [say('cancel.done_undone', { name }), ...redo.map((redo) => say('undo.next', { redo }))];
}
