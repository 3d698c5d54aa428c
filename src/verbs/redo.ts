/** `redo`: undoes the newest rollback or undo of a task. */
import { noteLines } from './changing/files-told.ts';
import { FILE_CHOICES, fileChoices } from './changing/options.ts';
import { type Call, verb } from './kit/verb.ts';

export const redo = verb({
  name: 'redo',
  group: 'change',
  files: true,
  summary: 'redo.summary',
  arguments: { task: { about: 'argument.task', of: 'task' } },
  options: FILE_CHOICES,
  examples: ['redo x7k2qf', 'redo x7k2qf --on-modified merge'],
  data: { task: 'string', checkpoint: 'string|null', status: 'string', notes: 'any' },
  async run(call) {
    const { say } = call;
    const ids = await call.ids();
    const id = await ids.task(call.args.task);
    const engine = await call.engine(await tookFiles(call, id));
    const { task, checkpoint, state, files_only, notes } = await engine.redo(id, fileChoices(call.options));
    return {
      data: { task, checkpoint, status: state.status, notes },
      lines: [
        files_only
          ? say('redo.files', { name: state.task_name })
          : checkpoint === null
            ? say('redo.retry', { name: state.task_name })
            : say('redo.done', { name: state.task_name, id: ids.shortCheckpoint(checkpoint) }),
        ...(notes ? noteLines(notes, call) : []),
      ],
    };
  },
});

/** Whether files were put back, or were about to be: only then are they looked at. */
async function tookFiles(call: Pick<Call, 'store'>, task: string): Promise<boolean> {
  const { storage } = await call.store();
  const [{ loadHead }, { loadUndone }, { loadUnfinished }] = await Promise.all([
    import('../engine/head.ts'),
    import('../engine/undone.ts'),
    import('../engine/files/unfinished.ts'),
  ]);
  const last = (await loadHead(storage, task))?.undone.at(-1);
  const undone = last && (await loadUndone(storage, last.key));
  if (await loadUnfinished(storage, task)) return true;
  return undone ? undone.files !== null : false;
}
