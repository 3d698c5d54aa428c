/** `exec`: any command line as a durable task. Its changes to files are captured, so that they can be kept or undone. */
import { relative } from 'node:path';
import { nearest } from '../../config/nearest.ts';
import type { CommandInput } from '../../engine/command/next-command.ts';
import { InvalidInputError } from '../../errors.ts';
import { isProgram, programNames } from '../../system/process/programs.ts';
import { shortened } from '../../system/shortened.ts';
import { type Call, verb } from '../../verbs/kit/verb.ts';
import { ANSWERS, OUTCOME } from '../../verbs/shared/options.ts';
import { agreeToCommand } from './agreed.ts';
import { FILES_CHANGED } from './command-follow.ts';

const EVERY_SECONDS = 5;
const LONGEST_NAME = 60;

export const exec = verb({
  name: 'exec',
  group: 'run',
  arguments: { command: { about: 'exec.argument.command', many: true } },
  options: {
    'resume-with': { value: 'command', about: 'exec.option.resume_with' },
    every: { value: 'seconds', number: { min: 0.1 }, about: 'exec.option.every' },
    name: { value: 'name', about: 'exec.option.name' },
    id: { value: 'id', about: 'run.option.id' },
    ...ANSWERS,
  },
  examples: [
    'exec -- npm run migrate',
    'exec --resume-with "claude --continue" -- claude -p "fix the tests"',
    'exec --every 1 -- ./agent.sh',
  ],
  data: { ...OUTCOME, ...FILES_CHANGED },
  files: true,
  async run(call) {
    const { command } = call.args;
    const { name, id, every = EVERY_SECONDS, 'resume-with': resume_with = null } = call.options;
    const cwd = call.path('.');
    assertProgram(command[0]!, cwd, call);
    const origin: CommandInput = {
      kind: 'command',
      command,
      resume_with,
      dir: relative(call.project_dir, cwd),
      every_ms: every * 1000,
    };
    const { openCommand } = await import('./command-follow.ts');
    const { engine, task, follow } = await openCommand(call, [command]);
    const task_name = name ?? shortened(command.join(' ').replaceAll(/\s+/g, ' '), LONGEST_NAME);
    const options = { origin, task_name, ...(id ? { task_id: id } : {}) };
    return follow(async () => {
      const handle = await engine.start(task, origin, options);
      agreeToCommand(handle.id, engine.project_dir, origin);
      return handle;
    });
  },
});

/** Before the task is created: a typo should leave nothing behind. */
function assertProgram(name: string, cwd: string, { say }: Pick<Call, 'say'>): void {
  const path = process.env.PATH ?? '';
  if (isProgram(name, cwd, path)) return;
  const near = nearest(name, programNames(path));
  throw new InvalidInputError('USAGE', say('exec.no_program', { name }), {
    data: { program: name, nearest: near ?? null },
    hint: (near === undefined ? '' : say('usage.nearest', { nearest: near })) + say('exec.no_program_hint'),
  });
}
