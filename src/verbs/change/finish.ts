/** `finish`: finishes rollbacks, undos and redos that a process ended in the middle of. Nothing is run. */
import { type Call, verb } from '../kit/verb.ts';
import { FILE_CHOICES, fileChoices } from '../shared/options.ts';

export const finish = verb({
  name: 'finish',
  group: 'change',
  files: true,
  arguments: { task: { about: 'finish.argument.task', of: 'task', optional: true } },
  options: FILE_CHOICES,
  examples: ['finish', 'finish x7k2qf'],
  data: { finished: [{ task: 'string', verb: 'string' }] },
  async run(call) {
    const ids = await call.ids();
    const tasks = call.args.task === undefined ? await unfinished(call) : [await ids.task(call.args.task)];
    const engine = await call.engine();
    const finished: { task: string; verb: 'undo' | 'redo' | 'rollback' | 'take' }[] = [];
    for (const task of tasks) {
      const done = await engine.finish(task, fileChoices(call.options, []));
      if (done) finished.push({ task, verb: done.verb });
    }
    const lines = finished.map(({ task, verb }) => call.say(`finish.${verb}`, { task: ids.short(task) }));
    return { data: { finished }, lines: lines.length === 0 ? [call.say('finish.nothing')] : lines };
  },
});

async function unfinished({ reader }: Pick<Call, 'reader'>): Promise<string[]> {
  return (await reader()).unfinished();
}
