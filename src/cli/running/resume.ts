/** `resume`: goes on with a task where it was, with the code it was started from. */
import { EngineError } from '../../errors.ts';
import { type Call, verb } from '../../verbs/kit/verb.ts';
import { follow, OUTCOME } from './follow.ts';
import { fileOf, loadTask } from './load.ts';

const FILE_CHOICES = ['use_current', 'use_checkpoint', 'merge', 'abort'] as const;
const DELETED_CHOICES = ['restore', 'skip', 'abort'] as const;

export const resume = verb({
  name: 'resume',
  group: 'run',
  summary: 'resume.summary',
  arguments: { task: { about: 'resume.argument.task', of: 'task', optional: true } },
  options: {
    file: { value: 'file', about: 'resume.option.file' },
    'on-modified': { value: 'choice', choices: FILE_CHOICES, about: 'resume.option.on_modified' },
    'on-deleted': { value: 'choice', choices: DELETED_CHOICES, about: 'resume.option.on_deleted' },
    'on-upstream': {
      value: 'choice',
      choices: ['ignore', 'rebase', 'abort'],
      about: 'resume.option.on_upstream',
    },
  },
  examples: ['resume', 'resume x7k2qf', 'resume x7k2qf --on-modified merge'],
  data: OUTCOME,
  files: true,
  async run(call) {
    const { options } = call;
    const id =
      call.args.task === undefined ? await newest(call) : await (await call.ids()).task(call.args.task);
    const { loadHead } = await import('../../engine/head.ts');
    const { storage } = await call.store();
    const file = options.file ?? fileOf((await loadHead(storage, id))?.origin ?? null);
    if (file === null) throw noCode(id, call);
    const { task } = await loadTask(file, call.say);
    const engine = await call.worker([task]);
    const choices = {
      ...(options['on-modified'] ? { on_modified: options['on-modified'] } : {}),
      ...(options['on-deleted'] ? { on_deleted: options['on-deleted'] } : {}),
      ...(options['on-upstream'] ? { on_upstream: options['on-upstream'] } : {}),
    };
    return follow(engine, () => engine.resume(id, choices), call);
  },
});

/** The newest task that can be resumed. */
async function newest({ say, store, now }: Pick<Call, 'say' | 'store' | 'now'>): Promise<string> {
  const { taskRows } = await import('../../verbs/looking/task-rows.ts');
  const wanted = { statuses: [], resumable: true, find: undefined, sort: 'updated', limit: 1 } as const;
  const { rows } = await taskRows({ ...(await store()), now }, wanted);
  if (rows[0]) return rows[0].id;
  throw new EngineError('NOT_RESUMABLE', say('resume.none'), { data: {}, hint: say('resume.none_hint') });
}

function noCode(task: string, { say }: Pick<Call, 'say'>): EngineError {
  return new EngineError('TASK_UNKNOWN', say('resume.no_code', { task }), {
    data: { task },
    hint: say('resume.no_code_hint'),
  });
}
