/** How a run is stopped from outside: at its next safe point, or at once. */
import { EngineError, OwnershipError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Claim } from '../../storage/contract.ts';
import type { Stop } from './endings.ts';
import { createSafePoint, type SafePoint } from './safe-point.ts';
import type { RunOutcome } from './services.ts';

export interface Stopping {
  readonly safePoint: SafePoint;
  /** Aborted when the task is to end: at once, or at its next safe point. */
  readonly ending: AbortSignal;
  /** Aborted when it must stop at once, and when its run is over. */
  readonly stopSignal: AbortSignal;
  /** Throws where the task is no longer this run's. */
  assertOwned(): void;
  /** A commit was acknowledged: the store has just checked the claim. */
  committed(): void;
  /** Of requests that have not been met yet, one to cancel outranks one to pause, and that one to release. */
  request(stop: Stop): void;
  /** What is in progress is cut off. */
  stop(error: unknown): void;
  /** Of several reasons to end, the first one counts; the others stay pending and are forgotten. */
  endOnce(end: () => Promise<RunOutcome>): Promise<RunOutcome>;
  /** Resolves when the run was stopped; at a safe point it ends as `met` says. */
  stopped(met: (stop: Stop) => Promise<RunOutcome>): Promise<RunOutcome>;
  /** The run is over, whichever way. */
  over(): void;
}

/** For so long a commit proves that the claim is held. */
const PROOF_MS = 1;

/**
 * `shared`: an acknowledgement may have been on its way for long, while this process was stopped. A store on this machine
 * checks the claim in this process, right before it acknowledges.
 */
export function createStopping(claim: Claim, { shared }: { readonly shared: boolean }): Stopping {
  const { task } = claim;
  const stopper = new AbortController();
  const ending = new AbortController();
  const atSafePoint = Promise.withResolvers<void>();
  const atOnce = Promise.withResolvers<RunOutcome>();
  let requested: Stop | undefined;
  let ended = false;
  let provenUntil = 0;

  const stop = (error: unknown): void => {
    ended = true;
    stopper.abort(error);
    ending.abort(error);
    if (error instanceof OwnershipError) safePoint.lose();
    void safePoint.close();
    atOnce.resolve({ status: 'stopped', error });
  };
  const owned = (): boolean => {
    if (claim.live()) return true;
    stop(claim.lost.reason);
    return false;
  };
  const safePoint = createSafePoint(owned, () => performance.now() < provenUntil);
  const endOnce: Stopping['endOnce'] = (end) => {
    if (ended) return new Promise(() => {});
    ended = true;
    return end();
  };

  return {
    safePoint,
    ending: ending.signal,
    stopSignal: stopper.signal,
    assertOwned: () => {
      if (!owned()) throw claim.lost.reason;
    },
    committed: () => {
      if (!shared) provenUntil = performance.now() + PROOF_MS;
    },
    request(wanted) {
      if (requested && RANKS[wanted.kind] > RANKS[requested.kind]) requested = wanted;
      if (safePoint.closed) return;
      requested = wanted;
      ending.abort(runStopped(task, whyEnding(wanted)));
      atSafePoint.resolve(safePoint.close());
    },
    stop,
    endOnce,
    stopped: (met) =>
      Promise.race([atSafePoint.promise.then(() => endOnce(() => met(requested!))), atOnce.promise]),
    over: () => stopper.abort(runStopped(task, phrase`The run has ended.`)),
  };
}

const RANKS: Readonly<Record<Stop['kind'], number>> = { idle: 0, released: 0, paused: 1, cancelled: 2 };

function whyEnding({ kind, reason }: Stop): string {
  if (kind === 'idle') return phrase`The agent is idle: ${reason}`;
  if (kind === 'released') return phrase`The task is being left to another worker: ${reason}`;
  return phrase`The task is being ${kind === 'paused' ? 'paused' : 'cancelled'}: ${reason}`;
}

function runStopped(task: string, message: string): EngineError {
  return new EngineError('RUN_STOPPED', message, {
    data: { task },
    hint: phrase`Resume the task to continue.`,
  });
}
