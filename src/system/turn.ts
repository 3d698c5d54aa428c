/** Lets timers, signals and other connections have their turn during long work that never waits. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work may take in one turn of the event loop. */
const LONGEST_TURN_MS = 20;

let began = 0;

/** Waits for the next turn if this one has lasted long; otherwise returns at once. */
export async function takeTurn(): Promise<void> {
  if (performance.now() - began < LONGEST_TURN_MS) return;
  await nextTurn();
  began = performance.now();
}
