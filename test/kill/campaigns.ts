/** The kill matrix: one case for every point at which the task can be killed; and kills at random instants. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { SOURCES } from '../crash/mutants.ts';
import { broken } from '../crash/oracle.ts';
import { type Random, random } from '../crash/random.ts';
import { type CampaignOptions, Notes, type Report } from '../crash/report.ts';
import { withScratch } from '../crash/scratch.ts';
import type { StoreName } from '../crash/stores.ts';
import { type Ground, openGround } from './ground.ts';
import { judge } from './judge.ts';
import { type Kill, type Life, live } from './life.ts';
import type { Point } from './trap.ts';

/** On PostgreSQL most of a case is waiting for a lease to run out. */
const AT_ONCE: Readonly<Record<StoreName, number>> = { json: 3, sqlite: 3, postgres: 6 };

export interface MatrixOptions extends Omit<CampaignOptions, 'size'> {
  /** Picks some of the points. */
  readonly choose?: (points: readonly Point[]) => readonly Point[];
  /** Lets every process that takes over live. */
  readonly once?: boolean;
}

/** One case for each point; some of the processes that take over are killed as well. */
export function matrix(store: StoreName, options: MatrixOptions): Promise<Report> {
  const { choose = (points) => points, once = false } = options;
  return onGround(`matrix ${store}`, store, { ...options, size: 0 }, async (stage) => {
    const undisturbed = await stage.act([]);
    const points = undisturbed ? choose(undisturbed.passed) : [];
    await inParallel(points.entries(), AT_ONCE[store], async ([i, point]) => {
      await stage.act([point, ...(once ? [] : furtherKills(random(options.seed, store, i)))]);
      if ((i + 1) % 50 === 0) stage.notes.progress(`${i + 1} of ${points.length} points`);
      return !stage.notes.over;
    });
  });
}

/** Every other time the process that takes over is killed early as well, and now and then the one after it. */
function furtherKills(rng: Random): Kill[] {
  if (rng.oneIn(2)) return [];
  return [`call ${1 + rng.below(10)} ${rng.pick(['before', 'after'])}`, ...furtherKills(rng)].slice(0, 3);
}

/** Kills at random instants, several for each task, until there were `size` of them. */
export function randomKills(store: StoreName, options: CampaignOptions): Promise<Report> {
  return onGround(`random ${store}`, store, options, async (stage) => {
    const { notes } = stage;
    const undisturbed = await stage.act([]);
    if (!undisturbed) return;
    const enough = (): boolean => notes.over || (notes.report.counts.kills ?? 0) >= options.size;
    await inParallel(countFrom(1), AT_ONCE[store], async (n) => {
      if (enough()) return false;
      const rng = random(options.seed, store, n);
      const kills = Array.from({ length: MOST_KILLS }, () => {
        const longest = undisturbed.took * rng.pick([0.2, 0.5, 1, 1.5]);
        return `${((rng.below(1000) / 1000) * longest).toFixed(1)} ms`;
      });
      await stage.act(kills, rng.below(100));
      if (n % 20 === 0) notes.progress(`${notes.report.counts.kills} kills, ${n} tasks`);
      return true;
    });
  });
}

/** After so many a task is left alone. */
const MOST_KILLS = 12;

/** One case, given by its kills: what a recipe names. */
export function again(store: StoreName, kills: readonly Kill[], options: Omit<CampaignOptions, 'size'>) {
  return onGround(`again ${store}`, store, { ...options, size: 1 }, async (stage) => {
    await stage.act(kills);
  });
}

interface Stage {
  readonly notes: Notes;
  /** A task whose first runs are killed like this; judged in the end. Undefined when it did not come to that. */
  act(kills: readonly Kill[], thinking?: number): Promise<Life | undefined>;
}

function onGround(
  name: string,
  store: StoreName,
  options: CampaignOptions,
  run: (stage: Stage) => Promise<void>,
): Promise<Report> {
  return withScratch(async (scratch) => {
    const notes = new Notes(name, options);
    const ground = openGround(store, options.src, SOURCES, scratch);
    let tasks = 0;
    try {
      await run({
        notes,
        act: (kills, thinking) =>
          oneCase(notes, ground, { task: `t-${++tasks}`, cache: join(scratch, 'cache'), kills, thinking }),
      });
    } finally {
      await ground.close();
    }
    return notes.report;
  }, true);
}

interface Case {
  readonly task: string;
  readonly cache: string;
  readonly kills: readonly Kill[];
  readonly thinking?: number | undefined;
}

async function oneCase(
  notes: Notes,
  ground: Ground,
  { task, cache, kills, thinking = 0 }: Case,
): Promise<Life | undefined> {
  const site = await ground.site();
  const recipe = `store=${site.place.store} task=${task} thinking=${thinking} kills="${kills.join('; ')}"`;
  const blame = (what: string): void =>
    notes.violation(what, recipe, (dir) => cpSync(site.dir, dir, { recursive: true }));
  try {
    const life = await live({ site, task, cache, thinking, plan: (run) => kills[run - 1] ?? null });
    notes.count('tasks finished');
    notes.count('kills', life.ends.filter((end) => end !== 'lost').length);
    notes.count('claims lost', life.ends.filter((end) => end === 'lost').length);
    if (kills.length > 0 && life.ends.length === 0) notes.count('tasks that ended before the kill');
    for (const problem of await site.withStorage((storage) => judge(storage, life, site.dir))) blame(problem);
    return life;
  } catch (error) {
    blame(broken(error).message);
    return undefined;
  } finally {
    await site.clear();
  }
}

/** So many of them, spread evenly; all when there are no more. */
export function spread<T>(items: readonly T[], count: number): T[] {
  const share = Math.min(1, count / items.length);
  return items.filter((_, i) => Math.floor((i + 1) * share) > Math.floor(i * share));
}

/** Works on the items, so many at once, until there are none or one says that it is enough. */
export async function inParallel<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<boolean>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let goOn = true;
  const worker = async (): Promise<void> => {
    for (let next = iterator.next(); goOn && !next.done; next = iterator.next()) {
      if (!(await work(next.value))) goOn = false;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

function* countFrom(first: number): Generator<number> {
  for (let n = first; ; n++) yield n;
}
