/** Which task is meant where none is named. */
import { EngineError } from '../../errors.ts';
import { amountsOf } from '../format/amounts.ts';
import type { Call } from '../kit/verb.ts';

const MOST_OFFERED = 20;

/** The task that can be resumed; where there are several, the one that is chosen, the newest being the first. */
export async function theResumable(
  call: Pick<Call, 'say' | 'store' | 'now' | 'ask' | 'invoke' | 'ids'>,
  verb: 'resume' | 'restart',
  question: string,
): Promise<string> {
  const { say } = call;
  const { taskRows } = await import('../looking/task-rows.ts');
  const source = { ...(await call.store()), now: call.now };
  const wanted = { find: undefined, sort: 'updated', limit: MOST_OFFERED } as const;
  const { rows: resumable } = await taskRows(source, { ...wanted, statuses: [], resumable: true });
  // One that waits for an answer is picked up again where nobody runs it any more, and goes on waiting.
  const { rows: waiting } = await taskRows(source, { ...wanted, statuses: ['waiting'], resumable: false });
  const rows = [...resumable, ...waiting.filter((row) => !row.resumable && row.holder === null)];
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
  return call.ask.choose(question, options, call.invoke(`${verb} ${short(newest.id)}`));
}
