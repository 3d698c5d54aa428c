/** The verbs of a story, each with what it does to the model: of a mark nobody can be sure of, no more is said than is known. */
import type { CheckpointRecord } from '../../src/checkpoint/record/record.ts';
import { foretold } from './foretold.ts';
import { type Actor, doneIn, fromJournal, historyOf } from './journals.ts';
import { look, type There } from './model.ts';
import type { Stage } from './stage.ts';

const MERGE = { on_modified: 'merge', on_deleted: 'skip' } as const;
const USE_CURRENT = { on_modified: 'use_current', on_deleted: 'skip' } as const;
const ANYWHERE = { on_environment: 'continue' } as const;

export type Verb = (actor: Actor) => Promise<void>;

export function createVerbs(stage: Stage, dir: string): Record<string, Verb> {
  const { rng, model, person, actors, attempt, settle, disturb } = stage;
  const { known } = model;
  const checkpointsOf = async (id: string): Promise<CheckpointRecord[]> =>
    (await stage.engine().checkpoints.listCheckpoints(id)).filter((one) => one.task_id === id) as never;
  const marksOf = ({ id, ops }: Actor): string[] => Array.from({ length: ops }, (_, k) => `${id}.${k}`);
  const knownOf = (actor: Actor): Map<string, There> =>
    new Map(marksOf(actor).flatMap((mark) => (known.has(mark) ? [[mark, known.get(mark)!]] : [])));
  const set = (mark: string, there: There): void => {
    if (known.get(mark) !== 'any') known.set(mark, there);
  };
  /** What a fork brought back is the fork's. */
  const takenBack = (mark: string): There => (model.forks.has(mark) ? 'may' : 'never');
  const openIn = (actor: Actor, notes: { left: readonly { path: string }[] } | null): void => {
    const { marks } = look(dir);
    for (const mark of marksOf(actor))
      if (marks.get(mark)?.some((path) => notes?.left.some((one) => one.path === path)))
        known.set(mark, 'any');
  };
  const how = () => (rng.oneIn(4) ? USE_CURRENT : MERGE);
  /** What is no longer in the journal is no longer known of, but for what a fork brought back. */
  const forgetDead = async (actor: Actor): Promise<void> => {
    const journal = await fromJournal(stage.engine(), actor);
    for (const mark of marksOf(actor))
      if (journal.get(mark) !== 'once' && known.get(mark) !== 'any') {
        // The next one may be done already, and only its note is cut: what somebody did to it since still holds.
        const isNext = journal.get(mark) === 'may' && known.has(mark);
        if (model.forks.has(mark) || isNext) known.set(mark, 'may');
        else known.delete(mark);
      }
  };
  /** What was taken back before comes again with the files of a later point, or not. */
  const backBefore = (marks: readonly string[]): void => {
    for (const mark of marks) if (known.get(mark) === 'never') known.set(mark, 'may');
  };
  /** What a fork comes from is its own, too: a merge brings back what was taken back there. */
  const backForFork = (history: readonly string[]): void => {
    for (const mark of history) {
      const there = known.get(mark) ?? model.journals.get(mark.split('.')[0]!)?.get(mark);
      if (there !== 'never' && there !== 'may') continue;
      known.set(mark, 'may');
      model.forks.add(mark);
    }
  };
  /** Whatever a person took out is from now on as the task itself left it. */
  const accepted = (actor: Actor): void => {
    for (const mark of marksOf(actor)) person.reverted.delete(mark);
  };

  return {
    resume: async (actor) => {
      const { cut } = actor;
      const choices = rng.oneIn(4) ? USE_CURRENT : MERGE;
      disturb(actor.id, actor.ops);
      await attempt(`resume ${actor.id} ${choices.on_modified}`, async () => {
        const { outcome } = await stage.engine().resume(actor.id, { ...choices, ...ANYWHERE });
        if (actor.fork) backForFork(await historyOf(stage.engine(), actor));
        if (choices === MERGE && !cut)
          for (const mark of marksOf(actor)) if (person.reverted.has(mark)) known.delete(mark);
        accepted(actor);
        return settle(actor.id, outcome);
      });
    },
    undo: async (actor) => {
      const choices = how();
      const before = knownOf(actor);
      await attempt(`undo ${actor.id} ${choices.on_modified}`, async () => {
        const { plan, expect } = await stage.engine().previewUndo(actor.id, { ...choices, details: true });
        const told = foretold(dir, plan);
        const { notes } = await stage.engine().undo(actor.id, { ...choices, expect });
        stage.problems.push(...told.judge());
        accepted(actor);
        actor.undone.push(before);
        for (const mark of marksOf(actor)) set(mark, takenBack(mark));
        openIn(actor, notes);
        return undefined;
      });
    },
    redo: async (actor) => {
      await attempt(`redo ${actor.id}`, async () => {
        const { plan, expect } = await stage.engine().previewRedo(actor.id, { ...MERGE, details: true });
        const told = foretold(dir, plan);
        const { notes } = await stage.engine().redo(actor.id, { ...MERGE, expect });
        stage.problems.push(...told.judge());
        accepted(actor);
        const before = actor.undone.pop();
        for (const mark of marksOf(actor)) {
          const now = known.get(mark);
          const was = before?.get(mark);
          if (!before || now === 'any') known.set(mark, 'any');
          else if (was) known.set(mark, was === 'never' ? takenBack(mark) : was);
          else if (now === 'may') known.set(mark, 'may');
          else known.delete(mark);
        }
        // What was left out is in no file that could be looked at.
        if (notes && notes.left.length > 0) for (const mark of marksOf(actor)) known.set(mark, 'any');
        return undefined;
      });
    },
    rollback: async (actor) => {
      const all = await checkpointsOf(actor.id);
      if (all.length === 0) return;
      const { id, journal } = rng.pick(all);
      const only = rng.pick([undefined, undefined, 'files', 'state'] as const);
      const choices = { ...how(), ...(only ? { only } : {}) };
      const before = knownOf(actor);
      const did = await doneIn(stage.engine(), actor);
      await attempt(`rollback ${id} ${only ?? ''} ${choices.on_modified}`, async () => {
        const { plan, expect } = await stage.engine().previewRollback(id, { ...choices, details: true });
        const told = foretold(dir, plan);
        const { notes } = await stage.engine().rollback(id, { ...choices, expect });
        stage.problems.push(...told.judge());
        accepted(actor);
        actor.undone.push(before);
        const own = [...did].filter(([mark]) => mark.startsWith(`${actor.id}.`));
        const after = own.filter(([, { seq }]) => seq > journal.seq).map(([mark]) => mark);
        backBefore(own.filter(([, { seq }]) => seq <= journal.seq).map(([mark]) => mark));
        if (only === 'state') for (const mark of marksOf(actor)) known.set(mark, 'any');
        else if (only === 'files') {
          for (const [at, mark] of after.entries()) set(mark, at === 0 ? 'may' : takenBack(mark));
          set(`${actor.id}.${did.size}`, 'may');
        } else await forgetDead(actor);
        openIn(actor, notes);
        return undefined;
      });
    },
    'resume from': async (actor) => {
      const all = await checkpointsOf(actor.id);
      if (all.length === 0) return;
      const { id } = rng.pick(all);
      disturb(actor.id, actor.ops);
      const history = actor.fork ? await historyOf(stage.engine(), actor) : [];
      await attempt(`resume from ${id}`, async () => {
        const { outcome } = await stage.engine().resumeFrom(id, { ...MERGE, ...ANYWHERE } as never);
        accepted(actor);
        actor.undone.push(null);
        backBefore(marksOf(actor));
        backForFork(history);
        return settle(actor.id, outcome);
      });
    },
    retry: async (actor) => {
      const k = rng.below(actor.ops);
      const step = rng.oneIn(3) ? {} : { step: `did ${k}` };
      disturb(actor.id, actor.ops);
      const history = await historyOf(stage.engine(), actor);
      const did = await doneIn(stage.engine(), actor);
      await attempt(`retry ${actor.id} ${step.step ?? ''}`, async () => {
        const { outcome } = await stage.engine().retry(actor.id, { ...MERGE, ...step, ...ANYWHERE } as never);
        accepted(actor);
        actor.undone.push(null);
        backBefore(marksOf(actor));
        if (actor.fork) backForFork(history);
        // A fork that tries again what the task did that it comes from takes that back first: it would be done twice.
        if (step.step)
          for (const mark of history)
            if (!mark.startsWith(`${actor.id}.`) && Number(mark.split('.')[1]) > k)
              set(mark, did.has(mark) ? 'never' : 'may');
        return settle(actor.id, outcome);
      });
      // The other task has it in its journal, and may bring it back.
      if (actor.fork) backBefore(history);
    },
    fork: async (actor) => {
      const all = await checkpointsOf(actor.id);
      if (all.length === 0) return;
      const { id } = rng.pick(all);
      await attempt(`fork ${id}`, async () => {
        const fork = await stage.engine().fork(id);
        actors.push({ id: fork.id, ops: actor.ops, fork: true, cut: false, undone: [] });
        backForFork(await historyOf(stage.engine(), fork));
        const { outcome } = await stage.engine().resume(fork.id, { ...MERGE, ...ANYWHERE });
        return settle(fork.id, outcome);
      });
    },
  };
}
