/**
 * Flips single bits of a small store, and cuts its files short at every byte; then loads everything. What is damaged
 * must be noticed (a typed error, or verify() reports it) or make no difference, and journal entries before the damage
 * must still load. One unit of size is one flip or cut on each local store.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Storage } from '../../src/storage/contract.ts';
import { Broken, broken, codeOf, observe } from './oracle.ts';
import { startWriter } from './processes.ts';
import { type Random, random } from './random.ts';
import { type Campaign, type CampaignOptions, Notes } from './report.ts';
import { withScratch } from './scratch.ts';
import { KEY_VARIABLE, openStore, type StoreName, type StorePlace } from './stores.ts';
import { canonical, type Lane, makeLane, type Value } from './workload.ts';

const LANES = ['a', 'store1'];

/** A bit of a byte, or the length a file is cut to. */
type Damage = { file: string; at: number; bit: number } | { file: string; cutTo: number };

interface Sample {
  readonly dir: string;
  readonly store: StoreName;
  readonly lanes: readonly Lane[];
  /** The operation that every lane ended with. */
  readonly last: number;
}

export const flips: Campaign = (options) =>
  withScratch(async (dir) => {
    const notes = new Notes('flips', options);
    for (const store of ['json', 'sqlite'] as const) {
      const done = () => notes.report.counts[`${store} flips and cuts`] ?? 0;
      for (let round = 0; !notes.over && done() < options.size; round++) {
        const rng = random(options.seed, 'flips', store, round);
        const sample = await makeSample(options, store, join(dir, `${store}${round}`), rng);
        for (const damage of damages(sample.dir, rng)) {
          if (notes.over || done() >= options.size) break;
          notes.count(`${store} flips and cuts`);
          await tryDamage(options, notes, sample, damage);
          if (done() % 5000 === 0) notes.progress(`${store}: ${done()}`);
        }
      }
    }
    return notes.report;
  }, true);

/** A store with a few operations in it, closed in good order, or as a killed process leaves it. */
async function makeSample(
  options: CampaignOptions,
  store: StoreName,
  dir: string,
  rng: Random,
): Promise<Sample> {
  mkdirSync(dir);
  const seed = rng.below(1e9);
  const count = 6;
  const lanes = LANES.map((name) => ({ name, from: 1 }));
  const writer = startWriter({ src: options.src, store, target: dir, seed, lanes, count });
  await writer.ended();
  const [error] = writer.errors;
  if (error) throw new Error(`The sample store could not be written: ${error.code} ${error.message}`);
  return { dir, store, lanes: LANES.map((name) => makeLane(seed, name)), last: count };
}

/** All of a store's bytes in random order, so that a part of them is a fair sample. */
function* damages(dir: string, rng: Random): Generator<Damage> {
  const files = filesOf(dir).map((file) => ({ file, size: readFileSync(join(dir, file)).length }));
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const seen = new Set<number>();
  while (seen.size < total) {
    const pick = rng.below(total);
    if (seen.has(pick)) continue;
    seen.add(pick);
    let at = pick;
    const { file } = files.find(({ size }) => {
      if (at < size) return true;
      at -= size;
      return false;
    })!;
    if (rng.oneIn(3)) yield { file, cutTo: at };
    else yield { file, at, bit: rng.below(8) };
  }
}

function filesOf(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)))
    .sort();
}

async function tryDamage(
  options: CampaignOptions,
  notes: Notes,
  sample: Sample,
  damage: Damage,
): Promise<void> {
  const target = `${sample.dir}-damaged`;
  cpSync(sample.dir, target, { recursive: true });
  doDamage(target, damage);
  try {
    const outcome = await judge({ src: options.src, store: sample.store, target }, sample, damage);
    notes.count(`${sample.store} ${outcome}`);
  } catch (error) {
    notes.violation(
      broken(error).message,
      `store=${sample.store} damage=${JSON.stringify(damage)}`,
      (kept) => {
        cpSync(sample.dir, kept, { recursive: true });
        doDamage(kept, damage);
      },
    );
  } finally {
    rmSync(target, { recursive: true });
  }
}

function doDamage(dir: string, damage: Damage): void {
  const path = join(dir, damage.file);
  const bytes = readFileSync(path);
  if ('cutTo' in damage) {
    writeFileSync(path, bytes.subarray(0, damage.cutTo));
    return;
  }
  bytes[damage.at]! ^= 1 << damage.bit;
  writeFileSync(path, bytes);
}

