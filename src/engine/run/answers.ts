/** Matching answers from outside with the waits that need them. */
import type { NewBlob } from '../../storage/contract.ts';
import type { Services } from '../api/services.ts';
import { sleepUntil } from '../api/timers.ts';
import type { EntryOf } from '../task/entries.ts';
import type { Memory } from '../task/memory.ts';
import type { Packer } from '../task/packing.ts';
import { type InboxMessage, receive } from '../task/records/inbox.ts';

export interface Answers {
  /** Resolves with the answer, or with the time-out. */
  to(wait: EntryOf<'wait'>): Promise<Answer>;
  /** Whether it is final, in the journal or because it came too late: only then may the message be removed. */
  deliver(message: InboxMessage): boolean;
  /** This message's answer is on the disk. */
  settled(message: string): void;
  /** The waits that are open, oldest first. */
  open(): EntryOf<'wait'>[];
}

/** How a wait ended, and the blobs to put before that is written. */
export interface Answer {
  readonly entry: EntryOf<'answer'>;
  readonly blobs: readonly NewBlob[];
}

export function createAnswers(
  { storage, clock }: Services,
  task: string,
  memory: Memory,
  pack: Packer['pack'],
  stopSignal: AbortSignal,
): Answers {
  const durable = new Set(memory.taken);
  const delivered = new Set<string>();
  const open = new Map<string, { wait: EntryOf<'wait'>; end: (answer: Answer) => void }>();

  const answer = (wait: string, entry: Omit<EntryOf<'answer'>, 't' | 'id' | 'at'>): EntryOf<'answer'> => ({
    t: 'answer',
    id: wait,
    at: clock.now().toISOString(),
    ...entry,
  });

  const expire = async (wait: EntryOf<'wait'>, answered: AbortSignal): Promise<void> => {
    await sleepUntil(wait.timeout_at!, clock, AbortSignal.any([answered, stopSignal]));
    // An answer that came in time may not have been seen yet.
    for (const message of await receive(storage, task)) if (message.kind === 'answer') deliver(message);
    const entry = answer(wait.id, { outcome: 'timed_out', value: null, by: null, message: null });
    open.get(wait.id)?.end({ entry, blobs: [] });
  };

  const deliver: Answers['deliver'] = (message) => {
    if (durable.has(message.id)) return true;
    if (delivered.has(message.id)) return false;
    if (message.wait !== null && memory.answers.has(message.wait)) return true;
    const id = message.wait ?? open.keys().next().value;
    const asked = id === undefined ? undefined : open.get(id);
    if (!asked || isLate(asked.wait, message)) return false;
    delivered.add(message.id);
    const { stored, blobs } = pack(message.value, 'answers');
    const { by } = message;
    asked.end({
      entry: answer(asked.wait.id, { outcome: 'answered', value: stored, by, message: message.id }),
      blobs,
    });
    return false;
  };

  return {
    to: (wait) =>
      new Promise((resolve, reject) => {
        const answered = new AbortController();
        const end = (answer: Answer): void => {
          open.delete(wait.id);
          answered.abort();
          resolve(answer);
        };
        open.set(wait.id, { wait, end });
        if (wait.timeout_at === null) return;
        expire(wait, answered.signal).catch((error: unknown) => {
          if (!answered.signal.aborted && !stopSignal.aborted) reject(error);
        });
      }),

    deliver,

    settled: (message) => void durable.add(message),

    open: () => [...open.values()].map(({ wait }) => wait),
  };
}

export function isLate(
  { timeout_at }: Pick<EntryOf<'wait'>, 'timeout_at'>,
  { at }: Pick<InboxMessage, 'at'>,
): boolean {
  return timeout_at !== null && at > timeout_at;
}
