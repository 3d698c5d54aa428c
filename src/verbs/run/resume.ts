/** `resume`: resumes a task where it was, with the code it was started with, or by the program of its agent. */
import { type Answer, type Call, type Program, type Resuming, verb } from '../kit/verb.ts';
import { CONVERSATION, commandLine, continuation, dataOf } from '../shared/conversation.ts';
import { nobodyTakes } from '../shared/more-arguments.ts';
import { CODE, OUTCOME, RECOVERY_CHOICES, recoveryChoices, YES } from '../shared/options.ts';
import { theResumable } from '../shared/which.ts';

export const resume = verb({
  name: 'resume',
  group: 'run',
  arguments: {
    task: { about: 'resume.argument.task', of: 'task', optional: true },
    more: { about: 'resume.argument.more', optional: true, many: true },
  },
  options: { ...CODE, ...RECOVERY_CHOICES, 'dry-run': { about: 'resume.option.dry_run' }, ...YES },
  examples: ['resume', 'resume x7k2qf', 'resume x7k2qf --on-modified merge', 'resume x7k2qf -- --model opus'],
  data: { ...OUTCOME, conversation: CONVERSATION, runs: 'any' },
  files: true,
  async run(call) {
    const { options, say } = call;
    const { task: given, more } = call.args;
    const id =
      given === undefined
        ? await theResumable(call, 'resume', say('resume.which'))
        : await (await call.ids()).task(given);
    const begin: Resuming['begin'] = (engine) => engine.resume(id, recoveryChoices(options));
    const found = options.file === undefined ? await continuation(call, id) : null;
    if (!found) {
      if (more.length > 0) throw nobodyTakes(more, call);
      if (options['dry-run']) return wouldRun(call, id);
      return without(await call.resume(id, { ...options, begin }));
    }
    const conversation = dataOf(found);
    if (options['dry-run']) {
      const { status } = await (await call.reader()).requireState(id);
      return {
        data: { task: id, status, output: null, error: null, conversation, runs: null },
        lines: [commandLine(found, call)],
      };
    }
    const { title, line, command, headless } = found;
    const words = [command.command, ...command.args, ...more];
    const program: Program = {
      title,
      command: words,
      line,
      cwd: command.cwd,
      ...(headless ? { headless } : {}),
    };
    const answer = await call.resume(id, { ...options, begin, program });
    return { ...answer, data: { ...answer.data, conversation, runs: null } };
  },
});

/** A task whose code is known here has no conversation elsewhere. */
function without<D extends object>({
  data,
  ...rest
}: Answer<D>): Answer<D & { conversation: null; runs: null }> {
  return { ...rest, data: { ...data, conversation: null, runs: null } };
}

/** What would run here, as `--agree-to` takes it. */
async function wouldRun(call: Pick<Call, 'say' | 'reader'>, task: string) {
  const reader = await call.reader();
  const { status } = await reader.requireState(task);
  const runs = await reader.whatRuns(task);
  const line = runs
    ? call.say('resume.runs', { what: runs.what, dir: runs.dir })
    : call.say('resume.no_code', { task });
  return {
    data: { task, status, output: null, error: null, conversation: null, runs },
    lines: [line, ...(runs?.imported ? [call.say('resume.runs_imported')] : [])],
  };
}
