/** Brings messages from other processes to the tasks that run here. */
import { VibeError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import { isFinal } from '../../task/status.ts';
import type { Run } from '../run/services.ts';
import { addressees, discard, type InboxMessage, receive } from '../task/records/inbox.ts';

export interface Poller {
  add(run: Run): void;
  remove(run: Run): void;
  /** Checks now, without waiting for the next poll. */
  look(run: Run): Promise<void>;
}

/** A server is polled less often than a directory. */
const LOCAL_MS = 100;
const SHARED_MS = 500;

export function createPoller(storage: Storage): Poller {
  const runs = new Set<Run>();
  let timer: NodeJS.Timeout | undefined;
  let looking = false;

  const look = async (run: Run): Promise<void> => {
    for (const message of await receive(storage, run.task)) {
      if (take(run, message)) await discard(storage, run.task, message);
    }
  };

  const turn = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    try {
      const waiting = await addressees(storage); // One read for all of them: mostly there is nothing.
      for (const run of runs) if (!waiting || waiting.has(run.task)) await look(run);
    } catch (error) {
      // A store that cannot be read now is read at the next poll; one that is gone fails the run's next write.
      if (!(error instanceof VibeError)) throw error;
    } finally {
      looking = false;
    }
  };

  return {
    look,
    add(run) {
      runs.add(run);
      timer ??= setInterval(() => void turn(), storage.shared ? SHARED_MS : LOCAL_MS);
    },
    remove(run) {
      runs.delete(run);
      if (runs.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
}

/** Whether the message is fully handled. A request to stop is when the run has ended: the engine removes it. */
function take(run: Run, message: InboxMessage): boolean {
  if (message.kind === 'answer') return run.deliver(message);
  if (message.kind === 'pause')
    run.pause(
      message.reason ?? (message.by ? phrase`asked to pause by ${message.by}` : phrase`asked to pause`),
      message.instructions,
      message.by ?? undefined,
    );
  else
    run.cancel(
      message.reason ?? (message.by ? phrase`cancelled by ${message.by}` : phrase`cancelled`),
      message.by ?? undefined,
    );
  return false;
}

/** Requests to pause a run that ended before handling them; resuming the task makes them obsolete. */
export async function dropOldPauses(storage: Storage, task: string): Promise<void> {
  for (const message of await receive(storage, task)) {
    if (message.kind === 'pause') await discard(storage, task, message);
  }
}

/** Messages that were handled, and those to a task that has ended. The rest counts when it is resumed. */
export async function dropSettled(storage: Storage, run: Run): Promise<void> {
  const over = isFinal(run.state().status);
  for (const message of await receive(storage, run.task)) {
    const settled = message.kind === 'pause' || (message.kind === 'answer' && run.deliver(message));
    if (over || settled) await discard(storage, run.task, message);
  }
}
