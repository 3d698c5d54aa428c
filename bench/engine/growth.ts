/** What a long conversation costs: its bytes on the disk, and whether a late checkpoint takes longer than an early one. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigInput } from '../../src/index.ts';
import type { Measurement } from '../harness.ts';
import { startDriven } from './driven.ts';
import { openAt, type Site, storeDirectory } from './site.ts';
import { TURN_BYTES, takeTurn, takeTurns } from './turns.ts';

const TURNS = 1000;

/** No checkpoint is thinned out: of a thousand turns there are a thousand, and a few more. */
const KEEP_ALL: ConfigInput = { cleanup: { max_per_task: 2 * TURNS } };

/** The bytes of every file, at their most: while the store is open, or once it is closed and everything is written. */
export async function measureBytes(site: Site, config = KEEP_ALL): Promise<number> {
  const engine = await openAt(site, { config });
  const { task, end } = await startDriven(engine);
  await takeTurns(task, TURNS);
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

/** What a checkpoint with default settings adds to the payload, in kilobytes. */
export async function kilobytesPerCheckpoint(site: Site): Promise<Measurement> {
  const bytes = (await measureBytes(site, {})) - TURNS * TURN_BYTES;
  return constant(bytes / TURNS / 1024, site);
}

/** How long the last turns take relative to early ones, each round in a task of its own; the first is the warm-up. */
export async function lateAgainstEarly(site: Site): Promise<Measurement> {
  const engine = await openAt(site, { config: KEEP_ALL });
  const measure = async (): Promise<number> => {
    const { task, end } = await startDriven(engine);
    const took: number[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      const start = performance.now();
      await takeTurn(task);
      took.push(performance.now() - start);
    }
    await end();
    return sum(took.slice(950, 1000)) / sum(took.slice(100, 150));
  };
  return { measure, close: () => engine.close().finally(site.remove) };
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
