import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CleanupCheckpoint,
  type CleanupTask,
  planCleanup,
} from '../../src/checkpoint/cleanup/retention.ts';
import { strictSchema } from '../../src/config/schema.ts';
import type { CleanupConfig } from '../../src/config/types.ts';
import type { TaskStatus } from '../../src/task/status.ts';

const defaults = strictSchema.parse({}).cleanup;
const NOW = new Date('2026-11-20T12:00:00.000Z');
const DAY = 24 * 60 * 60 * 1000;
const MB = 1024 * 1024;
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY).toISOString();

type Draft = Partial<Omit<CleanupTask, 'checkpoints'>> & {
  ages?: number[];
  one?: Partial<CleanupCheckpoint>;
};

/** A task with one checkpoint per age (in days), numbered from 1. */
function task({ ages = [3, 2, 1], one = {}, ...rest }: Draft = {}): CleanupTask {
  const name = rest.task ?? 'a';
  return {
    task: name,
    status: 'in_progress',
    finished_at: null,
    resumable: false,
    ...rest,
    checkpoints: ages.map((age, index) => ({
      id: `ckpt-${name}-${index + 1}`,
      sequence: index + 1,
      created_at: daysAgo(age),
      bytes: 100,
      ...one,
    })),
  };
}
const plan = (tasks: CleanupTask[], settings: Partial<CleanupConfig> = {}, store_bytes = 0) =>
  planCleanup(tasks, { ...defaults, ...settings }, { now: NOW, store_bytes });
const gone = (...given: Parameters<typeof plan>) => plan(...given).removed.map(({ id }) => id);

describe('retention by status', () => {
  it('keeps those of completed tasks 7 days', () => {
    const finished = (days: number) =>
      task({ status: 'completed', finished_at: daysAgo(days), ages: [days + 1, days] });
    expect(gone([finished(6.9)])).toEqual([]);
    expect(plan([finished(7)])).toMatchObject({
      removed: [
        { id: 'ckpt-a-1', policy: 'completed_days', why: 'its task ended 7 days ago or earlier' },
        { id: 'ckpt-a-2', policy: 'completed_days' },
      ],
      emptied: ['a'],
      bytes: 200,
    });
    expect(gone([finished(3)], { completed_days: 2 })).toHaveLength(2);
  });

  it('keeps those of cancelled tasks as long', () => {
    expect(gone([task({ status: 'cancelled', finished_at: daysAgo(6) })])).toEqual([]);
    expect(gone([task({ status: 'cancelled', finished_at: daysAgo(8) })])).toHaveLength(3);
  });

  it('keeps those of failed tasks 30 days, resumable or not', () => {
    for (const resumable of [true, false]) {
      expect(gone([task({ status: 'failed', finished_at: daysAgo(29), resumable })])).toEqual([]);
      expect(plan([task({ status: 'failed', finished_at: daysAgo(30), resumable })]).emptied).toEqual(['a']);
    }
    expect(gone([task({ status: 'failed', finished_at: daysAgo(3) })], { failed_days: 2 })).toHaveLength(3);
  });

  it.each(['queued', 'in_progress', 'paused', 'waiting'] as const)(
    'keeps those of %s tasks for ever',
    (status) => {
      expect(gone([task({ status, ages: [4_000, 3_000, 2_000] })])).toEqual([]);
    },
  );
});

