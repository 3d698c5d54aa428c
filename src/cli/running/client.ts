/** Continues a task by the program of its agent: on this terminal, until that program ends. */
import { EngineError, OwnershipError } from '../../errors.ts';
import { exitCodeOf, runAttached } from '../../system/process/attached.ts';
import { isProgram } from '../../system/process/programs.ts';
import { onEndSignal } from '../../system/process/signals.ts';
import type { Answer, Call, Followed, Program } from '../../verbs/kit/verb.ts';

type Caller = Omit<Call, 'args' | 'options'>;

export async function resumeWithClient(
  call: Caller,
  task: string,
  program: Program,
): Promise<Answer<Followed>> {
  const { say } = call;
  const { title, command, cwd } = program;
  const reader = await call.reader();
  const holder = await reader.holder(task);
  if (holder !== null) throw isBusy(task, holder, program, call);
  if (!isProgram(command[0]!, cwd, process.env.PATH ?? '')) throw noProgram(task, program, call);
  call.note(say('resume.starts', { title, command: program.line }));
  // The program tells the task by its session, which may not have a conversation yet.
  const env = { ...process.env, VIBE_ENGINE_TASK: task };
  const running = await runAttached(command, { cwd, env, aside: call.json });
  const ignore = onEndSignal(running.passOn);
  try {
    const exit = exitCodeOf(await running.ended);
    const { status } = await reader.requireState(task);
    const data = { task, status: status as Followed['status'], output: null, error: null };
    return { data, lines: [say('resume.ended', { title })], exit, aside: true };
  } finally {
    ignore();
  }
}

function isBusy(task: string, holder: string, { title }: Program, { say }: Caller): OwnershipError {
  return new OwnershipError('TASK_OWNED', say('resume.busy', { task, title, holder }), {
    data: { task, owner: holder },
    hint: say('resume.busy_hint'),
  });
}

function noProgram(task: string, { title, command, line, cwd }: Program, { say }: Caller): EngineError {
  return new EngineError('NOT_RESUMABLE', say('resume.no_program', { title, name: command[0]! }), {
    data: { task, program: command[0] },
    hint: say('resume.no_program_hint', { dir: cwd, command: line }),
  });
}
