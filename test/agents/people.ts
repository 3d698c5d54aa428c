/** Those who edit the same files and are no tasks: a program that looks before it saves, and a person who does not. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OptimisticLock } from '../../src/workspace/editing/optimistic-lock.ts';
import type { Random } from '../crash/random.ts';
import { drawSpot, type Spot, withMark } from './pages.ts';

export interface Edit extends Spot {
  readonly mark: string;
  readonly saved: boolean;
}

/** Reserves nothing: it relies on the optimistic lock alone. Until it is told to stop. */
export async function lookingEditor(
  root: string,
  rng: Random,
  stop: AbortSignal,
  blame: (what: string) => void,
): Promise<Edit[]> {
  const edits: Edit[] = [];
  const lock = await OptimisticLock.open(root);
  while (!stop.aborted) {
    const spot = drawSpot(rng);
    const mark = `editor.${edits.length}`;
    const { content } = await lock.read(spot.path);
    await sleep(rng.below(10));
    const text = edited(spot, mark, Buffer.from(content ?? '').toString(), blame);
    const saved = text !== null && (await lock.checkAndCommit(spot.path, text)).success;
    edits.push({ ...spot, mark, saved });
    await sleep(rng.below(40));
  }
  await lock.close();
  return edits;
}

/** What such a person saves while a task writes the same file may be lost: so they edit while no agent is alive. */
export function plainEdit(root: string, rng: Random, number: number, blame: (what: string) => void): Edit {
  const spot = drawSpot(rng);
  const path = join(root, spot.path);
  const mark = `person.${number}`;
  const text = edited(spot, mark, readFileSync(path, 'utf8'), blame);
  if (text === null) return { ...spot, mark, saved: false };
  const draft = join(root, '.vibe-engine', 'draft');
  writeFileSync(rng.oneIn(2) ? path : draft, text);
  if (existsSync(draft)) renameSync(draft, path);
  return { ...spot, mark, saved: true };
}

/** Null for what nobody can edit. */
function edited(spot: Spot, mark: string, text: string, blame: (what: string) => void): string | null {
  try {
    return withMark(spot, mark, text);
  } catch (error) {
    blame((error as Error).message);
    return null;
  }
}
