/**
 * A disk of 1 MB that really fills up: writes come back short, syncs and renames find no room. What was acknowledged
 * stays readable, the error says what is wrong, and when there is room again the store goes on. One unit of size is one
 * disk filled on each local store.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Broken, broken, checkLane, codeOf, type Progress } from './oracle.ts';
import { random } from './random.ts';
import { checkRecovered } from './recovery.ts';
import { type Campaign, Notes } from './report.ts';
import { runLane } from './runner.ts';
import { withScratch } from './scratch.ts';
import { openStore, type StorePlace } from './stores.ts';
import { makeLane } from './workload.ts';

const LANES = ['a', 'b', 'store1'];

export const fullDisk: Campaign = (options) =>
  withScratch(async (dir) => {
    const notes = new Notes('fullDisk', options);
    const mount = join(dir, 'mount');
    mkdirSync(mount);
    for (let round = 0; round < options.size && !notes.over; round++) {
      for (const store of ['json', 'sqlite'] as const) {
        const seed = random(options.seed, 'full', store, round).below(1e9);
        if (!mountSmall(mount)) {
          notes.skip('filling a disk needs leave to mount a small tmpfs (root)');
          return notes.report;
        }
        try {
          await fill(notes, { src: options.src, store, target: join(mount, 'store') }, mount, seed);
        } catch (error) {
          notes.violation(broken(error).message, `store=${store} lanes=${seed}`);
        } finally {
          execFileSync('umount', ['-l', mount]);
        }
      }
    }
    return notes.report;
  });

function mountSmall(mount: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'vibe-engine-crash', mount], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function fill(notes: Notes, place: StorePlace, mount: string, seed: number): Promise<void> {
  const ballast = join(mount, 'ballast');
  writeFileSync(ballast, Buffer.alloc(400_000, 1));
  mkdirSync(place.target);
  const lanes = LANES.map((name): Progress => ({ lane: makeLane(seed, name), acked: 0 }));
  const storage = await openStore(place);
  const code = await writeUntilFull(storage, lanes, notes, place);
  if (code !== 'DISK_FULL') throw new Broken(`a full disk was reported as ${code}`);
  for (const progress of lanes) await checkLane(storage, progress);
  try {
    await storage.close();
  } catch (error) {
    codeOf(error);
  }
  rmSync(ballast);
  await checkRecovered(place, lanes, lanes[0]);
  notes.count(`${place.store} disks filled`);
}

/** The code of the first error. */
async function writeUntilFull(
  storage: Awaited<ReturnType<typeof openStore>>,
  lanes: readonly Progress[],
  notes: Notes,
  { store }: StorePlace,
): Promise<string> {
  const runners = lanes.map((progress) => ({ progress, runner: runLane(storage, progress.lane) }));
  for (;;) {
    for (const { progress, runner } of runners) {
      try {
        await runner.run(progress.acked + 1);
      } catch (error) {
        return codeOf(error);
      }
      progress.acked++;
      notes.count(`${store} commits on a small disk`);
    }
  }
}
