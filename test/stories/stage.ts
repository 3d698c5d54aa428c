/** Where a story takes place: its directory, its engine, its actors, and the model it is compared with. */
import { mkdirSync } from 'node:fs';
import type { Engine } from '../../src/engine/engine.ts';
import { type Random, random } from '../crash/random.ts';
import { importFrom } from '../crash/stores.ts';
import { type Actor, doneIn, fromJournal } from './journals.ts';
import { changedFiles, type Found, judge, look, type Model, newModel } from './model.ts';
import { createPerson, firstPages, type Person } from './people.ts';
import { type Hands, type Plan, storyTask } from './task.ts';

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

export interface Stage {
  readonly rng: Random;
  readonly model: Model;
  readonly person: Person;
  readonly actors: Actor[];
  readonly events: string[];
  readonly problems: string[];
  engine(): Engine;
  /** Says what happened, and holds the files against the model. */
  check(what: string): Promise<void>;
  /** Does a verb; one that refuses must have changed nothing. */
  attempt(what: string, verb: () => Promise<string | undefined>): Promise<void>;
  /** Where the next run of a task is disturbed. */
  disturb(id: string, ops: number): void;
  start(actor: Actor, plan: Plan): Promise<string>;
  /** Runs to its end, until it waits, or until it is stopped at a mark. */
  settle(id: string, outcome: Promise<{ status: string }>): Promise<string>;
  /** Without the engine, which is opened again. */
  beside<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export async function setStage({ src, seed, number, dir }: StoryOptions): Promise<Stage> {
  const rng = random(seed, 'story', number);
  const { openEngine } = await importFrom<typeof import('../../src/engine/engine.ts')>(
    src,
    'engine/engine.ts',
  );
  const { defineTask } = await importFrom<typeof import('../../src/engine/api/definition.ts')>(
    src,
    'engine/api/definition.ts',
  );
  mkdirSync(dir, { recursive: true });
  firstPages(dir);
  const model = newModel();
  const person = createPerson(dir, rng, model);
  const events: string[] = [];
  const problems: string[] = [];
  const actors: Actor[] = [];
  /** The mark at which the next run is stopped, and how that is told. */
  let stop: { at: string; reached: () => void } | null = null;
  let busy: string | null = null;
  /** Before which operation somebody did something in this run: what a person did to earlier ones stays known. */
  let met: string | null = null;
  const hands: Hands = {
    between(mark) {
      if (mark !== busy) return;
      met = mark;
      events.push(`meanwhile ${person.act('meanwhile')}`);
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
  const undisturbed = (): void => {
    stop = busy = null;
  };

  const check = async (what: string): Promise<void> => {
    events.push(what);
    for (const actor of actors) model.journals.set(actor.id, await fromJournal(engine, actor));
    problems.push(...judge(model, look(dir)).map((problem) => `after "${what}": ${problem}`));
  };

  const beside = async <T>(work: () => Promise<T>): Promise<T> => {
    await engine.close();
    const result = await work();
    engine = await open();
    undisturbed();
    return result;
  };

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
    if (status === 'stopped') await beside(async () => {});
    const actor = actors.find((one) => one.id === id);
    if (actor) actor.cut = status === 'stopped';
    undisturbed();
    return status;
  };

  /** What was done in this run, and not only brought back, is known by the journal alone; of the first it may be the note alone that was made again. */
  const knowAgain = async (ends: ReadonlyMap<string, number>, before: Found): Promise<void> => {
    for (const actor of actors) {
      const end = ends.get(actor.id) ?? 0;
      const done = await doneIn(engine, actor);
      const again = [...done].filter(([mark, { seq }]) => seq > end && model.known.get(mark) !== 'any');
      // A fork has it as its own and keeps it: where the task it comes from does it again, there are two.
      const isTwice = (mark: string): boolean => model.forks.has(mark) && before.marks.has(mark);
      for (const [at, [mark]] of again.entries()) {
        if (isTwice(mark)) model.known.set(mark, 'any');
        else if (isBefore(mark, met) && model.known.get(mark) === 'may') continue;
        else if (at > 0 || !model.known.has(mark)) model.known.delete(mark);
        else model.known.set(mark, 'may');
      }
      // Stopped in the middle of the next one, it may have done that again, too.
      const next = `${actor.id}.${done.size}`;
      const ran = (await engine.storage.position(actor.id)).seq > end;
      if (actor.cut && ran && isTwice(next)) model.known.set(next, 'any');
    }
  };

  return {
    ...{ rng, model, person, actors, events, problems, check, settle, beside },
    engine: () => engine,
    disturb(id, ops) {
      if (rng.oneIn(3)) busy = `${id}.${rng.below(ops)}`;
      if (rng.oneIn(3)) stop = { at: `${id}.${rng.below(ops)}`, reached: () => {} };
    },
    async start({ id }, plan) {
      const { outcome } = await engine.start(definition, plan, { task_id: id });
      return settle(id, outcome);
    },
    async attempt(what, verb) {
      const before = look(dir);
      met = null;
      const ends = new Map<string, number>();
      for (const { id } of actors) ends.set(id, (await engine.storage.position(id)).seq);
      try {
        const told = `${what}: ${(await verb()) ?? 'done'}`;
        await knowAgain(ends, before);
        await check(told);
      } catch (error) {
        const { code, message } = error as { code?: string; message: string };
        undisturbed();
        const changed = changedFiles(before, look(dir));
        if (!code || ['CORRUPT', 'IO'].includes(code)) problems.push(`${what}: ${(error as Error).stack}`);
        if (changed.length > 0) problems.push(`${what} refused (${code}) and changed ${changed}`);
        await check(`${what}: refused, ${code}: ${message}`);
      }
    },
    close: () => engine.close(),
  };
}

/** Whether an operation of a task comes before another one of it. */
function isBefore(mark: string, other: string | null): boolean {
  const [task, k] = mark.split('.');
  const [other_task, other_k] = other?.split('.') ?? [];
  return task === other_task && Number(k) < Number(other_k);
}
