/** What a long conversation costs: its bytes on the disk, and whether a late checkpoint takes longer than an early one. */
import { readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../harness/rounds.ts';
import type { Measurement } from '../harness.ts';
import { startDriven } from './driven.ts';
import { goBackToSome } from './going-back.ts';
import { openAt, type Site, storeDirectory } from './site.ts';
import { editsIn, FILE_BYTES, TURN_BYTES, takeTurn } from './turns.ts';

const TURNS = 1000;

interface Written {
  /** Of every file, at their most: while the store is open, or once it is closed and everything is written. */
  readonly bytes: number;
  /** The checkpoint at the end of each turn. */
  readonly checkpoints: readonly string[];
}

async function writeTurns(site: Site): Promise<Written> {
  const engine = await openAt(site);
  const { task, end } = await startDriven(engine);
  const checkpoints: string[] = [];
  let newest: string | undefined;
  engine.on('checkpoint', ({ id }) => {
    newest = id;
  });
  const edit = editsIn(site);
  for (let turn = 1; turn <= TURNS; turn++) {
    await takeTurn(task, edit);
    if (newest === undefined || newest === checkpoints.at(-1))
      throw new Error(`Turn ${turn} has no checkpoint.`);
    checkpoints.push(newest);
  }
  await engine.storage.flush();
  const whileOpen = bytesOf(site);
  await end();
  await engine.close();
  return { bytes: Math.max(whileOpen, bytesOf(site)), checkpoints };
}

/** It counts only if every turn is still a place one can go back to. */
export async function relativeBytes(site: Site): Promise<Measurement> {
  const { bytes, checkpoints } = await writeTurns(site);
  const ratio = bytes / (TURNS * TURN_BYTES);
  await goBackToSome(site, checkpoints).catch((error: Error) => {
    throw new Error(`${error.message} (${ratio.toFixed(3)} of the payload)`);
  });
  return constant(ratio, site);
}

/** What a turn with its checkpoint adds to the payload, in kilobytes. */
export async function kilobytesPerCheckpoint(site: Site): Promise<Measurement> {
  const payload = TURN_BYTES + (site.files ? FILE_BYTES : 0);
  const { bytes } = await writeTurns(site);
  return constant((bytes / TURNS - payload) / 1024, site);
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

/** Hard links to what git has take no space: they are git's bytes. */
function bytesOf(site: Site): number {
  const ofGit = new Set(site.files ? filesIn(join(site.project_dir, '.git')).map(({ ino }) => ino) : []);
  return sum(filesIn(storeDirectory(site)).map(({ ino, size }) => (ofGit.has(ino) ? 0 : size)));
}

function filesIn(directory: string): Stats[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => statSync(join(parentPath, name)));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
