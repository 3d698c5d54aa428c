/**
 * No file that is needed ever goes: random tasks that change files, forks, rollbacks, outside edits, commits and
 * clean-ups, and a repository in which nothing but our holds keeps an object. Every snapshot that a kept checkpoint, a
 * journal or a redo needs can be read whole, and what can be rolled back and redone is.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CleanupConfig } from '../../src/config/types.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { unlessFull } from '../support/full.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';
import { checkpointsOf } from './cleanup-world.ts';
import {
  change,
  commitAll,
  type Edits,
  edit,
  editOn,
  editor,
  expectAllThere,
  forgetHistory,
  newRepository,
} from './file-world.ts';
import { onEachStore } from './stores.ts';

const HOUR = 60 * 60 * 1000;
const pick = fc.nat(1000);
/** Few paths and contents, so that the same ones come back. */
const path = fc.constantFrom('a.txt', 'b.txt', 'src/c.txt', 'src/deep/d.txt', 'tracked.txt');
const content = fc.oneof(
  { arbitrary: fc.constantFrom('one', 'two', 'three').map((word) => word.repeat(10)), weight: 5 },
  { arbitrary: fc.constant(null), weight: 1 },
);
const changes = fc.array(fc.tuple(path, content), { minLength: 1, maxLength: 4 });

const action = fc.oneof(
  fc.record({
    do: fc.constant('run' as const),
    changes,
    end: fc.constantFrom('complete' as const, 'fail' as const, 'pause' as const),
  }),
  fc.record({ do: fc.constant('outside' as const), changes }),
  fc.record({ do: fc.constantFrom('commit' as const, 'forget' as const) }),
  fc.record({
    do: fc.constantFrom(
      'fork' as const,
      'rollback' as const,
      'redo' as const,
      'resume' as const,
      'cancel' as const,
    ),
    task: pick,
    checkpoint: pick,
  }),
  fc.record({ do: fc.constant('wait' as const), hours: fc.constantFrom(1, 30, 400) }),
  fc.record({
    do: fc.constant('clean' as const),
    policy: fc.record(
      {
        newest_per_execution: fc.integer({ min: 1, max: 3 }),
        remove_completed: fc.boolean(),
        grace_hours: fc.constantFrom(0, 24),
        failed_days: fc.constantFrom(0, 30),
      },
      { requiredKeys: [] },
    ),
  }),
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;
type Move = Extract<Action, { task: number }>;

const REFUSALS = new Set(['NOT_RESUMABLE', 'NOTHING_TO_REDO', 'ILLEGAL_TRANSITION', 'USAGE']);
const anyhow = { on_modified: 'use_checkpoint', on_deleted: 'restore' } as const;

class World {
  readonly #engine: Engine;
  readonly #clock: ManualClock;
  readonly #dir: string;
  readonly #seen = new Map<string, string>();
  readonly #tasks: { id: string; end: Edits['end'] }[] = [];
  freed = 0;

  constructor(engine: Engine, clock: ManualClock, dir: string) {
    this.#engine = engine;
    this.#clock = clock;
    this.#dir = dir;
  }

  async act(action: Action): Promise<void> {
    const [engine, dir] = [this.#engine, this.#dir];
    if (action.do === 'run') {
      const id = await edit(engine, { dir, changes: action.changes, end: action.end });
      this.#tasks.push({ id, end: action.end });
    } else if (action.do === 'outside') {
      for (const [path, content] of action.changes) change(dir, path, content);
    } else if (action.do === 'commit') commitAll(dir);
    else if (action.do === 'forget') forgetHistory(dir);
    else if (action.do === 'wait') this.#clock.advance(action.hours * HOUR);
    else if (action.do === 'clean') await this.clean(action.policy as Partial<CleanupConfig>);
    else await this.move(action as Move);
  }

  /** What the state of the task does not allow is refused, and is no matter here. */
  async move({ do: verb, task: t, checkpoint: c }: Move): Promise<void> {
    const engine = this.#engine;
    const task = this.#tasks[t % Math.max(1, this.#tasks.length)];
    if (!task) return;
    const made = await checkpointsOf(engine, task.id);
    const checkpoint = made[c % Math.max(1, made.length)];
    const run = async (): Promise<unknown> => {
      if (verb === 'resume') return editOn(engine, task.id, task.end);
      if (verb === 'cancel') return engine.cancel(task.id);
      if (verb === 'redo') return engine.redo(task.id);
      if (checkpoint === undefined) return;
      if (verb === 'rollback') return engine.rollback(checkpoint, anyhow);
      this.#tasks.push({ id: (await engine.fork(checkpoint)).id, end: task.end });
    };
    await run().catch((error: { code?: string }) => {
      if (!REFUSALS.has(error.code ?? '')) throw error;
    });
  }

  async clean(policy: Partial<CleanupConfig>): Promise<void> {
    await this.look();
    const dry = await this.#engine.clean({ policy, dry_run: true });
    const real = await this.#engine.clean({ policy });
    expect({ ...real, dry_run: true }).toEqual(dry);
    expect(real.skipped).toEqual([]);
    this.freed += real.freed.snapshots;
    forgetHistory(this.#dir);
    await this.look();
  }

  async look(): Promise<void> {
    await expectAllThere(this.#engine, this.#dir, this.#seen);
  }
}

/** More of them when it is asked for: each takes some seconds. */
const RUNS = process.env.VIBE_TEST_RUNS;
const USUAL_RUNS = 2;

onEachStore((fresh) => {
  test('every file that is needed can be read', async () => {
    let freed = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 8, maxLength: 20 }), async (actions) => {
        const store = await fresh();
        newRepository(store.dir, { 'tracked.txt': 'tracked', 'a.txt': 'one'.repeat(10), 'src/c.txt': 'c' });
        const clock = manualClock(new Date());
        const config = {
          ...store.config,
          recovery: { on_modified: 'use_current', on_deleted: 'skip' },
        } as const;
        const options = { tasks: [editor], clock, config, automatic_cleanup: false, auto_save: false };
        const engine = await store.open({ ...options, workspace: true });
        const world = new World(engine, clock, store.dir);
        for (const one of actions) await world.act(one);
        // Whatever came before: contents that no other task has, so that there is something to free.
        const last = ['first', 'second', 'third'].map((word): ['a.txt', string] => ['a.txt', word]);
        await world.act({ do: 'run', changes: last, end: 'complete' });
        await world.act({ do: 'run', changes: [['a.txt', 'last']], end: 'complete' });
        await world.clean({ remove_completed: true });
        clock.advance(48 * HOUR);
        await world.clean({ grace_hours: 0, newest_per_execution: 1 });
        freed += world.freed;
        await engine.close();
      }),
      { numRuns: RUNS ? Number(RUNS) : unlessFull(USUAL_RUNS, 25), endOnFailure: true },
    );
    expect(freed).toBeGreaterThan(0);
  });
});
