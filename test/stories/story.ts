/**
 * One random story: tasks edit pages, others edit them too, tasks are stopped anywhere and taken back, forward and up
 * again; after every event the files are held against the model. The same seed and number tell the same story.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckpointRecord } from '../../src/checkpoint/record.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { type Random, random } from '../crash/random.ts';
import { importFrom } from '../crash/stores.ts';
import { type Actor, doneIn, fromJournal } from './journals.ts';
import { killedChild } from './killed.ts';
import { changedFiles, type Found, judge, look, newModel, type There } from './model.ts';
import { createPerson, drawSpot, firstPages } from './people.ts';
import { type Hands, type Op, type Plan, storyTask } from './task.ts';

export interface StoryOptions {
  readonly src: string;
  readonly seed: number;
  readonly number: number;
  /** A directory for it alone; removed when nothing is wrong. */
  readonly dir: string;
  /** No more events than so many: a story that fails is told again with fewer. */
  readonly most?: number;
  /** Whether processes are really killed; otherwise runs are stopped where they are, which is cheap. */
  readonly real_kills: boolean;
}

export interface Told {
  readonly events: readonly string[];
  readonly problems: readonly string[];
}

const KINDS: readonly Op['kind'][] = ['edit', 'edit', 'write', 'step', 'agent', 'edit', 'write', 'shell'];

