/** The checkpoint before a prompt or a call of an agent, by the agent's own id of it. */

import type { Storage } from '../../storage/contract.ts';
import { checkpointId } from '../../task/keys.ts';
import type { Entry } from '../task/entries.ts';
import { liveEntries } from '../task/journal.ts';
import { loadHead } from '../task/records/head.ts';

/** Null if the task has neither. A call that only reads has none of its own: the newest before it. */
export async function checkpointBefore(storage: Storage, task: string, ref: string): Promise<string | null> {
  const head = await loadHead(storage, task);
  if (!head) return null;
  let newest: number | undefined;
  for await (const one of liveEntries(storage, head)) {
    const { mark } = one.entry;
    const number = one.task === task ? mark?.n : undefined;
    const isPrompt = mark?.by === 'before_turn' && mark.metadata?.ref === ref;
    const isCall = callOf(one.entry) === ref;
    if (isPrompt || (isCall && one.entry.t === 'begin')) newest = number ?? newest;
    if (isPrompt || isCall) return newest === undefined ? null : checkpointId(task, newest);
    newest = number ?? newest;
  }
  return null;
}

function callOf(entry: Entry): string | undefined {
  return 'tool' in entry && typeof entry.tool === 'object' ? entry.tool.call : undefined;
}
