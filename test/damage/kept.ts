/** Nothing that stood in a journal is gone after a repair: it is there, or aside, and where it went is said. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Broken } from '../crash/oracle.ts';
import type { World } from './world.ts';

/** Throws what was not kept, given what a command said. */
export type JudgeKept = (said: string) => Promise<void>;

/** What is there now, damaged as it is. `readable` is false where nobody can say what rows a file holds. */
export async function keptFrom(world: World, readable: boolean): Promise<JudgeKept> {
  if (world.rows && readable) return ofRows(world.rows);
  return world.store === 'json' ? ofLog(world) : async () => {};
}

async function ofRows(rows: NonNullable<World['rows']>): Promise<JudgeKept> {
  const before = await rows.entries();
  return async (said) => {
    const after = await rows.entries();
    const there = new Set([...after.journal, ...after.aside]);
    for (const entry of [...before.journal, ...before.aside])
      if (!there.has(entry)) throw new Broken(`an entry was not kept: ${entry.slice(0, 80)}`);
    const went = after.aside.length - before.aside.length;
    if (went > 0 && !SAID.test(said)) throw new Broken(`${went} entries went aside, and nobody said where`);
  };
}

function ofLog(world: World): JudgeKept {
  const dir = join(world.dir, '.vibe-engine/tasks', world.task);
  const log = join(dir, 'journal.log');
  const before = bytesOf(log);
  // Cut off, with nothing left that tells how long it was, it looks as after a crash: what is whole stands.
  const isTorn = world.log.subarray(0, before.length).equals(before) && isIndexDamaged(world, dir);
  const whole = before.subarray(0, before.lastIndexOf(10) + 1);
  return async (said) => {
    // A log that is whole may be written again as it is compacted.
    if (before.length === 0 || before.equals(world.log)) return;
    if (bytesOf(log).subarray(0, before.length).equals(before)) return;
    if (isTorn && bytesOf(log).subarray(0, whole.length).equals(whole)) return;
    const asides = readdirSync(dir).filter((name) => name.startsWith('damaged-'));
    const kept = asides.find((name) => bytesOf(join(dir, name, 'journal.log')).equals(before));
    if (kept === undefined) throw new Broken('the damaged journal was not kept');
    if (!SAID.test(said)) throw new Broken('the damaged journal went aside, and nobody said where');
  };
}

function isIndexDamaged({ index }: World, dir: string): boolean {
  return !bytesOf(join(dir, 'views.index')).equals(index);
}

const SAID = /is kept in/;

function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
