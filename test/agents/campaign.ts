/** Two agents, each a process, edit the same files and are killed again and again; other editors join in. */
import { cpSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConfigInput } from '../../src/config/types.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { random } from '../crash/random.ts';
import { type CampaignOptions, Notes, type Report } from '../crash/report.ts';
import { withScratch } from '../crash/scratch.ts';
import type { StoreName } from '../crash/stores.ts';
import { freshDatabase } from '../support/postgres.ts';
import { regrets, taskOfMark } from './agent.ts';
import { judge } from './judge.ts';
import { EMPTY, PAGES, textOf } from './pages.ts';
import { type Edit, lookingEditor, plainEdit } from './people.ts';
import { type AgentProcess, startAgent } from './processes.ts';
import { watchPages } from './watcher.ts';

const AGENTS = ['a', 'b'];
/** So long after they were told to stop means that one hangs. */
const PATIENCE_MS = 60_000;

/** `size`: for so many milliseconds. */
export function twoAgents(store: StoreName, options: CampaignOptions): Promise<Report> {
  const notes = new Notes(`agents ${store}`, options);
  return withScratch(async (scratch) => {
    const database = store === 'postgres' ? await freshDatabase() : undefined;
    const server = database ? { url: database.url, lease_seconds: 1.5 } : {};
    const config: ConfigInput = {
      persistence: { storage_type: store, ...server },
      conflicts: { reservation_minutes: 0.01 }, // What a dead process has reserved is taken over soon.
      recovery: { on_modified: 'use_current', on_deleted: 'skip' },
    };
    try {
      await onProject(realpathSync(scratch), config, notes, options);
    } finally {
      await database?.drop();
    }
    return notes.report;
  }, true);
}

async function onProject(
  scratch: string,
  config: ConfigInput,
  notes: Notes,
  { src, seed, size }: CampaignOptions,
): Promise<void> {
  const project_dir = join(scratch, 'project');
  makeProject(project_dir);
  const stop = join(scratch, 'stop');
  const start = (agent: string, first: number): AgentProcess =>
    startAgent({ src, project_dir, config, agent, seed, first, stop }, join(scratch, 'cache'));
  const blame = (what: string): void =>
    notes.violation(what, 'another course each time', (dir) => cpSync(project_dir, dir, { recursive: true }));
  const mayGo = (mark: string): boolean => regrets(seed, taskOfMark(mark));
  const watcher = watchPages(project_dir, mayGo, blame);

  const rng = random(seed, 'kills');
  const over = new AbortController();
  const watching = watcher.watch(random(seed, 'watcher'), over.signal);
  const editing = lookingEditor(project_dir, random(seed, 'editor'), over.signal, blame);
  const edits: Edit[] = [];
  const living = new Map(AGENTS.map((agent) => [agent, start(agent, 1)]));
  const ends = async (agents: readonly string[]): Promise<void> => {
    for (const agent of agents) {
      const complaint = await living.get(agent)!.ended;
      if (complaint !== null) blame(complaint);
    }
  };
  const kill = async (agents: readonly string[]): Promise<void> => {
    for (const agent of agents) living.get(agent)!.kill();
    await ends(agents);
  };

  const until = performance.now() + size;
  while (performance.now() < until && !notes.over) {
    const doomed = rng.pick([['a'], ['b'], AGENTS]);
    // Most are to get something done first, however long starting takes on a busy machine.
    if (!rng.oneIn(6)) await Promise.all(doomed.map((agent) => living.get(agent)!.ready));
    await sleep(rng.below(1500));
    await kill(doomed);
    notes.count('kills', doomed.length);
    watcher.lookAtAll();
    if (doomed === AGENTS)
      for (let count = rng.below(4); count > 0; count--)
        edits.push(plainEdit(project_dir, rng, edits.length, blame));
    for (const agent of doomed) living.set(agent, start(agent, living.get(agent)!.done + 1));
  }
  if (notes.over) await kill(AGENTS);
  else {
    writeFileSync(stop, '');
    const patience = setTimeout(() => {
      blame('an agent did not stop');
      void kill(AGENTS);
    }, PATIENCE_MS);
    await ends(AGENTS);
    clearTimeout(patience);
  }
  over.abort();
  edits.push(...(await editing));
  await watching;
  watcher.lookAtAll();
  if (notes.over) return;

  const engine = await openEngine({ project_dir, config, signals: false, automatic_cleanup: false });
  const tasks = Object.fromEntries([...living].map(([agent, { done }]) => [agent, done]));
  const { problems, outcomes } = await judge(project_dir, engine, seed, { tasks, edits });
  await engine.close();
  problems.forEach(blame);
  for (const done of Object.values(tasks)) notes.count('tasks', done);
  for (const [outcome, count] of outcomes) notes.count(outcome, count);
  for (const { saved } of edits) notes.count(saved ? 'edits of others' : 'edits of others refused');
  notes.count('looks at a file', watcher.looks);
  notes.count('looks at a file without a name', watcher.missed);
}

function makeProject(dir: string): void {
  mkdirSync(join(dir, 'own'), { recursive: true });
  mkdirSync(join(dir, '.vibe-engine'));
  for (const path of PAGES) writeFileSync(join(dir, path), textOf(path, EMPTY));
}
