/** Moves of HEAD by a task's own commands are not drift: HEAD is noted when each starts, and checked at its end. */
import { headStamp, type RepositoryPaths } from '../../drift/place.ts';
import type { Danger } from '../api/context.ts';
import type { EngineEvent, Events } from '../api/events.ts';

interface OwnMoves {
  /** An operation in progress has moved HEAD since it started, or since `seen`. */
  pending(): boolean;
  /** The current HEAD is known. */
  seen(): void;
  stop(): void;
}

/** `moved` is called when an operation that moved HEAD has ended. */
export function watchOwnMoves(
  place: RepositoryPaths,
  on: Events['on'],
  task: string,
  moved: () => void,
): OwnMoves {
  const inProgress = new Map<string, string>();
  const began = (event: Extract<EngineEvent, { type: 'step.started' }>): void => {
    if (event.task === task && mayMoveHead(event)) inProgress.set(event.id, headStamp(place));
  };
  const ended = (event: { readonly task: string; readonly id: string }): void => {
    const before = event.task === task ? inProgress.get(event.id) : undefined;
    if (before === undefined) return;
    inProgress.delete(event.id);
    if (before !== headStamp(place)) moved();
  };
  const offs = [on('step.started', began), on('step.completed', ended), on('step.failed', ended)];
  return {
    pending: () => [...inProgress.values()].some((stamp) => stamp !== headStamp(place)),
    seen() {
      for (const id of inProgress.keys()) inProgress.set(id, headStamp(place));
    },
    stop() {
      for (const off of offs) off();
    },
  };
}

/** A step that was not declared dangerous may take long, as when a model thinks: a branch switch during it is by others. */
function mayMoveHead({ danger }: { readonly danger: Danger | null }): boolean {
  return danger === 'shell_command' || danger === 'external_api';
}
