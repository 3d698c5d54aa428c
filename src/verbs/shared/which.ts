/** Which task is meant where none is named. */
import { EngineError } from '../../errors.ts';
import { amountsOf } from '../kit/amounts.ts';
import type { Call } from '../kit/verb.ts';

const MOST_OFFERED = 20;

/** The task that can be resumed; where there are several, the one that is chosen, the newest being the first. */
export async function theResumable(
  call: Pick<Call, 'say' | 'reader' | 'now' | 'ask' | 'invoke' | 'ids' | 'interactive'>,
  verb: 'resume' | 'restart',
  question: string,
): Promise<string> {
  const { say } = call;
  const reader = await call.reader();
  const wanted = { find: undefined, sort: 'updated', limit: MOST_OFFERED } as const;
  const { rows: resumable } = await reader.rows({ ...wanted, statuses: [], resumable: true });
  // One that waits for an answer is resumed if it is not running, and waits again.
  const { rows: waiting } = await reader.rows({ ...wanted, statuses: ['waiting'], resumable: false });
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
  if (!call.interactive) throw unnamed(rows, verb, call, short);
  return call.ask.choose(question, options, call.invoke(`${verb} ${short(newest.id)}`));
}

/** Nobody can be asked: the error names all of them, with the command for each. */
function unnamed(
  rows: readonly { readonly id: string; readonly name: string }[],
  verb: string,
  { say, invoke }: Pick<Call, 'say' | 'invoke'>,
  short: (id: string) => string,
): EngineError {
  const names = rows.map(({ id, name }) => `${short(id)} (${name})`).join(', ');
  const commands = rows.map(({ id }) => invoke(`${verb} ${short(id)}`)).join('   ');
  return new EngineError('NEEDS_ANSWER', say('resume.several', { names }), {
    data: { tasks: rows.map(({ id }) => id) },
    hint: say('resume.several_hint', { commands }),
  });
}
