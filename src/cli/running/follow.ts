/** Shows a task while it runs: its steps, what it waits for, and how it ended. */

import { messageOf } from '../../engine/api/thrown.ts';
import type { Engine, TaskHandle } from '../../engine/engine.ts';
import type { RunOutcome } from '../../engine/run/services.ts';
import { EngineError, VibeError } from '../../errors.ts';
import { forPeople } from '../../storage/serialize/for-people.ts';
import { encode } from '../../storage/serialize.ts';
import { type EndSignal, onEndSignal } from '../../system/process/signals.ts';
import { amountsOf } from '../../verbs/kit/amounts.ts';
import { EXIT } from '../../verbs/kit/exit.ts';
import type { Answer, Call, Followed } from '../../verbs/kit/verb.ts';
import { showProgress } from './progress.ts';
import { passQuestionsOn } from './questions.ts';

type Teller = Pick<
  Call,
  'say' | 'translate' | 'tell' | 'paint' | 'live' | 'now' | 'invoke' | 'ask' | 'interactive'
>;

/** Ctrl-C pauses the task at its next safe point, a second one at once; either way it can be resumed. */
export async function follow(
  engine: Engine,
  begin: () => Promise<TaskHandle>,
  teller: Teller,
): Promise<Answer<Followed>> {
  const { say, translate, tell, paint } = teller;
  const { duration } = amountsOf(teller);
  let handle: TaskHandle | undefined;
  let by: EndSignal | undefined;
  const offs = [
    showProgress(engine, teller),
    engine.on('step.completed', ({ name, duration_ms }) =>
      tell(`${paint.good('✓')} ${say('run.step', { name, took: duration(duration_ms) })}`),
    ),
    engine.on('step.failed', ({ name, attempt, error, final }) => {
      const key = final ? 'run.step_failed' : 'run.step_again';
      tell(`${paint.bad('✗')} ${say(key, { name, attempt, error: translate(messageOf(error)) })}`);
    }),
    passQuestionsOn(engine, teller, () => end('SIGINT', 1)),
  ];
  const end = (signal: EndSignal, times: number): void => {
    by = signal;
    if (times === 1) tell(say('run.pausing'));
    if (handle && times === 1)
      engine
        .pause(handle.id, say('run.stopped_by', { signal }))
        .catch((error: unknown) => tell(translate(messageOf(error))));
    else void engine.close();
  };
  const ignore = onEndSignal(end);
  try {
    handle = await begin();
    const { readIds } = await import('../../verbs/kit/ids.ts');
    const task = { id: handle.id, short: (await readIds(engine.reader, say)).short(handle.id) };
    tell(say('run.began', { task: task.short }));
    const outcome = await handle.outcome;
    const answer = answerOf(task, outcome, by, teller);
    return { ...answer, lines: [...answer.lines, ...(await undoLine(engine, task, teller))] };
  } finally {
    ignore();
    for (const off of offs) off();
  }
}

interface Named {
  readonly id: string;
  readonly short: string;
}

function answerOf(
  { id, short: task }: Named,
  outcome: RunOutcome,
  by: EndSignal | undefined,
  { say, translate, paint, invoke }: Teller,
): Answer<Followed> {
  const { status } = outcome;
  const output = status === 'completed' ? (outcome.output ?? null) : null;
  const error = 'error' in outcome ? messageOf(outcome.error) : null;
  const data = { task: id, status, output, error };
  switch (status) {
    case 'completed': {
      const shown = output === null ? [] : [JSON.stringify(forPeople(encode(output)), null, 2)];
      return { data, lines: [paint.good(say('run.completed', { task })), ...shown] };
    }
    case 'failed': {
      const lines = [
        paint.bad(say('run.failed', { task, error: translate(error!) })),
        ...(isOutOfTime(outcome) ? [] : hintOf(outcome).map(translate)),
        say(isOutOfTime(outcome) ? 'run.ask_again' : 'run.resume_with', { command: invoke(`retry ${task}`) }),
      ];
      return { data, lines, exit: EXIT.error };
    }
    case 'cancelled':
      return { data, lines: [say('run.cancelled', { task })], exit: EXIT.error };
    default: {
      const lines = [
        paint.warn(say('run.paused', { task })),
        say('run.resume_with', { command: invoke(`resume ${task}`) }),
      ];
      return { data, lines, exit: by === 'SIGINT' ? EXIT.interrupted : EXIT.ok };
    }
  }
}

/** How to undo its changes to files; none if it made none. */
async function undoLine(
  { reader }: Engine,
  { id, short }: Named,
  { say, invoke }: Teller,
): Promise<string[]> {
  const own = await reader.changedFiles(id).catch(unlessDamaged);
  const count = own ? own.changed.length + own.in_doubt.length : 0;
  return count > 0 ? [say('run.undo', { command: invoke(`undo ${short}`) })] : [];
}

/** How the task ended is still shown. */
function unlessDamaged(error: unknown): null {
  if (error instanceof VibeError) return null;
  throw error;
}

/** What our own errors say to do next, also one that the task's code put into its own. */
function hintOf(outcome: RunOutcome): string[] {
  let error: unknown = 'error' in outcome ? outcome.error : null;
  for (; error instanceof Error; error = error.cause) {
    const { hint } = error as { hint?: unknown };
    if (typeof hint === 'string' && hint !== '') return [hint];
  }
  return [];
}

/** Of a question that nobody answered. */
function isOutOfTime(outcome: RunOutcome): boolean {
  return 'error' in outcome && outcome.error instanceof EngineError && outcome.error.code === 'WAIT_TIMEOUT';
}
