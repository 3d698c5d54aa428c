/**
 * Records the system calls of writers on the JSON store, then builds every state that a power cut could have left
 * after each call, and recovers from it. One unit of size is one state.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CrashState, crashStates } from './crash-states.ts';
import { Broken, type Progress } from './oracle.ts';
import { random } from './random.ts';
import { cannotRecord, diskOf, type Recording, record } from './record.ts';
import { checkRecovered } from './recovery.ts';
import { type Campaign, type CampaignOptions, Notes } from './report.ts';
import { withScratch } from './scratch.ts';
import { makeLane } from './workload.ts';

/** One recording: which lanes run in which processes, and whether it begins with what a crash left. */
interface Scene {
  readonly seed: number;
  readonly processes: readonly (readonly string[])[];
  readonly count: number;
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
      const scene = sceneOf(options.seed, round);
      await playScene(options, notes, scene, join(dir, String(round)));
      rmSync(join(dir, String(round)), { recursive: true });
      notes.progress(`${notes.report.counts.states} states`);
    }
    return notes.report;
  }, true);
};

function sceneOf(seed: number, round: number): Scene {
  const rng = random(seed, 'scene', round);
  const several = round % 3 === 2;
  return {
    seed: rng.below(1e9),
    processes: several ? [['a', 'store1'], ['b'], ['c', 'store2']] : [['a', 'store1']],
    count: several ? 8 : 20,
  };
}

async function playScene(options: CampaignOptions, notes: Notes, scene: Scene, dir: string): Promise<void> {
  const started = new Map(scene.processes.flat().map((name): [string, number] => [name, 0]));
  mkdirSync(dir, { recursive: true });
  const first = await recordScene(options, scene, dir, started);
  const left = await checkStates(options, notes, scene, first, join(dir, 'states'), started);
  if (!left || enough(notes, options)) return;
  // Then the same from what one of these crashes left: recovery itself is cut short at every call.
  notes.count('recordings of a recovery');
  const second = await recordScene(options, scene, join(dir, 'again'), left.acked, left.dir);
  await checkStates(options, notes, scene, second, join(dir, 'again', 'states'), left.acked);
}

async function recordScene(
  options: CampaignOptions,
  scene: Scene,
  dir: string,
  from: ReadonlyMap<string, number>,
  base?: string,
): Promise<Recording> {
  const writers = scene.processes.map((lanes) => ({
    src: options.src,
    store: 'json' as const,
    seed: scene.seed,
    lanes: lanes.map((name) => ({ name, from: from.get(name)! + 1 })),
    count: scene.count,
  }));
  return await record(dir, writers, base);
}

/** Checks every state of a recording; answers one of them, as it was before recovery. */
async function checkStates(
  options: CampaignOptions,
  notes: Notes,
  scene: Scene,
  recording: Recording,
  dir: string,
  from: ReadonlyMap<string, number>,
): Promise<{ dir: string; acked: Map<string, number> } | undefined> {
  const recipe = `scene=${scene.seed} processes=${JSON.stringify(scene.processes)} count=${scene.count}`;
  for (const error of recording.errors) notes.violation(`a writer met an error: ${error}`, recipe);
  const rng = random(scene.seed, 'states');
  const lanes = new Map([...from.keys()].map((name) => [name, makeLane(scene.seed, name)]));
  const acked = new Map(from);
  const disk = diskOf(recording);
  const seen = new Set<string>();
  const kept = join(dir, 'kept');
  let left: { dir: string; acked: Map<string, number> } | undefined;
  notes.count('recordings');
  for (const [number, step] of recording.steps.entries()) {
    if ('ack' in step) acked.set(step.ack.lane, step.ack.n);
    else step.apply(disk);
    notes.count('calls', 'ack' in step ? 0 : 1);
    for (const state of crashStates(disk, rng)) {
      if (enough(notes, options)) return left;
      const name = `${[...acked]} ${state.name}`;
      if (seen.has(name)) continue;
      seen.add(name);
      notes.count('states');
      const place = join(dir, `s${seen.size}`);
      build(state, place);
      const keep = rng.oneIn(400);
      if (keep) cpSync(place, `${kept}${seen.size}`, { recursive: true });
      const progress = [...acked].map(([lane, n]): Progress => ({ lane: lanes.get(lane)!, acked: n }));
      try {
        const target = join(place, 'store');
        const found = await checkRecovered(
          { src: options.src, store: 'json', target },
          progress,
          rng.pick(progress),
        );
        if (keep) left = { dir: `${kept}${seen.size}`, acked: found };
      } catch (error) {
        if (!(error instanceof Broken)) throw error;
        const last = 'ack' in step ? `ack ${step.ack.lane} ${step.ack.n}` : step.call;
        notes.violation(error.message, `${recipe} step=${number} after=${last} state=${seen.size}`, (kept) =>
          build(state, kept),
        );
      }
      rmSync(place, { recursive: true });
    }
  }
  return left;
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
