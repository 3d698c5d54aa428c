/** `redo`: undoes the newest rollback or undo of a task. */
import { EngineError } from '../../errors.ts';
import { type Call, verb } from '../kit/verb.ts';
import { noteLines } from '../shared/files-told.ts';
import { FILE_CHOICES, fileChoices } from '../shared/options.ts';

export const redo = verb({
  name: 'redo',
  group: 'change',
  files: true,
  summary: 'redo.summary',
  arguments: { task: { about: 'redo.argument.task', of: 'task', optional: true } },
  options: FILE_CHOICES,
  examples: ['redo', 'redo x7k2qf', 'redo x7k2qf --on-modified merge'],
  data: { task: 'string', checkpoint: 'string|null', status: 'string', notes: 'any' },
  async run(call) {
    const { say } = call;
    const ids = await call.ids();
    const given = call.args.task;
    const id = given === undefined ? await newest(call) : await ids.task(given);
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

/** The task that changed last, of those that something was taken back of. */
async function newest(call: Pick<Call, 'say' | 'store' | 'now'>): Promise<string> {
  const store = await call.store();
  const [{ canRedo }, { loadHead }, { loadUnfinished }, { taskRows }] = await Promise.all([
    import('../../engine/recovery/redo.ts'),
    import('../../engine/task/records/head.ts'),
    import('../../engine/task/records/rollback-in-progress.ts'),
    import('../../engine/reading/rows.ts'),
  ]);
  const wanted = {
    statuses: [],
    resumable: false,
    find: undefined,
    sort: 'updated',
    limit: undefined,
  } as const;
  let found: { readonly id: string; readonly at: string } | undefined;
  for (const { id, updated_at } of (await taskRows({ ...store, now: call.now }, wanted)).rows) {
    if (await loadUnfinished(store.storage, id)) return id;
    const head = await loadHead(store.storage, id);
    if (!head || !(await canRedo(store.storage, head))) continue;
    // Taking files back leaves a task that is over as it was, and says when.
    const at = [head.files_undone?.at ?? '', updated_at].toSorted().at(-1)!;
    if (!found || at > found.at) found = { id, at };
  }
  if (found) return found.id;
  throw new EngineError('NOTHING_TO_REDO', call.say('redo.none'), {
    data: {},
    hint: call.say('redo.none_hint'),
  });
}

/** Whether files were put back, or were about to be: only then are they looked at. */
async function tookFiles(call: Pick<Call, 'store'>, task: string): Promise<boolean> {
  const { storage } = await call.store();
  const [{ loadHead }, { loadRolledBack }, { loadUnfinished }] = await Promise.all([
    import('../../engine/task/records/head.ts'),
    import('../../engine/task/records/rolled-back.ts'),
    import('../../engine/task/records/rollback-in-progress.ts'),
  ]);
  const last = (await loadHead(storage, task))?.undone.at(-1);
  const undone = last && (await loadRolledBack(storage, last.key));
  if (await loadUnfinished(storage, task)) return true;
  return undone ? undone.files !== null : false;
}
