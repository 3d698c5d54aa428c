/** `questions answer`: answers any question, of a task or of a process that runs or resumes one. The first answer counts. */
import { userInfo } from 'node:os';
import type { AskedWait } from '../../engine/lifecycle/waits.ts';
import type { OpenQuestion } from '../../engine/reading/questions.ts';
import { type Call, verb } from '../kit/verb.ts';
import { plain } from '../shared/plain.ts';
import { labelOf } from '../shared/question-words.ts';
import { answerValue, askPerson } from './answer.ts';

export const questionsAnswer = verb({
  name: 'questions answer',
  group: 'change',
  arguments: {
    task: { about: 'argument.task', of: 'task' },
    id: { about: 'questions.answer.argument.id' },
    value: { about: 'questions.answer.argument.value', optional: true },
  },
  options: {
    text: { about: 'answer.option.text' },
    by: { value: 'name', about: 'answer.option.by' },
  },
  examples: ['questions answer x7k2qf q1f0a3c9e use_current', "questions answer x7k2qf '/wait#0' yes"],
  data: { task: 'string', question: 'string', value: 'any', by: 'string' },
  async run(call) {
    const { say, options, args } = call;
    const id = await (await call.ids()).task(args.task);
    const engine = await call.engine();
    const by = options.by ?? call.by ?? userInfo().username;
    const open = await engine.reader.questions(id);
    const asked = open.find((one) => one.id === args.id);
    const wait = (await engine.waits(id)).find((one) => one.id === args.id);
    const value = await given(call, wait, asked);
    if (wait || args.id.startsWith('/')) await engine.answer(id, value, { wait: args.id, by });
    else await engine.answerQuestion(id, args.id, String(value), { by });
    const line = say('questions.answered', { text: call.translate(asked?.text.split('\n')[0] ?? args.id) });
    return { data: { task: id, question: args.id, value: plain(value), by }, lines: [line] };
  },
});

/** As it was typed, or as the person chooses now. */
async function given(
  call: Call<{ readonly value: string | undefined }, { readonly text: boolean }>,
  wait: AskedWait | undefined,
  asked: OpenQuestion | undefined,
): Promise<unknown> {
  const { say, options, args, ask, translate } = call;
  if (wait && args.value === undefined) return askPerson(wait, call);
  if (wait && !options.text) return answerValue(args.value!, wait, say);
  if (args.value !== undefined) return args.value;
  if (!asked) return ''; // It is refused below, with the reason.
  const choices = asked.options.map((value) => ({ value, label: labelOf(value, asked.going_back, call) }));
  return ask.choose(translate(asked.text), choices, say('answer.flag'), asked.recommended ?? undefined);
}
