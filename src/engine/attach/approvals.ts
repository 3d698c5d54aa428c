/** Calls of an agent that a person has to approve first: the task waits, also while no process runs it. */
import { setImmediate as tick } from 'node:timers/promises';
import type { Approval } from '../api/attaching.ts';
import type { Answer } from '../run/answers.ts';
import { withdrawWait, writeAnswer, writeWait } from '../run/operations.ts';
import { type RunContext, throughSafePoint } from '../run/run-context.ts';
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
  const id = `${SCOPE}${escapeName(call)}#1`;
  const known = active.memory.answers.get(id);
  if (known) return decision(active, known);
  const asked = await throughSafePoint(active, () =>
    writeWait(active, { id, kind: 'human_approval', prompt, timeout_at: null }),
  );
  let given: Answer | null = null;
  const answered = active.answerTo(asked).then(async (answer) => {
    given = answer;
    await throughSafePoint(active, () => writeAnswer(active, answer));
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
  for (const { id } of unanswered(active.memory)) if (id.startsWith(SCOPE)) await withdrawWait(active, id);
}
