/** `conflicts resolve`: decides about each conflict of a file that a task and others changed, or gives the whole file. */
import { userInfo } from 'node:os';
import { decided } from '../../engine/questions/conflict.ts';
import { InvalidInputError } from '../../errors.ts';
import { DECISIONS, type Decision } from '../../merge/decide.ts';
import { type Call, verb } from '../kit/verb.ts';
import { contentOf } from '../shared/previewed.ts';

export const conflictsResolve = verb({
  name: 'conflicts resolve',
  group: 'change',
  arguments: {
    task: { about: 'argument.task', of: 'task' },
    id: { about: 'questions.answer.argument.id' },
  },
  options: {
    hunk: {
      value: 'n=choice',
      accepts: (text: string) => HUNK.test(text),
      many: true,
      about: 'conflicts.option.hunk',
    },
    content: { value: 'file', about: 'conflicts.option.content' },
    text: { value: 'text', about: 'conflicts.option.text' },
    by: { value: 'name', about: 'answer.option.by' },
  },
  examples: [
    'conflicts resolve x7k2qf q1f0a3c9e --hunk 1=ours --hunk 2=both',
    'conflicts resolve x7k2qf q1f0a3c9e --content merged.ts',
  ],
  data: { task: 'string', question: 'string', path: 'string', bytes: 'number', by: 'string' },
  async run(call) {
    const { say, options, args } = call;
    const id = await (await call.ids()).task(args.task);
    const engine = await call.engine();
    const conflict = await engine.reader.conflict(id, args.id);
    const given = [options.hunk.length > 0, options.content !== undefined, options.text !== undefined];
    if (given.filter(Boolean).length !== 1) throw needsOne(call);
    const content =
      options.hunk.length > 0
        ? decided(conflict, decisionsIn(options.hunk))
        : options.text !== undefined
          ? Buffer.from(options.text)
          : contentOf(call, options.content!);
    const by = options.by ?? call.by ?? userInfo().username;
    await engine.answerQuestion(id, args.id, content, { by });
    const { path } = conflict;
    return {
      data: { task: id, question: args.id, path, bytes: content.length, by },
      lines: [say('conflicts.resolved', { path })],
    };
  },
});

const HUNK = new RegExp(`^[1-9]\\d*=(?:${DECISIONS.join('|')})$`);

function decisionsIn(given: readonly string[]): Map<number, Decision> {
  return new Map(
    given.map((text) => {
      const [number, decision] = text.split('=') as [string, Decision];
      return [Number(number), decision];
    }),
  );
}

function needsOne({ say }: Pick<Call, 'say'>): InvalidInputError {
  return new InvalidInputError('USAGE', say('conflicts.needs_one'), {
    data: {},
    hint: say('conflicts.needs_one_hint'),
  });
}