type Outcome =
  | 'harmless'
  | 'noticed on opening'
  | 'noticed on loading'
  | 'noticed by verify'
  | 'cut as a torn tail';

async function judge(place: StorePlace, sample: Sample, damage: Damage): Promise<Outcome> {
  let storage: Storage;
  try {
    storage = await openStore(place);
  } catch (error) {
    codeOf(error);
    return 'noticed on opening';
  }
  try {
    const outcomes: Outcome[] = [];
    for (const lane of sample.lanes) outcomes.push(await judgeLane(storage, sample, damage, lane));
    const reported = await verifyReports(storage);
    if (outcomes.includes('noticed on loading')) return 'noticed on loading';
    if (reported) return 'noticed by verify';
    const cut = outcomes.find((outcome) => outcome !== 'harmless');
    if (cut === undefined) return 'harmless';
    // The last commit, damaged, can look like one that a crash interrupted; nothing more than that may go.
    if ('cutTo' in damage || damage.file.endsWith('.log') || damage.file.endsWith('-wal')) return cut;
    throw new Broken(`the last operation is gone without a word`);
  } finally {
    try {
      await storage.close();
    } catch (error) {
      codeOf(error);
    }
  }
}

/** The lane loads as it was, or says that it cannot; journal entries that do load are the ones that were written. */
async function judgeLane(storage: Storage, sample: Sample, damage: Damage, lane: Lane): Promise<Outcome> {
  const { last } = sample;
  try {
    const seen = canonical(await observe(storage, lane.name));
    if (seen === canonical(lane.state(last))) return 'harmless';
    if (seen === canonical(lane.state(last - 1))) return 'cut as a torn tail';
  } catch (error) {
    if (!(error instanceof Broken)) {
      codeOf(error);
      await judgeJournal(storage, sample, damage, lane);
      return 'noticed on loading';
    }
  }
  if (await verifyReports(storage)) {
    await judgeJournal(storage, sample, damage, lane);
    return 'noticed by verify';
  }
  throw new Broken(`lane ${lane.name} loads as something that was never stored, and verify() finds nothing`);
}

/**
 * Whatever the journal still yields is what was written there, and everything before the damage is among it. An entry
 * whose removal is recorded behind the damage may show again.
 */
async function judgeJournal(storage: Storage, sample: Sample, damage: Damage, lane: Lane): Promise<void> {
  for (const [task, { journal }] of Object.entries(lane.state(sample.last).tasks)) {
    const written = everWritten(lane, task, sample.last);
    const loaded = new Set<number>();
    try {
      for await (const { seq, data } of storage.read(task)) {
        const { lane: name, op, text, blobs } = data as Record<string, unknown>;
        if (JSON.stringify({ lane: name, op, text, blobs }) !== JSON.stringify(written.get(seq))) {
          throw new Broken(`entry ${seq} of ${task} loads as something that was never stored`);
        }
        loaded.add(seq);
      }
    } catch (error) {
      codeOf(error);
    }
    for (const seq of intactEntries(sample, damage, task, journal)) {
      if (!loaded.has(seq))
        throw new Broken(`entry ${seq} of ${task} lies before the damage, but does not load`);
    }
  }
}

function everWritten(lane: Lane, task: string, last: number): Map<number, Value> {
  const states = Array.from({ length: last + 1 }, (_, n) => lane.state(n));
  return new Map(states.flatMap((state) => state.tasks[task]?.journal ?? []));
}

/** The numbers of the entries of a JSON log that lie on lines which end before the damage. */
function intactEntries(
  sample: Sample,
  damage: Damage,
  task: string,
  journal: readonly [number, Value][],
): number[] {
  // Where an entry lies in a sealed log, the log does not tell.
  if (damage.file !== `tasks/${task}/journal.log` || process.env[KEY_VARIABLE]) return [];
  const log = readFileSync(join(sample.dir, damage.file));
  const from = 'cutTo' in damage ? damage.cutTo : damage.at;
  const intact = journal.filter(([, value]) => {
    const at = log.indexOf(JSON.stringify(value));
    if (at < 0)
      throw new Error(`The log of ${task} does not hold its entries as plain JSON: teach this to find them.`);
    return log.indexOf('\n', at) < from;
  });
  return intact.map(([seq]) => seq);
}

async function verifyReports(storage: Storage): Promise<boolean> {
  try {
    for await (const _problem of storage.verify()) return true;
    return false;
  } catch (error) {
    codeOf(error);
    return true;
  }
}
