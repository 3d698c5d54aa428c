/**
 * Every call to the disk that a scripted workload makes on the JSON store is made to fail: once, and from then on;
 * with EIO, with ENOSPC, and by writing less than asked for. One unit of size is one run of the script.
 */
import { cpSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { IoCall, IoFault } from '../../src/system/io.ts';
import { userDir } from '../../src/system/user/user-dir.ts';
import { type Census, LostSyncs, runScript } from './fault-script.ts';
import { Broken, broken, type Progress } from './oracle.ts';
import { startWriter } from './processes.ts';
import { type Random, random } from './random.ts';
import { checkRecovered } from './recovery.ts';
import { type Campaign, type CampaignOptions, Notes } from './report.ts';
import { withScratch } from './scratch.ts';
import { hookOf } from './stores.ts';
import { makeLane } from './workload.ts';

const LANES = ['a', 'b', 'store1'];

/** What goes wrong at call number `at`, and at every later one when it is sticky. */
interface Plan {
  readonly at: number;
  readonly fault: IoFault;
  readonly sticky: boolean;
}

export const faults: Campaign = (options) =>
  withScratch(async (dir) => {
    const notes = new Notes('faults', options);
    for (let round = 0; !notes.over && runs(notes) < options.size; round++) {
      const rng = random(options.seed, 'faults', round);
      const seed = rng.below(1e9);
      const base = join(dir, `base${round}`);
      const started = await leaveBehind(options, base, seed);
      const census = await takeCensus(options, notes, base, seed, started);
      notes.count('calls', census.length);
      const left = Math.min(options.size - runs(notes), options.size / 2 + 1);
      const kind = ({ at, fault, sticky }: Plan) =>
        `${census[at - 1]!.op} ${JSON.stringify(fault)} ${sticky}`;
      for (const plan of sample(plansFor(census), kind, left, rng)) {
        if (notes.over) break;
        await tryPlan(options, notes, base, seed, started, plan);
      }
      notes.progress(`${runs(notes)} runs`);
    }
    return notes.report;
  }, true);

function runs({ report }: Notes): number {
  return report.counts.runs ?? 0;
}

/** A store as a killed process leaves it, so that opening it has something to do. */
async function leaveBehind(
  options: CampaignOptions,
  target: string,
  seed: number,
): Promise<Map<string, number>> {
  const lanes = LANES.map((name) => ({ name, from: 1 }));
  const writer = startWriter({ src: options.src, store: 'json', target, seed, lanes });
  await writer.said(/^(ack a 9|error.*)$/);
  await writer.kill();
  const lanesLeft = progressOf(seed, writer.acked);
  // What is really there is found out on a copy: recovering is left to the script.
  const copy = `${target}-copy`;
  cpSync(target, copy, { recursive: true });
  const found = await checkRecovered({ src: options.src, store: 'json', target: copy }, lanesLeft);
  rmSync(copy, { recursive: true });
  return found;
}

function progressOf(seed: number, reached: ReadonlyMap<string, number>): Progress[] {
  return LANES.map((name) => ({ lane: makeLane(seed, name), acked: reached.get(name) ?? 0 }));
}

/** The calls of a run in which nothing fails, which must end well too. */
async function takeCensus(
  options: CampaignOptions,
  notes: Notes,
  base: string,
  seed: number,
  started: ReadonlyMap<string, number>,
): Promise<Census> {
  const target = `${base}-census`;
  cpSync(base, target, { recursive: true });
  const place = { src: options.src, store: 'json' as const, target };
  const lanes = progressOf(seed, started);
  const census: IoCall[] = [];
  const setHook = await hookOf(options.src);
  setHook((call) => {
    census.push(call);
    return undefined;
  });
  try {
    await runScript(place, lanes);
    setHook(undefined);
    await checkRecovered(place, lanes);
  } catch (error) {
    notes.violation(broken(error).message, `script=${seed} plan=none`, (kept) =>
      cpSync(target, kept, { recursive: true }),
    );
  } finally {
    setHook(undefined);
  }
  return census;
}

function* plansFor(census: Census): Generator<Plan> {
  for (const [i, { op }] of census.entries()) {
    const kinds: IoFault[] = [{ errno: 'EIO' }];
    if (!['read', 'stat', 'readdir', 'statfs'].includes(op)) kinds.push({ errno: 'ENOSPC' });
    if (op === 'write') kinds.push({ short: 7 });
    for (const fault of kinds) {
      for (const sticky of [false, true]) yield { at: i + 1, fault, sticky };
    }
    if (op === 'write') yield { at: i + 1, fault: { short: 0 }, sticky: false };
  }
}

async function tryPlan(
  options: CampaignOptions,
  notes: Notes,
  base: string,
  seed: number,
  started: ReadonlyMap<string, number>,
  plan: Plan,
): Promise<void> {
  const target = `${base}-run${runs(notes)}`;
  cpSync(base, target, { recursive: true });
  const place = { src: options.src, store: 'json' as const, target };
  const lanes = progressOf(seed, started);
  const lost = new LostSyncs(target);
  const setHook = await hookOf(options.src);
  let number = 0;
  let last: IoCall | undefined;
  let stray: IoCall | undefined;
  setHook((call) => {
    if (!call.path.startsWith(target) && !isElsewhere(call.path)) stray = call;
    number++;
    const due = plan.sticky ? number >= plan.at : number === plan.at;
    const fails = due && ('errno' in plan.fault || call.op === 'write');
    if (number === plan.at) last = call;
    lost.note(call, fails && 'errno' in plan.fault);
    return fails ? plan.fault : undefined;
  });
  notes.count('runs');
  try {
    try {
      await runScript(place, lanes, lost);
    } finally {
      setHook(undefined);
    }
    if (stray) throw new Broken(`a store that was closed still does ${stray.op} ${stray.path}`);
    lost.cutPower();
    await checkRecovered(place, lanes, lanes[plan.at % lanes.length]);
  } catch (error) {
    const where = `${last?.op} ${last?.path.replace(target, '')}`;
    const recipe = `script=${seed} plan=${JSON.stringify(plan)} call=${where}`;
    notes.violation(broken(error).message, recipe, (kept) => cpSync(target, kept, { recursive: true }));
  } finally {
    rmSync(target, { recursive: true });
  }
}

/** All of them when they are few enough, else as many as asked for, at random but the same number of every kind. */
export function sample<T>(plans: Iterable<T>, kindOf: (plan: T) => string, count: number, rng: Random): T[] {
  const kinds = new Map<string, T[]>();
  for (const plan of plans) kinds.set(kindOf(plan), [...(kinds.get(kindOf(plan)) ?? []), plan]);
  const chosen: T[] = [];
  while (chosen.length < count && kinds.size > 0) {
    for (const [kind, left] of kinds) {
      chosen.push(...left.splice(rng.below(left.length), 1));
      if (left.length === 0) kinds.delete(kind);
      if (chosen.length >= count) break;
    }
  }
  return chosen;
}

const STATE_DIR = dirname(userDir('turns')!);

/** What a store asks that is not its own: where turns are, whether a process lives, whether it lies in a repository. */
function isElsewhere(path: string): boolean {
  return path.startsWith('/proc/') || path.startsWith(STATE_DIR) || path.endsWith('/.git');
}