export async function tellStory(options: StoryOptions): Promise<Told> {
  const { src, seed, number, dir, real_kills, most = Number.POSITIVE_INFINITY } = options;
  const rng = random(seed, 'story', number);
  const { openEngine } = await importFrom<typeof import('../../src/engine/engine.ts')>(
    src,
    'engine/engine.ts',
  );
  const { defineTask } = await importFrom<typeof import('../../src/engine/definition.ts')>(
    src,
    'engine/definition.ts',
  );
  mkdirSync(dir, { recursive: true });
  firstPages(dir);
  const model = newModel();
  const reverted = new Map<string, string>();
  const person = createPerson(dir, rng, model, reverted);
  const events: string[] = [];
  const problems: string[] = [];
  const actors: Actor[] = [];
  /** The mark at which the next run is stopped, and how that is told. */
  let stop: { at: string; reached: () => void } | null = null;
  let busy: string | null = null;
  const hands: Hands = {
    between(mark) {
      if (mark === busy) events.push(`meanwhile ${person.act()}`);
    },
    async inside(mark) {
      if (mark !== stop?.at) return;
      stop.reached();
      await new Promise(() => {});
    },
  };
  const definition = storyTask(defineTask as never, hands);
  const open = (): Promise<Engine> =>
    openEngine({
      ...{ project_dir: dir, workspace: true, signals: false, automatic_cleanup: false, telemetry: false },
      tasks: [definition],
    });
  let engine = await open();

  const check = async (what: string): Promise<Found> => {
    events.push(what);
    for (const actor of actors) model.journals.set(actor.id, await fromJournal(engine, actor));
    const found = look(dir);
    problems.push(...judge(model, found).map((problem) => `after "${what}": ${problem}`));
    return found;
  };

  /** Runs to its end, until it waits, or until it is stopped at a mark. */
  const settle = async (id: string, outcome: Promise<{ status: string }>): Promise<string> => {
    const waiting = new Promise<{ status: string }>((resolve) => {
      const off = engine.on('task.status', ({ task, to }) => {
        if (task === id && to === 'waiting') resolve({ status: 'waiting' });
      });
      void outcome.finally(() => off());
    });
    const reached = stop
      ? new Promise<{ status: string }>((resolve) => {
          stop!.reached = () => resolve({ status: 'stopped' });
        })
      : new Promise<never>(() => {});
    const { status } = await Promise.race([outcome, waiting, reached]);
    if (status === 'waiting') {
      await engine.pause(id);
      await outcome;
    }
    if (status === 'stopped') {
      await engine.close();
      engine = await open();
    }
    const actor = actors.find((one) => one.id === id);
    if (actor) actor.cut = status === 'stopped';
    stop = busy = null;
    return status;
  };

  /** Where the next run of a task is disturbed. */
  const disturb = (id: string, ops: number): void => {
    if (rng.oneIn(3)) busy = `${id}.${rng.below(ops)}`;
    if (rng.oneIn(3)) stop = { at: `${id}.${rng.below(ops)}`, reached: () => {} };
  };

  const begin = async (): Promise<void> => {
    const id = `t${actors.length}`;
    const count = 2 + rng.below(4);
    const ops = Array.from({ length: count }, (): Op => ({ kind: rng.pick(KINDS), ...drawSpot(rng) }));
    const plan: Plan = { dir, ops, end: rng.pick(['complete', 'complete', 'fail', 'wait']) };
    disturb(id, count);
    const actor: Actor = { id, ops: count, cut: false, undone: [] };
    let status: string;
    if (real_kills && actors.length === 0) {
      await engine.close();
      status = await killedChild({ src, dir, id, plan, at: `${id}.${rng.below(count)}` });
      engine = await open();
      actor.cut = true;
      stop = busy = null;
      actors.push(actor);
    } else {
      actors.push(actor);
      const { outcome } = await engine.start(definition, plan, { task_id: id });
      status = await settle(id, outcome);
    }
    await check(
      `${id} (${ops.map(({ kind, path, slot }) => `${kind} ${path} ${slot}`).join(', ')}) ${status}`,
    );
  };

  /** Does a verb; one that refuses must have changed nothing. */
  const attempt = async (what: string, verb: () => Promise<string | undefined>): Promise<void> => {
    const before = look(dir);
    const did = new Map<string, number>();
    for (const actor of actors)
      for (const [mark, { seq }] of await doneIn(engine, actor)) if (seq > 0) did.set(mark, seq);
    try {
      const told = `${what}: ${(await verb()) ?? 'done'}`;
      // What was done in this run is known by the journal alone; of the first it may be the note alone that was made again.
      for (const actor of actors) {
        const again = [...(await doneIn(engine, actor))].filter(
          ([mark, { seq }]) => seq > 0 && did.get(mark) !== seq && model.known.get(mark) !== 'any',
        );
        for (const [at, [mark]] of again.entries()) {
          if (at > 0 || !model.known.has(mark)) model.known.delete(mark);
          else model.known.set(mark, 'may');
        }
      }
      await check(told);
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      stop = busy = null;
      const changed = changedFiles(before, look(dir));
      if (!code || ['CORRUPT', 'IO'].includes(code)) problems.push(`${what}: ${(error as Error).stack}`);
      if (changed.length > 0) problems.push(`${what} refused (${code}) and changed ${changed}`);
      await check(`${what}: refused, ${code}: ${message}`);
    }
  };

  const checkpointsOf = async (id: string): Promise<CheckpointRecord[]> =>
    (await engine.checkpoints.listCheckpoints(id)).filter((one) => one.task_id === id) as never;
  const marksOf = ({ id, ops }: Actor): string[] => Array.from({ length: ops }, (_, k) => `${id}.${k}`);
  const knownOf = (actor: Actor): Map<string, There> =>
    new Map(
      marksOf(actor).flatMap((mark) => (model.known.has(mark) ? [[mark, model.known.get(mark)!]] : [])),
    );
  const openIn = (actor: Actor, paths: readonly string[]): void => {
    const { marks } = look(dir);
    for (const mark of marksOf(actor))
      if (marks.get(mark)?.some((path) => paths.includes(path))) model.known.set(mark, 'any');
  };
  const left = (notes: { left: readonly { path: string }[] } | null): string[] =>
    notes?.left.map(({ path }) => path) ?? [];
  const MERGE = { on_modified: 'merge', on_deleted: 'skip' } as const;
  const how = () => (rng.oneIn(4) ? ({ on_modified: 'use_current', on_deleted: 'skip' } as const) : MERGE);
  /** What is no longer in the journal is no longer known of. */
  const forgetDead = async (actor: Actor): Promise<void> => {
    const journal = await fromJournal(engine, actor);
    for (const mark of marksOf(actor))
      if (journal.get(mark) !== 'once' && model.known.get(mark) !== 'any') model.known.delete(mark);
  };

  /** What was taken back before comes again with the files of a later point, or not. */
  const backBefore = (marks: readonly string[]): void => {
    for (const mark of marks) if (model.known.get(mark) === 'never') model.known.set(mark, 'may');
  };

  const verbs: Record<string, (actor: Actor, rng: Random) => Promise<void>> = {
    resume: async (actor) => {
      const { cut } = actor;
      const merging = !rng.oneIn(4);
      disturb(actor.id, actor.ops);
      const choices = merging ? MERGE : ({ on_modified: 'use_current', on_deleted: 'skip' } as const);
      await attempt(`resume ${actor.id} ${choices.on_modified}`, async () => {
        const { outcome } = await engine.resume(actor.id, { ...choices, on_environment: 'continue' });
        if (actor.fork) backBefore([...(await doneIn(engine, actor)).keys()]);
        if (merging && !cut)
          for (const mark of marksOf(actor)) if (reverted.delete(mark)) model.known.delete(mark);
        return settle(actor.id, outcome);
      });
    },
    undo: async (actor) => {
      const choices = how();
      const known = knownOf(actor);
      await attempt(`undo ${actor.id} ${choices.on_modified}`, async () => {
        const { notes } = await engine.undo(actor.id, choices);
        actor.undone.push(known);
        for (const mark of marksOf(actor))
          if (model.known.get(mark) !== 'any') model.known.set(mark, 'never');
        openIn(actor, left(notes));
        return undefined;
      });
    },
    redo: async (actor) => {
      await attempt(`redo ${actor.id}`, async () => {
        const { notes } = await engine.redo(actor.id, MERGE);
        const known = actor.undone.pop();
        for (const mark of marksOf(actor)) {
          const now = model.known.get(mark);
          const was = known?.get(mark);
          if (!known || now === 'any') model.known.set(mark, 'any');
          else if (was) model.known.set(mark, was);
          else if (now === 'may') model.known.set(mark, 'may');
          else model.known.delete(mark);
        }
        // What was left out is in no file that could be looked at.
        if (left(notes).length > 0) for (const mark of marksOf(actor)) model.known.set(mark, 'any');
        return undefined;
      });
    },
    rollback: async (actor) => {
      const all = await checkpointsOf(actor.id);
      if (all.length === 0) return;
      const { id, journal } = rng.pick(all);
      const only = rng.pick([undefined, undefined, 'files', 'state'] as const);
      const choices = { ...how(), ...(only ? { only } : {}) };
      const known = knownOf(actor);
      const did = await doneIn(engine, actor);
      await attempt(`rollback ${id} ${only ?? ''} ${choices.on_modified}`, async () => {
        const { notes } = await engine.rollback(id, choices);
        actor.undone.push(known);
        const own = [...did].filter(([mark]) => mark.startsWith(`${actor.id}.`));
        const after = own.filter(([, { seq }]) => seq > journal.seq).map(([mark]) => mark);
        backBefore(own.filter(([, { seq }]) => seq <= journal.seq).map(([mark]) => mark));
        if (only === 'state') for (const mark of marksOf(actor)) model.known.set(mark, 'any');
        else if (only === 'files') {
          for (const [at, mark] of after.entries())
            if (model.known.get(mark) !== 'any') model.known.set(mark, at === 0 ? 'may' : 'never');
          const next = `${actor.id}.${did.size}`;
          if (model.known.get(next) !== 'any') model.known.set(next, 'may');
        } else await forgetDead(actor);
        openIn(actor, left(notes));
        return undefined;
      });
    },
    'resume from': async (actor) => {
      const all = await checkpointsOf(actor.id);
      if (all.length === 0) return;
      const { id } = rng.pick(all);
      disturb(actor.id, actor.ops);
      await attempt(`resume from ${id}`, async () => {
        const { outcome } = await engine.resumeFrom(id, { ...MERGE, on_environment: 'continue' } as never);
        actor.undone.push(null);
        backBefore(marksOf(actor));
        return settle(actor.id, outcome);
      });
    },
    retry: async (actor) => {
      // A fork that is retried from a step of the task it comes from takes back what that one did: it is its own, too.
      const step = actor.fork || rng.oneIn(3) ? {} : { step: `did ${rng.below(actor.ops)}` };
      disturb(actor.id, actor.ops);
      await attempt(`retry ${actor.id} ${step.step ?? ''}`, async () => {
        const { outcome } = await engine.retry(actor.id, {
          ...MERGE,
          ...step,
          on_environment: 'continue',
        } as never);
        actor.undone.push(null);
        backBefore(marksOf(actor));
        return settle(actor.id, outcome);
      });
    },
    fork: async (actor) => {
      const all = await checkpointsOf(actor.id);
      if (all.length === 0) return;
      const { id } = rng.pick(all);
      await attempt(`fork ${id}`, async () => {
        const fork = await engine.fork(id);
        actors.push({ id: fork.id, ops: actor.ops, fork: true, cut: false, undone: [] });
        // What it comes from is its own, too: a merge brings back what was taken back there.
        backBefore([...(await doneIn(engine, { id: fork.id })).keys()]);
        const { outcome } = await engine.resume(fork.id, { ...MERGE, on_environment: 'continue' });
        return settle(fork.id, outcome);
      });
    },
  };
  const names = Object.keys(verbs);

  try {
    if (rng.oneIn(2)) await check(person.act());
    await begin();
    const length = Math.min(most, 3 + rng.below(6));
    for (let n = 0; n < length && problems.length === 0; n++) {
      const dice = rng.below(10);
      if (dice < 3) await check(person.act());
      else if (dice === 3 && actors.length < 3) await begin();
      else await verbs[rng.pick(names)]!(rng.pick(actors), rng);
    }
  } finally {
    await engine.close();
  }
  if (problems.length === 0) rmSync(dir, { recursive: true, force: true });
  return { events, problems };
}

export const storyDir = (base: string, number: number): string => join(base, `story-${number}`);
