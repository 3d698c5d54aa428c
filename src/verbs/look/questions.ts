/** `questions`: everything that people are asked, by tasks and by the processes that run or resume them. */
import { amountsOf } from '../kit/amounts.ts';
import { type Call, verb } from '../kit/verb.ts';
import { QUESTION_SHAPE, type ShownQuestion, shownQuestion } from '../shared/questions.ts';

export const questions = verb({
  name: 'questions',
  group: 'look',
  arguments: { task: { about: 'questions.argument', of: 'task', optional: true } },
  watch: true,
  examples: ['questions', 'questions x7k2qf', 'questions --watch'],
  data: { questions: [QUESTION_SHAPE] },
  async run(call) {
    const { say, args } = call;
    if (args.task === undefined && !(await call.findStore()))
      return { data: { questions: [] }, lines: [say('questions.none')] };
    const ids = await call.ids();
    const task = args.task === undefined ? undefined : await ids.task(args.task);
    const open = await (await call.reader()).questions(task);
    const found = open.map((one) => shownQuestion(one, ids.short, call));
    const lines = found.flatMap((one) => linesOf(one, call));
    return { data: { questions: found }, lines: lines.length > 0 ? lines : [say('questions.none')] };
  },
});

function linesOf(question: ShownQuestion, call: Call<unknown, unknown>): string[] {
  const { say, paint, invoke } = call;
  const { id, short, name, text, asked_at, options, conflict } = question;
  const { ago } = amountsOf(call);
  const answer = (value: string): string => invoke(`questions answer ${short} ${quoted(id)} ${value}`);
  const [first = '', ...more] = text.split('\n');
  return [
    `${paint.bold(name)} ${short} ${paint.dim(ago(asked_at))}`,
    `  ${first}`,
    ...more.map((line) => `  ${line}`),
    // Each can be pasted as it is.
    ...(options.length === 0
      ? [`  ${say('questions.command', { command: answer('…') })}`]
      : options.flatMap(({ value, label, recommended }) => [
          `  ${label}${recommended ? ` ${paint.dim('←')}` : ''}`,
          `    ${answer(quoted(value))}`,
        ])),
    ...(conflict
      ? [`  ${say('questions.conflict', { command: invoke(`conflicts show ${short} ${id}`) })}`]
      : []),
  ];
}

/** As a shell takes it. */
function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word}'`;
}
