/** Nothing needed ever goes: random tasks, forks, rollbacks and clean-ups; whatever is kept still loads, whole. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CleanupConfig } from '../../src/config/types.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { loadHead } from '../../src/engine/task/records/head.ts';
import { unlessFull } from '../support/full.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';
import {
  checkpointsOf,
  contexts,
  resumeWorker,
  retryWorker,
  runWorker,
  statusOf,
  worker,
} from './cleanup-world.ts';
import { onEachStore } from './stores.ts';

const HOUR = 60 * 60 * 1000;

const pick = fc.nat(1000);
const action = fc.oneof(
  fc.record({
    do: fc.constant('run' as const),
    turns: fc.integer({ min: 1, max: 5 }),
    end: fc.constantFrom('complete', 'fail', 'pause'),
  }),
  fc.record({
    do: fc.constantFrom('rollback', 'redo', 'fork', 'resume', 'retry', 'cancel'),
    task: pick,
    checkpoint: pick,
  }),
  fc.record({ do: fc.constant('wait' as const), hours: fc.constantFrom(1, 25, 200, 800) }),
  fc.record({
    do: fc.constant('clean' as const),
    policy: fc.record(
      {
        newest_per_execution: fc.integer({ min: 1, max: 3 }),
        max_per_task: fc.integer({ min: 2, max: 6 }),
        older_than_days: fc.constantFrom(0, 2),
        remove_completed: fc.boolean(),
        quota_mb: fc.constantFrom(0.01, 0.2, 1),
        grace_hours: fc.constantFrom(0, 24),
        failed_days: fc.constantFrom(0, 30),
      },
      { requiredKeys: [] },
    ),
  }),
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

/** What was seen when it was made: a checkpoint's context never changes after that. */
class World {
  readonly engine: Engine;
  readonly clock: ManualClock;
  readonly #seen = new Map<string, string>();
  readonly #tasks: string[] = [];

  constructor(engine: Engine, clock: ManualClock) {
    this.engine = engine;
    this.clock = clock;
  }

  async act(action: Action): Promise<void> {
    switch (action.do) {
      case 'run':
        this.#tasks.push(await runWorker(this.engine, { turns: action.turns, end: action.end as 'fail' }));
        break;
      case 'wait':
        this.clock.advance(action.hours * HOUR);
        return;
      case 'clean':
        await this.clean(action.policy as Partial<CleanupConfig>);
        break;
      default:
        await this.change(action as { do: string; task: number; checkpoint: number });
    }
    await this.check();
  }

  /** What the state of the task does not allow is refused, and is no matter here. */
  async change({
    do: verb,
    task: t,
    checkpoint: c,
  }: {
    do: string;
    task: number;
    checkpoint: number;
  }): Promise<void> {
    const task = this.#tasks[t % Math.max(1, this.#tasks.length)];
    if (task === undefined) return;
    const made = await checkpointsOf(this.engine, task);
    const checkpoint = made[c % Math.max(1, made.length)];
    const allowed = async (run: () => Promise<unknown>): Promise<void> => {
      await run().catch((error: { code?: string }) => {
        if (!REFUSALS.has(error.code ?? '')) throw error;
      });
    };
    if (verb === 'resume') await allowed(() => resumeWorker(this.engine, task));
    if (verb === 'retry') await allowed(() => retryWorker(this.engine, task, `work ${1 + (c % 5)}`));
    if (verb === 'cancel') await allowed(() => this.engine.cancel(task));
    if (verb === 'redo') await allowed(() => this.engine.redo(task));
    if (checkpoint === undefined) return;
    if (verb === 'rollback') await allowed(() => this.engine.rollback(checkpoint));
    if (verb === 'fork') this.#tasks.push((await this.engine.fork(checkpoint)).id);
  }

  async clean(policy: Partial<CleanupConfig>): Promise<void> {
    const before = await this.#counts();
    const dry = await this.engine.clean({ policy, dry_run: true });
    const real = await this.engine.clean({ policy });
    // With a quota the answer depends on the size of the store, which readable copies change at any time.
    if (policy.quota_mb === undefined) expect({ ...real, dry_run: true }).toEqual(dry);
    expect(real.skipped).toEqual([]);
    for (const [task, { resumable, checkpoints, redoable }] of before) {
      const after = await checkpointsOf(this.engine, task);
      const gone = real.removed.filter((removal) => removal.task === task);
      expect(after.length).toBe(checkpoints - gone.length);
      if (resumable && policy.failed_days !== 0 && checkpoints > 0) expect(after.length).toBeGreaterThan(0);
      if (redoable && policy.grace_hours !== 0) {
        expect((await loadHead(this.engine.storage, task))?.undone.length).toBeGreaterThan(0);
      }
    }
  }

  async #counts() {
    const counts = new Map<string, { resumable: boolean; checkpoints: number; redoable: boolean }>();
    for (const task of this.#tasks) {
      const [state, head] = [await this.engine.state(task), await loadHead(this.engine.storage, task)];
      const young = (at: string) => this.clock.now().getTime() - Date.parse(at) < 24 * HOUR;
      const resumable =
        state?.status === 'paused' ||
        (state?.status === 'failed' && state.data.recoverable && young(state.data.failed_at));
      const checkpoints = (await checkpointsOf(this.engine, task)).length;
      counts.set(task, { resumable, checkpoints, redoable: head!.undone.some(({ at }) => young(at)) });
    }
    return counts;
  }

  /** Every checkpoint that is there loads, with the context it always had. */
  async check(): Promise<void> {
    for (const [id, context] of await contexts(this.engine)) {
      expect(context, id).toBe(this.#seen.get(id) ?? context);
      this.#seen.set(id, context);
    }
  }

  /** At the end: what can resume does, and ends with all its steps; nothing is damaged. */
  async finish(): Promise<void> {
    for (const task of this.#tasks) {
      if ((await statusOf(this.engine, task)) === 'paused') await resumeWorker(this.engine, task);
      const { steps } = await this.engine.history(task);
      const input = (await loadHead(this.engine.storage, task))?.input as { turns: number };
      if ((await statusOf(this.engine, task)) !== 'cancelled') expect(steps).toHaveLength(input.turns);
    }
    const problems: unknown[] = [];
    for await (const problem of this.engine.storage.verify()) problems.push(problem);
    expect(problems).toEqual([]);
  }
}

/** More of them when it is asked for: each takes about a second. */
const RUNS = process.env.VIBE_TEST_RUNS;
const USUAL_RUNS = 2;

const REFUSALS = new Set(['NOT_RESUMABLE', 'NOTHING_TO_REDO', 'ILLEGAL_TRANSITION', 'USAGE']);

onEachStore((fresh) => {
  test('whatever is kept still loads, whole', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 8, maxLength: 24 }), async (actions) => {
        const store = await fresh();
        const clock = manualClock(new Date());
        const options = { tasks: [worker], clock, automatic_cleanup: false, auto_save: false };
        const engine = await store.open(options);
        const world = new World(engine, clock);
        for (const one of actions) await world.act(one);
        await world.finish();
        await engine.close();
      }),
      { numRuns: RUNS ? Number(RUNS) : unlessFull(USUAL_RUNS, 25), endOnFailure: true },
    );
  });
});
