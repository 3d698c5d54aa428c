/**
 * Variables during replay. What the task sets itself is set again as it runs; what replayed steps and agents had set is set
 * when their result is returned. So at every point a variable has the value it had there.
 */
import type { EntryOf } from './entries.ts';

/** What was set inside each step and agent, in order; packed. */
export type SetInside = Map<string, (readonly [name: string, value: unknown])[]>;

export function noteSet(inside: SetInside, { agent, name, value, in: within }: EntryOf<'set'>): void {
  for (const id of new Set([...stepsAround(within?.step), ...agentsAround(agent)])) {
    const list = inside.get(id) ?? [];
    list.push([name, value]);
    inside.set(id, list);
  }
}

/** The step, the one it was called in, and so on: `/outer#1@2>/inner#1` was called in `/outer#1`. */
function* stepsAround(step: string | undefined): Generator<string> {
  for (let id = step; id !== undefined; id = /^(.*)@\d+>/s.exec(id)?.[1]) yield id;
}

/** The agent, the one it belongs to, and so on. */
function* agentsAround(agent: string): Generator<string> {
  for (let id = agent; id !== ''; id = id.slice(0, id.lastIndexOf('/'))) yield id;
}
