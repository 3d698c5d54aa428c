/** How a run ends: done, failed, or stopped at a safe point. */

import { encode } from '../../storage/serialize.ts';
import type { StateData } from '../../task/data.ts';
import { isError, safely } from '../api/thrown.ts';
import type { Packed } from '../task/packing.ts';
import type { Head } from '../task/records/head.ts';
import { storedError } from '../task/stored-error.ts';
import { pausedData } from '../task/transitions.ts';
import { nowIso, type RunContext } from './run-context.ts';
import type { RunOutcome } from './services.ts';
import type { RunState } from './state.ts';

export interface Endings {
  completed(output: unknown): Promise<RunOutcome>;
  failed(error: unknown): Promise<RunOutcome>;
  stopped(stop: Stop): Promise<RunOutcome>;
}

/** A request from outside. */
export interface Stop {
  readonly kind: 'paused' | 'cancelled' | 'released' | 'idle';
  readonly reason: string;
  readonly instructions: string | null;
  readonly cause?: 'drift';
  /** Who asked for it. */
  readonly asked_by?: string | undefined;
}

export function createEndings(
  active: RunContext,
  runState: RunState,
  head: Head,
  filesModified: () => Promise<readonly string[]>,
): Endings {
  const { writer } = active;
  /** A waiting task ends through `in_progress`: there is no direct transition. */
  const leaveWaiting = async (reason: string): Promise<void> => {
    if (runState.state().status !== 'waiting') return;
    await runState.move(writer, 'in_progress', runState.inProgress(), reason);
  };

  const failed = async (error: unknown): Promise<RunOutcome> => {
    const { name, message, stack, code } = active.redact(storedError(error));
    const data: StateData['failed'] = {
      failed_at: nowIso(active),
      error_type: code ?? name,
      error_message: message,
      stack_trace: stack ?? null,
      recoverable: safely(() => (error as { recoverable?: unknown } | null)?.recoverable !== false, true),
      retry_count: head.retries,
    };
    await leaveWaiting('failed');
    await runState.move(writer, 'failed', data, message, { event: 'end', ...timedOutWait(error) });
    await writer.flush();
    return { status: 'failed', error };
  };

  return {
    async completed(output) {
      let packed: Packed;
      try {
        packed = active.pack(output, 'final_outputs');
        encode(packed.stored);
      } catch (error) {
        return failed(error); // An output that cannot be stored is the task's failure, not the store's.
      }
      const data: StateData['completed'] = {
        completed_at: nowIso(active),
        final_output: packed.stored,
        files_modified: await filesModified(),
        verification_results: active.memory.verification ?? null,
      };
      await leaveWaiting('completed');
      await runState.move(writer, 'completed', data, null, { blobs: packed.blobs, event: 'end' });
      await writer.flush();
      return { status: 'completed', output };
    },

    failed,

    async stopped({ kind, reason, asked_by, ...why }) {
      if (kind === 'released') {
        // A question stays open, a task in progress stays in progress: it need not be resumed by its id.
        await writer.flush();
        return { status: kind, reason };
      }
      const at = nowIso(active);
      if (kind === 'idle') {
        // What it waits for stays open.
        if (runState.state().status !== 'waiting')
          await runState.update(writer, { ...runState.inProgress(), current_step: null, idle_since: at });
        await writer.flush();
        return { status: kind, reason };
      }
      await leaveWaiting(reason);
      const paused = pausedData(runState.inProgress(), reason, at, why);
      await runState.move(writer, 'paused', paused, reason, { event: 'pause', asked_by });
      if (kind === 'cancelled') {
        const cancelled = { cancelled_at: at, cancel_reason: reason };
        await runState.move(writer, 'cancelled', cancelled, reason, { asked_by });
      }
      await writer.flush();
      return { status: kind, reason };
    },
  };
}

/** The wait that timed out, if that is why the task failed. */
function timedOutWait(error: unknown): { readonly wait?: string } {
  if (!isError(error) || safely(() => (error as { code?: unknown }).code, null) !== 'WAIT_TIMEOUT') return {};
  const { data } = error as { data?: { wait?: unknown } };
  return typeof data?.wait === 'string' ? { wait: data.wait } : {};
}
