/** Before a task runs again from an earlier point: its later changes to files would be undone first, which is asked about. */
import type { BackPreview } from '../../engine/recovery/rollback-results.ts';
import { isDamage } from '../../errors.ts';
import { EXIT } from '../kit/exit.ts';
import type { Answer, Call, Followed } from '../kit/verb.ts';
import { plannedLines } from './file-lines.ts';
import { fileChoices } from './options.ts';

export const TAKE_BACK = { 'take-back': { about: 'option.take_back' } } as const;

type Options = Parameters<typeof fileChoices>[0] & {
  readonly yes: boolean;
  readonly 'take-back': boolean;
};

/** The answer where it is declined; null to go ahead. */
export async function declinedTakingBack(
  call: Pick<Call<object, Options>, 'say' | 'paint' | 'tell' | 'ask' | 'options' | 'reader'>,
  preview: () => Promise<Pick<BackPreview, 'task' | 'plan'>>,
): Promise<Answer<Followed> | null> {
  const { options, say } = call;
  if (options.yes || options['take-back']) return null;
  const found = await preview().catch(unlessDamaged);
  if (!found?.plan?.some(({ action }) => action !== 'keep')) return null;
  call.tell(say('take_back.first'));
  for (const line of plannedLines(found.plan, call, fileChoices(options))) call.tell(`  ${line}`);
  if (await call.ask.confirm(say('take_back.ask'), '--take-back')) return null;
  const { status } = await (await call.reader()).requireState(found.task);
  const data = { task: found.task, status: status as Followed['status'], output: null, error: null };
  return { data, lines: [say('ask.declined')], exit: EXIT.declined };
}

/** It is put aside when the task resumes, and what is left decides then how far back it goes. */
function unlessDamaged(error: unknown): null {
  if (isDamage(error)) return null;
  throw error;
}
