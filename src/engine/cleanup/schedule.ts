/**
 * When clean-up runs automatically: after a task completed, when the disk or the store is too full, daily, and soon after
 * opening if one of these was missed. It runs next to the tasks and never fails them: errors become events.
 */

import { type CleanupTrigger, dueTriggers } from '../../checkpoint/cleanup/due.ts';
import { StoreError, VibeError } from '../../errors.ts';
import { loadState } from '../../persistence/state-records.ts';
import type { Storage } from '../../storage/contract.ts';
import type { Services } from '../api/services.ts';
import { type CleanupRuns, loadRuns, noteRuns } from '../task/records/cleaned.ts';
import {
  type CleanOptions,
  type CleanupReport,
  type CleanupServices,
  clean,
  releaseHolds,
  type SweepOptions,
} from './clean.ts';
import type { NotDue } from './not-due.ts';

export interface Cleaner {
  clean(options?: CleanOptions): Promise<CleanupReport>;
  /** Starts to watch for its triggers. */
  watch(): void;
  /** A task completed; clean-up follows once nothing runs here. */
  completed(): void;
  /** A run ended, in any way. */
  runEnded(): void;
  /** A due clean-up may still start, and a running one has a moment to end; the rest is noted as missed. */
  stop(): Promise<void>;
}

interface Probes {
  /** How full the disk is, in per cent; null if not known. */
  readonly disk: () => number | null;
  /** Whether tasks run here. */
  readonly busy: () => boolean;
}

/** In milliseconds. */
interface Pace {
  /** Between opening and the first check. */
  readonly first: number;
  /** Between checks. */
  readonly every: number;
  /** Between the end of a task and clean-up. */
  readonly idle: number;
  /** How long closing waits for it. */
  readonly close: number;
  /** How long it waits after a disk or store was still too full, or made it fail. */
  readonly again: number;
}

const PACE: Pace = { first: 1000, every: 60_000, idle: 200, close: 1000, again: 60 * 60_000 };

export function createCleaner(
  services: CleanupServices & Pick<Services, 'emit'>,
  { disk, busy }: Probes,
  pace: Pace = PACE,
): Cleaner {
  const { storage, clock, emit } = services;
  const settings = services.config.cleanup;
  const opened_at = clock.now();
  const quiet: NotDue = new Map();
  let completed = false;
  let deadline = Number.POSITIVE_INFINITY;
  let turn: Promise<unknown> = Promise.resolve();
  let leftAloneUntil = 0;
  const timers = new Set<NodeJS.Timeout>();

  /** One after the other within this process. */
  const inTurn = (options: SweepOptions): Promise<CleanupReport> => {
    const run = async (): Promise<CleanupReport> => {
      const report = await clean(services, { ...options, quiet });
      const { triggers, removed, freed_bytes, dry_run } = report;
      if (!dry_run) emit({ type: 'cleanup', triggers, removed: removed.length, freed_bytes });
      return report;
    };
    const done = turn.then(run, run);
    turn = done;
    return done;
  };

  const due = async (starting: boolean): Promise<CleanupTrigger[]> => {
    const runs = await loadRuns(storage);
    const now = clock.now();
    const pressed = now.getTime() >= leftAloneUntil;
    return dueTriggers(settings, {
      now,
      last_run_at: past(runs.last_run_at, now),
      opened_at,
      starting,
      completed: completed || (starting && (await wasMissed(storage, runs))),
      disk_used_percent: pressed ? disk() : null,
      store_bytes: pressed && settings.quota_mb !== null ? await storage.size() : 0,
    });
  };

  const isLate = (): boolean => performance.now() > deadline;

  const run = async (triggers: readonly CleanupTrigger[]): Promise<void> => {
    completed = false;
    const thorough = triggers.some((trigger) => trigger !== 'completion');
    if (triggers.some((trigger) => trigger === 'disk' || trigger === 'quota')) leaveAlone();
    const { complete } = await inTurn({ triggers, thorough, busy, stopping: isLate });
    if (!complete) await noteRuns(storage, { missed: true });
  };

  const leaveAlone = (): void => {
    leftAloneUntil = clock.now().getTime() + pace.again;
  };

  const look = async (starting: boolean): Promise<void> => {
    let triggers: readonly CleanupTrigger[] = [];
    try {
      triggers = await due(starting);
      if (triggers.length > 0) await run(triggers);
      if (starting && storage.shared) await releaseHolds(services);
    } catch (error) {
      if (error instanceof StoreError && error.code === 'STORE_BUSY') return; // Another process is cleaning up.
      leaveAlone();
      emit({ type: 'cleanup.failed', triggers, error });
    }
  };

  let looking: Promise<void> | null = null;
  const lookOnce = (starting = false): Promise<void> => {
    looking ??= look(starting).finally(() => {
      looking = null;
    });
    return looking;
  };

  const later = (ms: number, then: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      then();
    }, ms).unref();
    timers.add(timer);
  };

  const every = (): void => {
    later(pace.every, () => void lookOnce().then(every));
  };

  let watching = false;
  let scheduled = false;
  /** Running tasks delay it until they end, or until the next check. */
  const runEnded = (): void => {
    if (!watching || !completed || scheduled) return;
    scheduled = true;
    later(pace.idle, () => {
      scheduled = false;
      if (completed && !busy()) void lookOnce();
    });
  };

  return {
    clean: (options = {}) => inTurn(options),
    watch() {
      watching = true;
      later(pace.first, () => void lookOnce(true).then(every));
    },
    completed() {
      completed = true;
      runEnded();
    },
    runEnded: runEnded,
    async stop() {
      for (const timer of timers) clearTimeout(timer);
      deadline = performance.now() + pace.close;
      if (watching && completed) await lookOnce();
      watching = false;
      await looking;
      await turn.catch(() => {}); // Its caller has the error.
    },
  };
}

/** A time in the future was noted by a clock that was ahead. */
function past(at: string | null, now: Date): Date | null {
  return at === null || new Date(at) > now ? null : new Date(at);
}

/** How many tasks are checked for one that completed since the last clean-up. */
const LOOK_BACK = 100;

async function wasMissed(storage: Storage, { missed, last_quick_at }: CleanupRuns): Promise<boolean> {
  if (missed) return true;
  const { keys } = await storage.tasks({ reverse: true, limit: LOOK_BACK });
  for (const task of keys) {
    const state = await loadState(storage, task).catch((error: unknown) => {
      if (error instanceof VibeError) return null;
      throw error;
    });
    if (state?.status !== 'completed') continue;
    if (last_quick_at === null || state.data.completed_at > last_quick_at) return true;
  }
  return false;
}
