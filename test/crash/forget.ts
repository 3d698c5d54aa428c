/**
 * SQLite and JSON on a file system that forgets what was not synced: a writer is killed, the power is cut, the store
 * is opened again. One unit of size is one cycle on SQLite; JSON, which `replay.ts` tries harder, gets a tenth.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cannotMount, type ForgettingDisk, withForgettingDisk } from './forgetfs/mount.ts';
import { judgeErrors, pause, startsOf } from './kills.ts';
import { broken, type Progress } from './oracle.ts';
import { startWriter } from './processes.ts';
import { random } from './random.ts';
import { checkRecovered } from './recovery.ts';
import { type Campaign, Notes } from './report.ts';
import { withScratch } from './scratch.ts';
import type { StorePlace } from './stores.ts';
import { makeLane } from './workload.ts';

const CYCLES_PER_STORE = 20;
const LANES = ['a', 'b', 'store1'];

export const forget: Campaign = (options) =>
  withScratch(async (dir) => {
    const notes = new Notes('forget', options);
    const reason = cannotMount();
    if (reason) {
      notes.skip(reason);
      return notes.report;
    }
    await withForgettingDisk(dir, async (disk) => {
      for (const [store, cycles] of [
        ['sqlite', options.size],
        ['json', options.size / 10],
      ] as const) {
        const done = () => notes.report.counts[`${store} cycles`] ?? 0;
        for (let round = 0; !notes.over && done() < cycles; round++) {
          const target = join(disk.dir, `${store}${round}`);
          const seed = random(options.seed, store, round).below(1e9);
          const many = Math.min(CYCLES_PER_STORE, Math.ceil(cycles - done()));
          await cutPower(notes, disk, { src: options.src, store, target }, seed, many);
          rmSync(target, { recursive: true, force: true });
          notes.progress(`${store}: ${done()} cycles`);
        }
      }
    });
    return notes.report;
  });

async function cutPower(
  notes: Notes,
  disk: ForgettingDisk,
  place: StorePlace,
  seed: number,
  cycles: number,
): Promise<void> {
  const lanes = LANES.map((name): Progress => ({ lane: makeLane(seed, name), acked: 0 }));
  const rng = random(seed, 'forget');
  const standby = () => startWriter({ ...place, seed, standby: true, lanes: [] });
  makeDurable(disk.dir, place.target);
  let ready = standby();
  for (let cycle = 0; cycle < cycles && !notes.over; cycle++) {
    const writer = ready;
    await writer.go(startsOf(lanes, LANES));
    // At times so early that the store is only being opened.
    await writer.said(rng.oneIn(4) ? 'open' : /^(ack|error)/);
    await pause(rng, 20);
    await writer.kill();
    ready = standby();
    for (const progress of lanes) progress.acked = writer.acked.get(progress.lane.name) ?? progress.acked;
    const how = cycle % 2 === 0 ? 'all' : rng.below(1e9);
    disk.forget(how);
    notes.count(`${place.store} cycles`);
    try {
      judgeErrors([writer]);
      await checkRecovered(place, lanes, rng.oneIn(4) ? rng.pick(lanes) : undefined);
    } catch (error) {
      notes.violation(
        broken(error).message,
        `store=${place.store} rounds=${seed} cycle=${cycle} forget=${how}`,
      );
      break;
    }
  }
  await ready.kill();
}

/** The store's directory is there before the store, and stays. */
function makeDurable(parent: string, dir: string): void {
  mkdirSync(dir);
  const fd = openSync(parent, 'r');
  fsyncSync(fd);
  closeSync(fd);
}
