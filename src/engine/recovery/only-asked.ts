/** What an agent's program recorded since a rollback, where that is no more than the prompt that asks for its redo. Pure. */
import type { Entry } from '../task/entries.ts';

/**
 * Takes the entries since; false once the task has continued. A prompt that has no answer yet, and whose calls only read, has not
 * changed anything: a redo takes it back with the rollback.
 */
export function onlyAsked(): (entry: Entry) => boolean {
  let turns = 0;
  return (entry) => {
    if (entry.mark?.by === 'before_turn') turns += 1;
    return turns <= 1 && isOfPrompt(entry);
  };
}

function isOfPrompt(entry: Entry): boolean {
  switch (entry.t) {
    case 'checkpoint':
      return entry.mark?.by === 'before_turn' || entry.mark?.by === 'start';
    case 'set':
      return true;
    case 'status':
      return entry.to === 'in_progress';
    case 'message':
      return entry.role === 'user' && entry.agent === '';
    case 'step':
      // Anything but a tool that reads has a begin of its own.
      return entry.tool?.call !== undefined && entry.files === undefined;
    default:
      return false;
  }
}
