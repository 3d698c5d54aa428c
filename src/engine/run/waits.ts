/** Waiting for something outside, and sleeping: both survive restarts. */
import { EngineError, InvalidInputError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { WaitingData } from '../../task/data.ts';
import { checkDuration } from '../api/checks.ts';
import type { WaitOptions } from '../api/context.ts';
import { cutText } from '../api/thrown.ts';
import { sleepUntil } from '../api/timers.ts';
import type { EntryOf } from '../task/entries.ts';
import { insideStep, nowIso, type RunContext, throughSafePoint } from './run-context.ts';

/** The identity is taken at the call. */
export function waitFor(
  core: RunContext,
  agent: string,
  kind: WaitingData['waiting_for'],
  options: WaitOptions,
): Promise<unknown> {
  refuseInsideStep('wait');
  const scope = `${agent}/wait`;
  return waitIdentified(core, `${scope}#${core.occurrence(scope)}`, kind, options);
}

export async function waitIdentified(
  core: RunContext,
  id: string,
  kind: WaitingData['waiting_for'],
  { prompt = null, timeout_ms }: { prompt?: string | null; timeout_ms?: number },
): Promise<unknown> {
  const known = core.memory.answers.get(id);
  let wait = core.memory.waits.get(id);
  if (known) return outcome(core, known, wait);
  await throughSafePoint(core, async () => {
    if (!wait) {
      const asked = core.redact(prompt);
      wait = { t: 'wait', id, at: nowIso(core), kind, prompt: asked, timeout_at: later(core, timeout_ms) };
      await core.writer.write(wait);
    }
    await core.beginWaiting(wait);
  });
  const { entry, blobs } = await core.answerTo(wait!);
  await throughSafePoint(core, async () => {
    await core.writer.write(entry, { blobs, event: 'after_user_input' });
    await core.endWaiting();
  });
  return outcome(core, entry, wait);
}

/** The value; WAIT_TIMEOUT if it timed out, also on replay. */
async function outcome(
  core: RunContext,
  answer: EntryOf<'answer'>,
  wait: EntryOf<'wait'> | undefined,
): Promise<unknown> {
  if (answer.outcome === 'answered') return core.unpack(answer.value);
  const prompt = wait?.prompt ?? null;
  const message =
    prompt === null
      ? phrase`Nobody answered ${answer.id} in time.`
      : phrase`Nobody answered "${cutText(prompt)}" in time.`;
  throw new EngineError('WAIT_TIMEOUT', message, {
    data: { task: core.task, wait: answer.id, prompt },
    hint: phrase`A retry of the task asks again.`,
  });
}

export function sleep(core: RunContext, agent: string, ms: number): Promise<void> {
  refuseInsideStep('sleep');
  const scope = `${agent}/sleep`;
  return sleepIdentified(core, `${scope}#${core.occurrence(scope)}`, ms);
}

async function sleepIdentified(core: RunContext, id: string, ms: number): Promise<void> {
  let until = core.memory.sleeps.get(id);
  await throughSafePoint(core, async () => {
    if (until !== undefined) return;
    until = later(core, Math.max(0, ms)); // No wait for a time in the past.
    await core.writer.write({ t: 'sleep', id, at: nowIso(core), until });
  });
  await sleepUntil(until!, core.clock, core.stopSignal);
  await throughSafePoint(core, async () => {});
}

function later(core: RunContext, ms: number): string;
function later(core: RunContext, ms: number | undefined): string | null;
function later(core: RunContext, ms: number | undefined): string | null {
  if (ms !== undefined) checkDuration(phrase`How long to wait`, ms);
  return ms === undefined ? null : new Date(core.clock.now().getTime() + ms).toISOString();
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
