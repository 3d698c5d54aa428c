/** `resume`: goes on with a task where it was, with the code it was started from. */
import { EngineError } from '../errors.ts';
import { CODE, OUTCOME, RECOVERY_CHOICES, recoveryChoices, YES } from './changing/options.ts';
import { amountsOf } from './format/amounts.ts';
import { type Call, verb } from './kit/verb.ts';

export const resume = verb({
  name: 'resume',
  group: 'run',
  summary: 'resume.summary',
  arguments: { task: { about: 'resume.argument.task', of: 'task', optional: true } },
  options: { ...CODE, ...RECOVERY_CHOICES, ...YES },
  examples: ['resume', 'resume x7k2qf', 'resume x7k2qf --on-modified merge'],
  data: OUTCOME,
  files: true,
  async run(call) {
    const { options } = call;
    const given = call.args.task;
    const id = given === undefined ? await theOne(call) : await (await call.ids()).task(given);
    return call.goOn(id, {
      ...options,
      begin: (engine) => engine.resume(id, recoveryChoices(options)),
    });
  },
});

const MOST_OFFERED = 20;

/** The task that can be resumed; where there are several, the one that is chosen, the newest being the first. */
async function theOne(call: Pick<Call, 'say' | 'store' | 'now' | 'ask' | 'invoke' | 'ids'>): Promise<string> {
  const { say } = call;
  const { taskRows } = await import('./looking/task-rows.ts');
  const wanted = { statuses: [], resumable: true, find: undefined, sort: 'updated' } as const;
  const { rows } = await taskRows(
    { ...(await call.store()), now: call.now },
    { ...wanted, limit: MOST_OFFERED },
  );
  const newest = rows[0];
  if (!newest)
    throw new EngineError('NOT_RESUMABLE', say('resume.none'), { data: {}, hint: say('resume.none_hint') });
  if (rows.length === 1) return newest.id;
  const { ago } = amountsOf(call);
  const { short } = await call.ids();
  const options = rows.map(({ id, name, status, updated_at }) => ({
    value: id,
    label: [short(id), name, say(`status.${status}`), ago(updated_at)].join('  '),
  }));
  return call.ask.choose(say('resume.which'), options, call.invoke(`resume ${short(newest.id)}`));
}
