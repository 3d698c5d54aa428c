/** `answer`: answers a task's question, in any process and at any time. */
import { userInfo } from 'node:os';
import { nearest } from '../../config/nearest.ts';
import type { Engine } from '../../engine/engine.ts';
import type { AskedWait } from '../../engine/lifecycle/waits.ts';
import { EngineError, InvalidInputError } from '../../errors.ts';
import { type Call, verb } from '../kit/verb.ts';
import { plain } from '../shared/plain.ts';

export const answer = verb({
  name: 'answer',
  group: 'change',
  arguments: {
    task: { about: 'argument.task', of: 'task' },
    value: { about: 'answer.argument.value', optional: true },
  },
  options: {
    text: { about: 'answer.option.text' },
    wait: { value: 'id', about: 'answer.option.wait' },
    by: { value: 'name', about: 'answer.option.by' },
  },
  examples: ['answer x7k2qf yes', 'answer x7k2qf true', 'answer x7k2qf \'{"port": 8080}\''],
  data: { task: 'string', wait: 'string', value: 'any', holder: 'string|null' },
  async run(call) {
    const { say, options } = call;
    const ids = await call.ids();
    const id = await ids.task(call.args.task);
    const engine = await call.engine();
    const waits = await engine.waits(id);
    if (!waits.some(({ answered }) => !answered)) await refuseFailed(call, engine, id);
    const wait = chosen(waits, options.wait, call, call.args.task);
    if (wait.timed_out && (await engine.reader.holder(id)) === null)
      throw tooLate(call, id, 'answer.too_late_hint', `resume ${ids.short(id)}`);
    const given = call.args.value;
    const value =
      given === undefined
        ? await askPerson(wait, call)
        : options.text
          ? given
          : answerValue(given, wait, say);
    await engine.answer(id, value, { wait: wait.id, by: options.by ?? call.by ?? userInfo().username });
    const holder = await engine.reader.holder(id);
    const command = call.invoke(`resume ${ids.short(id)}`);
    return {
      data: { task: id, wait: wait.id, value: plain(value), holder },
      lines: [holder === null ? say('answer.kept', { command }) : say('answer.sent', { holder })],
    };
  },
});

/** A task that failed because this answer was missing asks again when it is retried. */
async function refuseFailed(
  call: Pick<Call, 'say' | 'invoke' | 'ids'>,
  engine: Engine,
  id: string,
): Promise<void> {
  const state = await engine.state(id);
  if (state?.status !== 'failed' || state.data.error_type !== 'WAIT_TIMEOUT') return;
  throw tooLate(call, id, 'answer.failed_hint', `retry ${(await call.ids()).short(id)}`);
}

function tooLate(
  { say, invoke }: Pick<Call, 'say' | 'invoke'>,
  task: string,
  hint: 'answer.too_late_hint' | 'answer.failed_hint',
  command: string,
): EngineError {
  return new EngineError('WAIT_TIMEOUT', say('answer.too_late'), {
    data: { task },
    hint: say(hint, { command: invoke(command) }),
  });
}

/** The named one, or the oldest unanswered. */
function chosen(
  waits: readonly AskedWait[],
  wanted: string | undefined,
  { say }: Pick<Call, 'say'>,
  task: string,
): AskedWait {
  // An answer to what was answered is refused with who was faster.
  const answered = waits.find(({ id }) => wanted === undefined || id === wanted);
  const unanswered = waits.filter((one) => !one.answered);
  const open = unanswered.length > 0 || !answered ? unanswered : [answered];
  if (open.length === 0) {
    const message = say(waits.length === 0 ? 'answer.nothing_asked' : 'answer.all_answered', { task });
    throw new EngineError('NOT_RESUMABLE', message, { data: { task }, hint: say('answer.nothing_hint') });
  }
  if (wanted === undefined) return open.find(({ timed_out }) => !timed_out) ?? open[0]!;
  const found = open.find(({ id }) => id === wanted);
  if (found) return found;
  const names = open.map(({ id }) => id);
  const near = nearest(wanted, names);
  const meant = near === undefined ? '' : say('usage.nearest', { nearest: near });
  throw new InvalidInputError('USAGE', say('answer.no_such', { id: wanted }), {
    data: { task, wait: wanted, open: names },
    hint: meant + say('answer.open', { ids: names.join(', ') }),
  });
}

/** As at a terminal: "no" to an approval must not count as a text, which would be truthy. */
export function answerValue(text: string, { kind }: AskedWait, say: Call['say']): unknown {
  const value = valueIn(text);
  if (kind !== 'human_approval') return value;
  const word = text.trim().toLowerCase();
  if (['yes', 'y', say('ask.yes')].includes(word)) return true;
  if (['no', 'n', say('ask.no')].includes(word)) return false;
  if (value !== null && typeof value !== 'string' && typeof value !== 'number') return value;
  throw new InvalidInputError('USAGE', say('answer.not_yes_or_no', { value: text }), {
    data: { value: text },
    hint: say('answer.not_yes_or_no_hint'),
  });
}

/** JSON if it is valid JSON, otherwise the text. */
export function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What a person says to it; `signal` withdraws the question. */
export async function askPerson(
  { kind, prompt }: AskedWait,
  { say, ask }: Pick<Call, 'say' | 'ask'>,
  signal?: AbortSignal,
): Promise<unknown> {
  const question = prompt ?? kind;
  if (kind === 'human_approval') return ask.confirm(question, say('answer.flag'), signal);
  return valueIn(await ask.text(question, say('answer.flag'), signal));
}
