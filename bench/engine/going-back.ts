/** Whether the turns of a conversation are places one can go back to, each by the id that its checkpoint was reported with. */
import { randomInt } from 'node:crypto';
import type { Engine } from '../../src/index.ts';
import { openAt, type Site } from './site.ts';

const TRIED = 10;

/** Throws when one of some random turns cannot be loaded, or a task cannot start from it. `checkpoints` has one a turn. */
export async function goBackToSome(site: Site, checkpoints: readonly string[]): Promise<void> {
  const engine = await openAt(site);
  try {
    for (let n = 0; n < TRIED; n++) await loadTurn(engine, checkpoints, randomInt(checkpoints.length));
    await engine.fork(checkpoints[randomInt(checkpoints.length)]!);
  } finally {
    await engine.close();
  }
}

async function loadTurn(engine: Engine, checkpoints: readonly string[], at: number): Promise<void> {
  const checkpoint = await engine.checkpoints.loadCheckpoint(checkpoints[at]!);
  if (checkpoint === null) throw new Error(`The checkpoint of turn ${at + 1} cannot be loaded any more.`);
  const { messages, tool_outputs } = checkpoint.context;
  if (messages.length !== 2 * (at + 1) || tool_outputs.length !== at + 1) {
    throw new Error(`The checkpoint of turn ${at + 1} has ${messages.length} messages.`);
  }
}