describe('policies', () => {
  it('older_than_days: of any task, but not the last one of a task that can go on', () => {
    const old = [20, 15, 13, 12];
    expect(gone([task({ ages: old })], { older_than_days: 14 })).toEqual(['ckpt-a-1', 'ckpt-a-2']);
    const result = plan([task({ ages: [20, 16] })], { older_than_days: 14 });
    expect(result.removed).toMatchObject([{ id: 'ckpt-a-1', why: 'it is older than 14 days' }]);
    expect(result.spared).toMatchObject([
      { id: 'ckpt-a-2', policy: 'older_than_days', because: 'last_valid' },
    ]);
    expect(
      plan([task({ status: 'completed', finished_at: daysAgo(1), ages: [20] })], { older_than_days: 14 })
        .emptied,
    ).toEqual(['a']);
  });

  it('newest_per_execution: all but the newest N', () => {
    expect(gone([task({ ages: [5, 4, 3, 2, 1] })], { newest_per_execution: 2 })).toEqual([
      'ckpt-a-1',
      'ckpt-a-2',
      'ckpt-a-3',
    ]);
    expect(gone([task()], { newest_per_execution: 3 })).toEqual([]);
  });

  it('remove_completed: all of a task that completed, none of another', () => {
    const completed = task({ status: 'completed', finished_at: daysAgo(0) });
    expect(gone([completed])).toEqual([]);
    expect(gone([completed, task({ task: 'b' })], { remove_completed: true })).toEqual([
      'ckpt-a-1',
      'ckpt-a-2',
      'ckpt-a-3',
    ]);
  });

  it('max_per_task: a limit that was lowered holds after clean-up', () => {
    const ages = Array.from({ length: 20 }, (_, index) => 20 - index);
    expect(gone([task({ ages })])).toEqual([]);
    const left = 20 - gone([task({ ages })], { max_per_task: 10 }).length;
    expect(left).toBe(5);
  });

  it('skips a damaged one in looking for the last valid one', () => {
    const ages = [20, 19, 18];
    const damaged = task({ ages });
    const checkpoints = damaged.checkpoints.map((one) => ({ ...one, valid: one.sequence < 3 }));
    expect(gone([{ ...damaged, checkpoints }], { older_than_days: 1 })).toEqual(['ckpt-a-1', 'ckpt-a-3']);
    const all = damaged.checkpoints.map((one) => ({ ...one, valid: false }));
    expect(gone([{ ...damaged, checkpoints: all }], { older_than_days: 1 })).toEqual([
      'ckpt-a-1',
      'ckpt-a-2',
    ]);
  });

  it('spares what is pinned, and what a kept one needs through others, in whatever task', () => {
    const parent = task({ task: 'p', status: 'completed', finished_at: daysAgo(9), ages: [12, 11, 10] });
    const [first, second, third] = parent.checkpoints as [
      CleanupCheckpoint,
      CleanupCheckpoint,
      CleanupCheckpoint,
    ];
    const child = task({ task: 'c', ages: [1], one: { needs: [second.id] } });
    const tasks = [
      { ...parent, checkpoints: [first, { ...second, needs: [first.id] }, { ...third, pinned: true }] },
      child,
    ];
    expect(plan(tasks)).toMatchObject({ removed: [], emptied: [] });
    expect(new Map(plan(tasks).spared.map(({ id, because }) => [id, because]))).toEqual(
      new Map([
        [first.id, 'needed'],
        [second.id, 'needed'],
        [third.id, 'pinned'],
      ]),
    );
  });
});

describe('the quota', () => {
  const ended = task({ task: 'ended', status: 'completed', finished_at: daysAgo(2), bytes: 3 * MB });
  const older = task({ task: 'older', status: 'cancelled', finished_at: daysAgo(3), bytes: 3 * MB });
  const running = task({ task: 'running', bytes: 3 * MB });

  it('takes nothing while the store fits', () => {
    expect(gone([ended, older, running], { quota_mb: 10 }, 10 * MB)).toEqual([]);
    expect(gone([ended, older, running], {}, 10_000 * MB)).toEqual([]);
  });

  it('takes of ended tasks first, those that ended longest ago before others, and no more than it must', () => {
    const result = plan([running, ended, older], { quota_mb: 7 }, 9 * MB);
    expect(result.emptied).toEqual(['older']);
    expect(result.removed[0]).toMatchObject({ policy: 'quota_mb', why: 'the store is larger than 7 MB' });
    expect(plan([running, ended, older], { quota_mb: 4 }, 9 * MB).emptied).toEqual(['ended', 'older']);
  });

  it('counts what other policies free', () => {
    const expired = task({ task: 'x', status: 'completed', finished_at: daysAgo(8), bytes: 5 * MB });
    expect(plan([expired, ended], { quota_mb: 4 }, 8 * MB).emptied).toEqual(['x']);
  });

  it('leaves the last one of a task that can go on, whatever it costs', () => {
    expect(gone([running], { quota_mb: 1 }, 900 * MB)).toEqual(['ckpt-running-1', 'ckpt-running-2']);
  });

  it('leaves what a kept one needs', () => {
    const needing = task({ task: 'n', ages: [1], one: { needs: ['ckpt-older-2'] } });
    expect(gone([older, needing], { quota_mb: 1 }, 900 * MB)).toEqual(['ckpt-older-1', 'ckpt-older-3']);
  });
});

