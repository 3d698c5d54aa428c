/**
 * System calls made to fail under a writer process by strace: what `faults.ts` does through the project's own calls,
 * for those that SQLite makes by itself. One unit of size is one run on each local store.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sample } from './faults.ts';
import { broken, type Progress } from './oracle.ts';
import { startWriter, WRITER } from './processes.ts';
import { random } from './random.ts';
import { cannotRecord } from './record.ts';
import { checkRecovered } from './recovery.ts';
import { type Campaign, Notes } from './report.ts';
import { withScratch } from './scratch.ts';
import type { StorePlace } from './stores.ts';
import { makeLane } from './workload.ts';
import type { WriterOptions } from './writer.ts';

const LANES = ['a', 'store1'];
const COUNT = 6;
/** Only the stores make these calls; all others Node makes too. */
const CALLS = ['pwrite64', 'fdatasync', 'fsync', 'ftruncate', 'unlink', 'rename', 'mkdir'];

interface Plan {
  readonly call: string;
  readonly at: number;
  readonly errno: string;
  readonly sticky: boolean;
}

export const syscalls: Campaign = (options) => {
  const notes = new Notes('syscalls', options);
  const reason = cannotRecord();
  if (reason) {
    notes.skip(reason);
    return Promise.resolve(notes.report);
  }
  return withScratch(async (dir) => {
    for (const store of ['sqlite', 'json'] as const) {
      const done = () => notes.report.counts[`${store} runs`] ?? 0;
      for (let round = 0; !notes.over && done() < options.size; round++) {
        const rng = random(options.seed, 'syscalls', store, round);
        const seed = rng.below(1e9);
        const target = join(dir, `${store}${round}`);
        const place = { src: options.src, store, target };
        const plans = plansFor(await census(writerFor(place, seed), target));
        for (const plan of sample(
          plans,
          ({ call, errno, sticky }) => `${call} ${errno} ${sticky}`,
          options.size - done(),
          rng,
        )) {
          if (notes.over) break;
          notes.count(`${store} runs`);
          await tryPlan(notes, place, seed, plan);
        }
        notes.progress(`${store}: ${done()} runs`);
      }
    }
    return notes.report;
  }, true);
};

function writerFor(place: StorePlace, seed: number): WriterOptions {
  return { ...place, seed, lanes: LANES.map((name) => ({ name, from: 1 })), count: COUNT };
}

/** How often the main thread makes each call. */
async function census(writer: WriterOptions, target: string): Promise<Map<string, number>> {
  mkdirSync(target);
  const trace = `${target}.trace`;
  const args = ['-f', '--seccomp-bpf', '-qq', '-e', `trace=${CALLS.join(',')}`, '-o', trace];
  await promisify(execFile)('strace', [...args, process.execPath, WRITER, JSON.stringify(writer)]);
  rmSync(target, { recursive: true });
  const lines = readFileSync(trace, 'latin1').split('\n');
  const main = /^\d+/.exec(lines[0] ?? '')?.[0];
  const counts = new Map<string, number>();
  for (const line of lines) {
    const [pid, call] = line.split(/\s+|\(/);
    if (pid === main && CALLS.includes(call!)) counts.set(call!, (counts.get(call!) ?? 0) + 1);
  }
  return counts;
}

function* plansFor(counts: ReadonlyMap<string, number>): Generator<Plan> {
  for (const [call, count] of counts) {
    for (let at = 1; at <= count; at++) {
      for (const errno of ['EIO', 'ENOSPC']) {
        for (const sticky of [false, true]) yield { call, at, errno, sticky };
      }
    }
  }
}

async function tryPlan(notes: Notes, place: StorePlace, seed: number, plan: Plan): Promise<void> {
  mkdirSync(place.target);
  const inject = `inject=${plan.call}:error=${plan.errno}:when=${plan.at}${plan.sticky ? '+' : ''}`;
  const through = ['strace', '-f', '--seccomp-bpf', '-qq', '-o', '/dev/null'];
  const writer = startWriter(writerFor(place, seed), [...through, '-e', `trace=${plan.call}`, '-e', inject]);
  await writer.ended();
  const lanes = LANES.map((name): Progress => {
    return { lane: makeLane(seed, name), acked: writer.acked.get(name) ?? 0 };
  });
  try {
    for (const { code, message } of writer.errors) if (code === 'UNTYPED') throw new Error(message);
    await checkRecovered(place, lanes, lanes[plan.at % lanes.length]);
  } catch (error) {
    const recipe = `store=${place.store} lanes=${seed} plan=${JSON.stringify(plan)}`;
    notes.violation(broken(error).message, recipe);
  } finally {
    rmSync(place.target, { recursive: true });
  }
}
