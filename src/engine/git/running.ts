/** While a task runs: checks for drift from time to time and before commits, notifies, and pauses the task if necessary. */

import type { Committed } from '../../drift/commit.ts';
import { type Action, decide, type Moment } from '../../drift/policy.ts';
import type { VersionTracker } from '../../drift/tracker.ts';
import { phrase } from '../../phrase.ts';
import type { RecordWrite } from '../../storage/contract.ts';
import { oneByOne } from '../../system/in-turn.ts';
import { loadTracker, trackerRecord } from '../task/records/versions.ts';
import { forcePushSteps } from './by-hand.ts';
import { type Drifted, type DriftServices, followOwnMove, lookFor, repositoryOf } from './looking.ts';
import { findingLines, overlapping, upstreamLine } from './notice.ts';
import { commitFor, type TaskCommit } from './own-commit.ts';
import { watchOwnMoves } from './own-moves.ts';
import { everyMinutes } from './timer.ts';

export interface DriftedRun {
  readonly task: string;
  /** Writes a record of the task. */
  write(record: RecordWrite): Promise<void>;
  /** Everything recorded so far is on the disk. */
  flush(): Promise<void>;
  /** In percent. */
  progress(): number;
  /** At the next safe point. */
  pause(reason: string, instructions: string): void;
}

export interface RunDrift {
  /** COMMIT_REFUSED where git or a hook refuses. */
  commit(commit: TaskCommit): Promise<Committed | null>;
  /** False when the task is being paused instead. */
  beforeCommit(): Promise<boolean>;
  /** The commit that the task started at; null where there is none. */
  startedAt(): Promise<string | null>;
  stop(): Promise<void>;
}

export function createRunDrift(services: DriftServices, run: DriftedRun): RunDrift {
  const { config, clock } = services;
  const stopper = new AbortController();
  const git = repositoryOf(services);
  const commit = async (given: TaskCommit): Promise<Committed | null> => {
    await run.flush(); // Which files are the task's is read from its journal.
    return commitFor(services, run.task, given);
  };
  const interruptible = repositoryOf(services, stopper.signal);
  if (!git || !interruptible)
    return {
      commit,
      beforeCommit: async () => true,
      startedAt: async () => null,
      stop: async () => {},
    };

  /** Read once: from then on it is written here only. */
  let tracker: VersionTracker | null | undefined;
  const known = async (): Promise<VersionTracker | null> => {
    if (tracker === undefined) tracker = await loadTracker(services.storage, run.task);
    return tracker;
  };
  const save = async (next: VersionTracker): Promise<void> => {
    tracker = next;
    await run.write(trackerRecord(next));
  };

  /** Checks run one after the other. */
  const inTurn = oneByOne();

  const follow = async (): Promise<void> => {
    const before = await known();
    if (!before) return;
    const followed = await followOwnMove(services, git, before);
    ownMoves.seen();
    await save(followed);
  };
  const ownMoves = watchOwnMoves(git.place, services.on, run.task, () => {
    void inTurn(follow).catch(() => {}); // Then the next check sees it.
  });

  const lookNow = async (moment: Moment): Promise<Action['do'] | null> => {
    if (stopper.signal.aborted) return null;
    if (ownMoves.pending()) await follow();
    const before = await known();
    if (!before) return null;
    await run.flush(); // Which files are the task's is read from its journal.
    const looked = await lookFor(services, interruptible, before, moment);
    if (stopper.signal.aborted) return null;
    const on_upstream = config.recovery.on_upstream;
    const action = decide(looked.drift, moment, { on_upstream, auto_rebase: config.drift.auto_rebase }).do;
    await save(looked.tracker);
    tell(looked, moment, action, before);
    return action;
  };

  const tell = (looked: Drifted, moment: Moment, action: Action['do'], before: VersionTracker): void => {
    const { detection, drift, events } = looked;
    const line = upstreamLine(looked.tracker, drift, overlapping(looked.tracker));
    const steps = forcePushSteps(services, run.task, run.progress());
    const lines = [...findingLines(detection, looked.tracker, steps), ...(line ? [line] : [])];
    const lostSight = detection.unknown !== null && detection.unknown.reason !== before.unknown?.reason;
    const isNews = events.length > 0 || detection.unknown?.reason !== before.unknown?.reason;
    if (isNews || action === 'pause') {
      const { findings, unknown } = detection;
      services.emit({ type: 'drift', task: run.task, moment, action, level: drift.level, findings, unknown });
    }
    if ((action === 'notify' && isNews) || (action === 'continue' && lostSight)) services.notify(lines);
    if (action !== 'pause') return;
    services.notify(lines);
    run.pause(
      drift.branch_switched
        ? phrase`the branch was switched`
        : phrase`upstream moved (severity ${drift.level})`,
      [...lines, ...(drift.force_push ? [] : [phrase`Resolve it, then resume the task.`])].join('\n'),
    );
  };

  const { every_minutes, before_commit } = config.drift;
  const stopTimer =
    every_minutes === null
      ? () => {}
      : everyMinutes(every_minutes, clock, async () => {
          await inTurn(() => lookNow('timer')).catch(() => {}); // The next check, or the next write, reports it.
        });

  return {
    commit,
    startedAt: async () => (await known())?.started_at_commit ?? null,
    beforeCommit: async () => !before_commit || (await inTurn(() => lookNow('commit'))) !== 'pause',
    async stop() {
      stopTimer();
      stopper.abort();
      ownMoves.stop();
      await inTurn(async () => {});
    },
  };
}
