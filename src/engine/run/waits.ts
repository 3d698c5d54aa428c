/** Waiting for something outside, and sleeping: both survive restarts. */
import { EngineError, InvalidInputError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { WaitingData } from '../../task/data.ts';
import { checkDuration } from '../api/checks.ts';
import type { WaitOptions } from '../api/context.ts';
import { cutText } from '../api/thrown.ts';
import { sleepUntil } from '../api/timers.ts';
import type { EntryOf } from '../task/entries.ts';
import { writeAnswer, writeWait } from './operations.ts';
import { insideStep, nowIso, type RunContext, throughSafePoint } from './run-context.ts';

/** The identity is taken at the call. */
export function waitFor(
  active: RunContext,
  agent: string,
  kind: WaitingData['waiting_for'],
  options: WaitOptions,
): Promise<unknown> {
  refuseInsideStep('wait');
  const scope = `${agent}/wait`;
  return waitIdentified(active, `${scope}#${active.occurrence(scope)}`, kind, options);
}

export async function waitIdentified(
  active: RunContext,
  id: string,
  kind: WaitingData['waiting_for'],
  { prompt = null, timeout_ms }: { prompt?: string | null; timeout_ms?: number },
): Promise<unknown> {
  const known = active.memory.answers.get(id);
  if (known) return outcome(active, known, active.memory.waits.get(id));
  const wait = await throughSafePoint(active, () =>
    writeWait(active, { id, kind, prompt, timeout_at: later(active, timeout_ms) }),
  );
  const answer = await active.answerTo(wait);
  await throughSafePoint(active, () => writeAnswer(active, answer));
  return outcome(active, answer.entry, wait);
}

/** The value; WAIT_TIMEOUT if it timed out, also on replay. */
async function outcome(
  active: RunContext,
  answer: EntryOf<'answer'>,
  wait: EntryOf<'wait'> | undefined,
): Promise<unknown> {
  if (answer.outcome === 'answered') return active.unpack(answer.value);
  const prompt = wait?.prompt ?? null;
  const message =
    prompt === null
      ? phrase`Nobody answered ${answer.id} in time.`
      : phrase`Nobody answered "${cutText(prompt)}" in time.`;
  throw new EngineError('WAIT_TIMEOUT', message, {
    data: { task: active.task, wait: answer.id, prompt },
    hint: phrase`A retry of the task asks again.`,
  });
}

export function sleep(active: RunContext, agent: string, ms: number): Promise<void> {
  refuseInsideStep('sleep');
  const scope = `${agent}/sleep`;
  return sleepIdentified(active, `${scope}#${active.occurrence(scope)}`, ms);
}

async function sleepIdentified(active: RunContext, id: string, ms: number): Promise<void> {
  let until = active.memory.sleeps.get(id);
  await throughSafePoint(active, async () => {
    if (until !== undefined) return;
    until = later(active, Math.max(0, ms)); // No wait for a time in the past.
    await active.writer.write({ t: 'sleep', id, at: nowIso(active), until });
  });
  await sleepUntil(until!, active.clock, active.stopSignal);
  await throughSafePoint(active, async () => {});
}

function later(active: RunContext, ms: number): string;
function later(active: RunContext, ms: number | undefined): string | null;
function later(active: RunContext, ms: number | undefined): string | null {
  if (ms !== undefined) checkDuration(phrase`How long to wait`, ms);
  return ms === undefined ? null : new Date(active.clock.now().getTime() + ms).toISOString();
}

/** A step has to end before its task can be paused, so it must not last as long as a person takes. */
function refuseInsideStep(what: 'wait' | 'sleep'): void {
  const step = insideStep.getStore()?.step;
  if (step === undefined) return;
  throw new InvalidInputError(
    'USAGE',
    phrase`A task cannot ${what === 'wait' ? 'wait' : 'sleep'} inside a step (${step}).`,
    {
      data: { step },
      hint: phrase`End the step first.`,
    },
  );
}
