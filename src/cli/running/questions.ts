/** Questions of a running task: asked at the terminal, or printed with the command that answers them. */
import { userInfo } from 'node:os';
import type { Engine } from '../../engine/engine.ts';
import type { AskedWait } from '../../engine/lifecycle/waits.ts';
import { EngineError } from '../../errors.ts';
import { askPerson } from '../../verbs/change/answer.ts';
import { withShortIds } from '../../verbs/kit/short.ts';
import type { Call } from '../../verbs/kit/verb.ts';

type Teller = Pick<Call, 'say' | 'tell' | 'invoke' | 'ask' | 'interactive'>;

/** Until the returned function is called. `leave` is called when a question is left with Ctrl-C. */
export function passQuestionsOn(engine: Engine, teller: Teller, leave: () => void): () => void {
  let asking: AbortController | null = null;
  const stop = (): void => {
    asking?.abort();
    asking = null;
  };
  const off = engine.on('task.status', ({ task, to }) => {
    // Once answered, here or elsewhere, the question is gone.
    stop();
    if (to !== 'waiting') return;
    asking = new AbortController();
    void pass(engine, task, teller, asking.signal, leave);
  });
  return () => {
    off();
    stop();
  };
}

async function pass(
  engine: Engine,
  task: string,
  teller: Teller,
  signal: AbortSignal,
  leave: () => void,
): Promise<void> {
  const open = (await engine.waits(task)).filter(({ answered }) => !answered);
  const own = open.filter(({ kind }) => teller.interactive && kind !== 'external_api');
  for (const wait of open.filter((one) => !own.includes(one))) tellOf(task, wait, teller);
  try {
    for (const wait of own) {
      if (signal.aborted) return;
      const value = await askPerson(wait, teller, signal);
      await engine.answer(task, value, { wait: wait.id, by: userInfo().username });
    }
  } catch (error) {
    if (signal.aborted) return;
    const code = error instanceof EngineError ? error.code : null;
    if (code === 'QUESTION_ANSWERED') return; // Its status changes in a moment.
    if (code === 'NEEDS_ANSWER') return leave();
    for (const wait of own) tellOf(task, wait, teller);
  }
}

function tellOf(task: string, { prompt, kind }: AskedWait, { say, tell, invoke }: Teller): void {
  tell(say('run.waits', { prompt: prompt ?? kind, command: invoke(`answer ${withShortIds(task)} …`) }));
}
