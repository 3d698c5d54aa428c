/** What a long conversation costs: its bytes on the disk, and whether a late checkpoint takes longer than an early one. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../harness/rounds.ts';
import type { Measurement } from '../harness.ts';
import { startDriven } from './driven.ts';
import { openAt, type Site, storeDirectory } from './site.ts';
import { editsIn, FILE_BYTES, TURN_BYTES, takeTurn, takeTurns } from './turns.ts';

const TURNS = 1000;

/** The bytes of every file, at their most: while the store is open, or once it is closed and everything is written. */
async function measureBytes(site: Site): Promise<number> {
  const engine = await openAt(site);
  const { task, end } = await startDriven(engine);
  await takeTurns(task, TURNS, editsIn(site));
  await engine.storage.flush();
  const whileOpen = bytesIn(storeDirectory(site));
  await end();
  await engine.close();
  return Math.max(whileOpen, bytesIn(storeDirectory(site)));
}

export async function relativeBytes(site: Site): Promise<Measurement> {
  const ratio = (await measureBytes(site)) / (TURNS * TURN_BYTES);
  return constant(ratio, site);
}

/** What a turn with its checkpoint adds to the payload, in kilobytes. */
export async function kilobytesPerCheckpoint(site: Site): Promise<Measurement> {
  const payload = TURN_BYTES + (site.files ? FILE_BYTES : 0);
  return constant(((await measureBytes(site)) / TURNS - payload) / 1024, site);
}

/** How long late turns take relative to early ones, each round in a task of its own; the first is the warm-up. */
export async function lateAgainstEarly(site: Site): Promise<Measurement> {
  const measure = async (): Promise<number> => {
    const engine = await openAt(site);
    const { task, end } = await startDriven(engine);
    const took: number[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      const start = performance.now();
      await takeTurn(task);
      took.push(performance.now() - start);
    }
    await end();
    await engine.close();
    return median(took.slice(950, 1000)) / median(took.slice(100, 150));
  };
  return { measure, close: site.remove };
}

/** Measured once: it is the same in every round. */
function constant(value: number, site: Site): Measurement {
  return { measure: async () => value, close: site.remove };
}

function bytesIn(directory: string): number {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return sum(
    entries.map((entry) => (entry.isFile() ? statSync(join(entry.parentPath, entry.name)).size : 0)),
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
