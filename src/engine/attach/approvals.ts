/** Calls of an agent that a person has to approve first: the task waits, also while no process runs it. */
import { setImmediate as tick } from 'node:timers/promises';
import type { Approval } from '../api/attaching.ts';
import type { Answer } from '../run/answers.ts';
import { nowIso, type RunContext, throughSafePoint } from '../run/run-context.ts';
import type { EntryOf } from '../task/entries.ts';
import { unanswered } from '../task/memory.ts';
import { escapeName } from '../task/occurrences.ts';

const SCOPE = '/approval@';

/** Null until somebody has answered. `look` brings the answers that have come from other processes. */
export async function approvalOf(
  active: RunContext,
  call: string,
  prompt: string,
  look: () => Promise<void>,
): Promise<Approval | null> {
  const { memory, writer } = active;
  const id = `${SCOPE}${escapeName(call)}#1`;
  const known = memory.answers.get(id);
  if (known) return decision(active, known);
  const asked: EntryOf<'wait'> = memory.waits.get(id) ?? {
    t: 'wait',
    id,
    at: nowIso(active),
    kind: 'human_approval',
    prompt: active.redact(prompt),
    timeout_at: null,
  };
  await throughSafePoint(active, async () => {
    if (!memory.waits.has(id)) await writer.write(asked);
    await active.beginWaiting(asked);
  });
  let given: Answer | null = null;
  const answered = active.answerTo(asked).then(async (answer) => {
    given = answer;
    await throughSafePoint(active, async () => {
      await writer.write(answer.entry, { blobs: answer.blobs, event: 'after_user_input' });
      await active.endWaiting();
    });
    return decision(active, answer.entry);
  });
  answered.catch(() => {}); // The run may end before it comes: it is kept for the next one.
  await look();
  await tick();
  return given === null ? null : answered;
}

async function decision(active: RunContext, { outcome, value, by }: EntryOf<'answer'>): Promise<Approval> {
  return { allowed: outcome === 'answered' && (await active.unpack(value)) === true, by };
}

/** The person has asked for something else: the call will not come again. */
export async function withdrawApprovals(active: RunContext): Promise<void> {
  for (const { id } of unanswered(active.memory).filter((wait) => wait.id.startsWith(SCOPE))) {
    const nobody = { value: null, by: null, message: null };
    await active.writer.write({ t: 'answer', id, at: nowIso(active), outcome: 'withdrawn', ...nobody });
  }
}
