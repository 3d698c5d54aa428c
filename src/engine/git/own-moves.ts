/** What a task's own commands do to HEAD is no drift: HEAD is stamped when each begins, and looked at again at its end. */
import { headStamp, type Place } from '../../drift/place.ts';
import type { Danger } from '../api/context.ts';
import type { EngineEvent, Events } from '../api/events.ts';

export interface OwnMoves {
  /** An operation that is under way has moved HEAD since it began, or since it was last seen. */
  pending(): boolean;
  /** What there is now is known. */
  seen(): void;
  stop(): void;
}

/** `moved` is called when an operation has ended that moved HEAD. */
export function watchOwnMoves(place: Place, on: Events['on'], task: string, moved: () => void): OwnMoves {
  const underWay = new Map<string, string>();
  const began = (event: Extract<EngineEvent, { type: 'step.started' }>): void => {
    if (event.task === task && mayMoveHead(event)) underWay.set(event.id, headStamp(place));
  };
  const ended = (event: { readonly task: string; readonly id: string }): void => {
    const before = event.task === task ? underWay.get(event.id) : undefined;
    if (before === undefined) return;
    underWay.delete(event.id);
    if (before !== headStamp(place)) moved();
  };
  const offs = [on('step.started', began), on('step.completed', ended), on('step.failed', ended)];
  return {
    pending: () => [...underWay.values()].some((stamp) => stamp !== headStamp(place)),
    seen() {
      for (const id of underWay.keys()) underWay.set(id, headStamp(place));
    },
    stop() {
      for (const off of offs) off();
    },
  };
}

/** A step that was not declared to reach outside is long, as when a model thinks: then it is others who switch branches. */
function mayMoveHead({ danger }: { readonly danger: Danger | null }): boolean {
  return danger === 'shell_command' || danger === 'external_api';
}
