/**
 * `kill -9` of writers at random instants. Every second kill hits a process that is just opening the store which the
 * kill before left behind; only then is the store checked. One unit of size is one kill on each local store.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Broken, broken, type Progress } from './oracle.ts';
import { startWriter, type Writer } from './processes.ts';
import { type Random, random } from './random.ts';
import { checkRecovered } from './recovery.ts';
import { type Campaign, Notes } from './report.ts';
import { withScratch } from './scratch.ts';
import type { StorePlace } from './stores.ts';
import { makeLane } from './workload.ts';
import type { LaneStart } from './writer.ts';

/** A fresh store after so many cycles, so that stores stay small and checking them quick. */
const CYCLES_PER_STORE = 12;
/** Two processes write at once. */
const PROCESSES = [['a', 'store1'], ['b']];

export const kills: Campaign = (options) =>
  withScratch(async (dir) => {
    const notes = new Notes('kills', options);
    for (const store of ['json', 'sqlite'] as const) {
      for (let round = 0; !notes.over && killCount(notes, store) < options.size; round++) {
        const target = join(dir, `${store}${round}`);
        mkdirSync(target);
        const seed = random(options.seed, store, round).below(1e9);
        await killCycles(notes, { src: options.src, store, target }, seed, options.size);
        rmSync(target, { recursive: true });
        notes.progress(`${store}: ${killCount(notes, store)} kills`);
      }
    }
    return notes.report;
  });

function killCount({ report: { counts } }: Notes, store: string): number {
  return (counts[`${store} kills while writing`] ?? 0) + (counts[`${store} kills while opening`] ?? 0);
}

/** Kills the writers of one store, a number of times, and checks it after each round of kills. */
async function killCycles(notes: Notes, place: StorePlace, seed: number, size: number): Promise<void> {
  const lanes = PROCESSES.flat().map((name): Progress => ({ lane: makeLane(seed, name), acked: 0 }));
  const rng = random(seed, 'kills');
  let ready = standbys(place, seed);
  const enough = () => notes.over || killCount(notes, place.store) >= size;
  for (let cycle = 0; cycle < CYCLES_PER_STORE && !enough(); cycle++) {
    const writers = ready;
    const openers = standbys(place, seed);
    try {
      await killWhileWriting(writers, lanes, rng);
      notes.count(`${place.store} kills while writing`, writers.length);
      ready = cycle + 1 < CYCLES_PER_STORE ? standbys(place, seed) : [];
      for (const opener of openers) await killWhileOpening(opener, rng);
      notes.count(`${place.store} kills while opening`, openers.length);
      judgeErrors([...writers, ...openers]);
      await checkRecovered(place, lanes, cycle % 4 === 3 ? rng.pick(lanes) : undefined);
      notes.count(`${place.store} checks`);
    } catch (error) {
      const reached = lanes.map(({ lane, acked }) => `${lane.name}:${acked}`).join(' ');
      notes.violation(
        broken(error).message,
        `store=${place.store} rounds=${seed} cycle=${cycle} reached=${reached}`,
      );
      break;
    } finally {
      await Promise.all([...openers, ...writers].map((writer) => writer.kill()));
    }
  }
  await Promise.all(ready.map((writer) => writer.kill()));
}

/** One process for each part of the work, started and waiting. */
function standbys(place: StorePlace, seed: number): Writer[] {
  return PROCESSES.map(() => startWriter({ ...place, seed, standby: true, lanes: [] }));
}

async function killWhileWriting(writers: readonly Writer[], lanes: Progress[], rng: Random): Promise<void> {
  await Promise.all(writers.map((writer, i) => writer.go(startsOf(lanes, PROCESSES[i]!))));
  await Promise.race(writers.map((writer) => writer.said(/^(ack|error)/)));
  await killEach(writers, lanes, rng);
}

/** One after the other, at random instants; lanes then know what was acknowledged. */
export async function killEach(
  writers: readonly Writer[],
  lanes: readonly Progress[],
  rng: Random,
): Promise<void> {
  for (const writer of writers) {
    await pause(rng, 25);
    await writer.kill();
    for (const progress of lanes) progress.acked = writer.acked.get(progress.lane.name) ?? progress.acked;
  }
}

export function startsOf(lanes: readonly Progress[], names: readonly string[]): LaneStart[] {
  return lanes
    .filter(({ lane }) => names.includes(lane.name))
    .map(({ lane, acked }) => ({ name: lane.name, from: acked + 1 }));
}

export async function killWhileOpening(opener: Writer, rng: Random): Promise<void> {
  await opener.go([]);
  await opener.said('open');
  await pause(rng, 8);
  await opener.kill();
}

/** Up to so many milliseconds, in finer steps than a timer has. */
export async function pause(rng: Random, most: number): Promise<void> {
  const until = performance.now() + (rng.below(1000) / 1000) * most;
  if (until - performance.now() > 2) await sleep(until - performance.now() - 1);
  while (performance.now() < until) await new Promise(setImmediate);
}

/** A writer that is killed has no reason to meet an error first. */
export function judgeErrors(writers: readonly Writer[]): void {
  for (const { errors } of writers) {
    const [error] = errors;
    if (error) throw new Broken(`a writer met ${error.code} in ${error.lane} ${error.n}: ${error.message}`);
  }
}
