/**
 * Records the system calls of writers on the JSON store, then builds states that a power cut could have left after
 * each call, and recovers from them. One unit of size is one state.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CrashState, crashStates } from './crash-states.ts';
import { broken, type Progress } from './oracle.ts';
import { type Random, random } from './random.ts';
import { cannotRecord, diskOf, type Recording, record } from './record.ts';
import { checkRecovered } from './recovery.ts';
import { type Campaign, type CampaignOptions, Notes } from './report.ts';
import { withScratch } from './scratch.ts';
import { type Lane, makeLane } from './workload.ts';

/** So many states of one recording, spread over all its calls: many recordings show more than much of one. */
const STATES_PER_RECORDING = 4000;

/** Which lanes run in which processes, and how many operations each does. */
interface Scene {
  readonly seed: number;
  readonly processes: readonly (readonly string[])[];
  readonly count: number;
}

/** A store that a crash left, and how far its lanes are. */
interface Remains {
  readonly dir: string;
  readonly reached: ReadonlyMap<string, number>;
}

export const replay: Campaign = (options) => {
  const notes = new Notes('replay', options);
  const reason = cannotRecord();
  if (reason) {
    notes.skip(reason);
    return Promise.resolve(notes.report);
  }
  return withScratch(async (dir) => {
    for (let round = 0; !enough(notes, options); round++) {
      const scene = sceneOf(options, round);
      const place = join(dir, String(round));
      const left = await play(options, notes, scene, place);
      // Then from what one of these crashes left: recovery itself is cut short at every call.
      if (left && !enough(notes, options)) await play(options, notes, scene, `${place}-again`, left);
      rmSync(place, { recursive: true });
      notes.progress(`${notes.report.counts.states} states`);
    }
    return notes.report;
  }, true);
};

function sceneOf({ seed, size }: CampaignOptions, round: number): Scene {
  const rng = random(seed, 'scene', round);
  const several = round % 2 === 1;
  const count = size < STATES_PER_RECORDING ? 9 : 24;
  return {
    seed: rng.below(1e9),
    processes: several ? [['a', 'store1'], ['b'], ['c', 'store2']] : [['a', 'store1']],
    count: several ? count / 3 : count,
  };
}

/** Records one scene and checks its states; answers one of them, as it was before recovery. */
async function play(
  options: CampaignOptions,
  notes: Notes,
  scene: Scene,
  dir: string,
  after?: Remains,
): Promise<Remains | undefined> {
  const names = scene.processes.flat();
  const reached = new Map(names.map((name) => [name, after?.reached.get(name) ?? 0]));
  const writers = scene.processes.map((lanes) => ({
    src: options.src,
    store: 'json' as const,
    seed: scene.seed,
    lanes: lanes.map((name) => ({ name, from: reached.get(name)! + 1 })),
    count: scene.count,
  }));
  const recording = await record(dir, writers, after?.dir);
  notes.count(after ? 'recordings that begin with a recovery' : 'recordings');
  const recipe = `scene=${JSON.stringify(scene)}${after ? ' after a crash' : ''}`;
  for (const error of recording.errors) notes.violation(`a writer met an error: ${error}`, recipe);
  const lanes = new Map(names.map((name) => [name, makeLane(scene.seed, name)]));
  return await checkStates(options, notes, recording, { dir, recipe, lanes, reached });
}

interface Ground {
  readonly dir: string;
  readonly recipe: string;
  readonly lanes: ReadonlyMap<string, Lane>;
  /** What was acknowledged up to the call that the replay is at. */
  readonly reached: Map<string, number>;
}

async function checkStates(
  options: CampaignOptions,
  notes: Notes,
  recording: Recording,
  ground: Ground,
): Promise<Remains | undefined> {
  const rng = random(options.seed, ground.recipe);
  const quota = Math.ceil(Math.min(STATES_PER_RECORDING, options.size / 3) / recording.steps.length);
  const disk = diskOf(recording);
  const seen = new Set<string>();
  let left: Remains | undefined;
  for (const [number, step] of recording.steps.entries()) {
    if ('ack' in step) ground.reached.set(step.ack.lane, step.ack.n);
    else step.apply(disk);
    notes.count('calls', 'ack' in step ? 0 : 1);
    const after = 'ack' in step ? `ack ${step.ack.lane} ${step.ack.n}` : step.call;
    for (const state of crashStates(disk, quota, rng)) {
      if (enough(notes, options)) return left;
      const name = `${[...ground.reached]} ${state.name}`;
      if (seen.has(name)) continue;
      seen.add(name);
      const found = await checkState(options, notes, ground, state, rng, `step=${number} after=${after}`);
      if (!found || !rng.oneIn(100)) continue;
      left = { dir: join(ground.dir, `left${seen.size}`), reached: found };
      build(state, left.dir);
    }
  }
  return left;
}

/** How far each lane was found to be; undefined when a promise was broken. */
async function checkState(
  options: CampaignOptions,
  notes: Notes,
  ground: Ground,
  state: CrashState,
  rng: Random,
  recipe: string,
): Promise<Map<string, number> | undefined> {
  const place = join(ground.dir, 'state');
  notes.count('states');
  build(state, place);
  const lanes = [...ground.reached].map(
    ([name, acked]): Progress => ({ lane: ground.lanes.get(name)!, acked }),
  );
  const target = join(place, 'store');
  try {
    const then = rng.oneIn(3) ? rng.pick(lanes) : undefined;
    return await checkRecovered({ src: options.src, store: 'json', target }, lanes, then);
  } catch (error) {
    notes.violation(broken(error).message, `${ground.recipe} ${recipe}`, (kept) => build(state, kept));
    return undefined;
  } finally {
    rmSync(place, { recursive: true });
  }
}

function build(state: CrashState, place: string): void {
  mkdirSync(place, { recursive: true });
  for (const [path, content] of state.content()) {
    if (content === null) mkdirSync(join(place, path), { recursive: true });
    else writeFileSync(join(place, path), content, { mode: 0o600 });
  }
}

function enough(notes: Notes, { size }: CampaignOptions): boolean {
  return notes.over || (notes.report.counts.states ?? 0) >= size;
}