describe('any policies over any tasks', () => {
  const statuses: TaskStatus[] = [
    'queued',
    'in_progress',
    'paused',
    'waiting',
    'completed',
    'failed',
    'cancelled',
  ];
  const drafts = fc.array(
    fc.record({
      status: fc.constantFrom(...statuses),
      finished: fc.integer({ min: 0, max: 60 }),
      resumable: fc.boolean(),
      ages: fc.array(fc.integer({ min: 0, max: 90 }), { maxLength: 30 }),
      marks: fc.array(fc.record({ valid: fc.boolean(), pinned: fc.boolean(), need: fc.nat() }), {
        minLength: 30,
        maxLength: 30,
      }),
    }),
    { maxLength: 6 },
  );
  const settings = fc.record({
    completed_days: fc.integer({ min: 0, max: 40 }),
    failed_days: fc.integer({ min: 0, max: 40 }),
    older_than_days: fc.option(fc.integer({ min: 0, max: 60 })),
    newest_per_execution: fc.option(fc.integer({ min: 1, max: 10 })),
    remove_completed: fc.boolean(),
    max_per_task: fc.integer({ min: 2, max: 25 }),
    quota_mb: fc.option(fc.integer({ min: 1, max: 5 })),
  });

  it('never take a protected one, nor what a kept one needs', () => {
    fc.assert(
      fc.property(drafts, settings, (drafted, chosen) => {
        const bare = drafted.map(({ status, finished, resumable, ages }, index) => {
          const ended = status === 'completed' || status === 'failed' || status === 'cancelled';
          const sorted = ages.toSorted((a, b) => b - a);
          return task({
            task: `t${index}`,
            status,
            finished_at: ended ? daysAgo(finished) : null,
            resumable,
            ages: sorted,
          });
        });
        const everyId = bare.flatMap(({ checkpoints }) => checkpoints.map(({ id }) => id));
        const tasks = bare.map((one, index) => ({
          ...one,
          checkpoints: one.checkpoints.map((checkpoint, at) => {
            const { valid, pinned, need } = drafted[index]!.marks[at]!;
            const needs = need % 3 === 0 ? [everyId[need % everyId.length]!] : [];
            return { ...checkpoint, valid, pinned: pinned && need % 5 === 0, needs };
          }),
        }));
        const { removed, spared, emptied, bytes } = plan(tasks, chosen, 8 * MB);
        const ids = new Set(removed.map(({ id }) => id));
        expect(ids.size).toBe(removed.length);
        expect(bytes).toBe(100 * removed.length);
        expect(spared.filter(({ id }) => ids.has(id))).toEqual([]);
        for (const one of tasks) {
          const kept = one.checkpoints.filter(({ id }) => !ids.has(id));
          expect(emptied.includes(one.task)).toBe(one.checkpoints.length > 0 && kept.length === 0);
          expect(one.checkpoints.filter(({ id, pinned }) => pinned && ids.has(id))).toEqual([]);
          for (const { needs } of kept) expect(needs!.filter((id) => ids.has(id))).toEqual([]);
          const expired =
            one.status === 'failed' &&
            Date.parse(one.finished_at!) <= NOW.getTime() - chosen.failed_days * DAY;
          const goesOn = one.status === 'failed' ? one.resumable && !expired : one.finished_at === null;
          const last = one.checkpoints.findLast(({ valid }) => valid);
          if (goesOn && last) expect(ids.has(last.id)).toBe(false);
        }
      }),
      { numRuns: 500 },
    );
  });
});
