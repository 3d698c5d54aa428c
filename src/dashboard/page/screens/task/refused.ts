/** What may be done with the task that is looked at, and why not. */
import { addressOf } from '../../lib/route.ts';
import type { Action } from '../../shapes/types.ts';
import { mayCall, mayChange } from '../../state/session.ts';
import { shown } from '../../state/task.ts';

export const rewindTo = (task: string, checkpoint: string): string =>
  addressOf({ screen: 'rewind', task, checkpoint });

/** Null where it may be done now, undefined where it is not offered at all. */
export function whyNot(verb: string): string | null | undefined {
  if (!mayChange() || !mayCall(verb)) return undefined;
  const found: Action | undefined = shown.value?.actions?.find((one) => one.verb === verb);
  return found ? found.why_not : undefined;
}
