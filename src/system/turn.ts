/** Leaving timers, signals and other connections their turn while work goes on without ever waiting for them. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work may go on in one turn of the event loop. */
const LONGEST_TURN_MS = 20;

let began = 0;

/** Waits for the next turn when this one has lasted long; otherwise goes on at once. */
export async function takeTurn(): Promise<void> {
  if (performance.now() - began < LONGEST_TURN_MS) return;
  await nextTurn();
  began = performance.now();
}
