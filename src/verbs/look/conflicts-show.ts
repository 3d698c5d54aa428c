/** `conflicts show`: a file that a task and others changed at the same places, hunk by hunk. */
import { verb } from '../kit/verb.ts';
import { conflictLines, shownConflict } from '../shared/conflict-hunks.ts';

const SPAN = { start: 'number', count: 'number' } as const;

export const conflictsShow = verb({
  name: 'conflicts show',
  group: 'look',
  arguments: {
    task: { about: 'argument.task', of: 'task' },
    id: { about: 'questions.answer.argument.id' },
  },
  examples: ['conflicts show x7k2qf q1f0a3c9e'],
  data: {
    task: 'string',
    question: 'string',
    path: 'string',
    labels: { ours: 'string', base: 'string', theirs: 'string' },
    conflicts: 'number',
    /** Why it can be resolved as a whole only. */
    unmergeable: 'string|null',
    cut: 'boolean',
    hunks: [
      {
        index: 'number|null',
        kind: 'string',
        text: 'string|null',
        base: 'string|null',
        ours: 'string|null',
        theirs: 'string|null',
        at: [SPAN],
        suggestions: [{ by: 'string', text: 'string', inside_key: ['string'] }],
        /** Members whose text begins inside a private key. */
        inside_key: ['string'],
      },
    ],
  },
  async run(call) {
    const ids = await call.ids();
    const task = await ids.task(call.args.task);
    const question = call.args.id;
    const conflict = await (await call.reader()).conflict(task, question);
    const { path, merge } = conflict;
    const { cut, hunks, unmergeable } = shownConflict(conflict);
    const labels = {
      ours: call.say('conflicts.ours'),
      base: call.say('conflicts.base'),
      theirs: call.say('conflicts.theirs'),
    };
    const conflicts = merge.conflicts.length;
    const resolve = call.invoke(`conflicts resolve ${ids.short(task)} ${question} ${flagsFor(conflicts)}`);
    return {
      data: { task, question, path, labels, conflicts, unmergeable, cut, hunks },
      lines: [
        call.paint.bold(call.say('conflicts.title', { path, count: conflicts })),
        ...hunks.flatMap((hunk) => conflictLines(hunk, labels, call)),
        call.say('conflicts.command', { command: resolve }),
      ],
    };
  },
});

function flagsFor(conflicts: number): string {
  const shown = Array.from({ length: Math.min(conflicts, 3) }, (_, index) => `--hunk ${index + 1}=ours`);
  return [...shown, ...(conflicts > shown.length ? ['…'] : [])].join(' ');
}
