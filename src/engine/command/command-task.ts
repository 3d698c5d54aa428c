/**
 * A command line as a task: each run is a tool call, with the files before and after it, and a checkpoint whenever files
 * have changed in the meantime. What it does on its terminal is not recorded.
 */
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { EngineError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { markOf, type ProcessMark } from '../../system/process/alive.ts';
import { type Attached, type AttachedEnd, runAttached } from '../../system/process/attached.ts';
import { shellFor } from '../../system/process/shell.ts';
import type { SessionsWithin } from '../api/attaching.ts';
import type { TaskContext } from '../api/context.ts';
import { defineTask, type TaskDefinition } from '../api/definition.ts';
import { PROCESS } from '../run/still-running.ts';
import { runContextOf } from '../run/task-context.ts';
import type { CommandInput } from './next-command.ts';
import { sessionsWithin } from './sessions-within.ts';

export interface CommandOptions {
  /** What a person has typed or seen: nothing else is run. Default: whatever the input says. */
  readonly agreed?: readonly (readonly string[])[];
  /** What the command prints goes to the error output. */
  readonly aside?: boolean;
  /** Pauses the task: its command was interrupted by a signal. Default: the task fails. */
  readonly pause?: (task: string, reason: string) => Promise<void>;
  /** Called when the command runs, and when it has ended. */
  readonly onStart?: (program: Attached, sessions: SessionsWithin) => void;
  readonly onEnd?: (end: AttachedEnd) => void;
}

const COMMAND_TASK = 'exec';

/** Its command gets this process's terminal; its task is resumed with `resume_with`, or the same command again. */
export function commandTask(options: CommandOptions = {}): TaskDefinition<CommandInput, { code: number }> {
  const run = async (task: TaskContext, given: CommandInput): Promise<{ code: number }> => {
    for (let time = 1; ; time++) {
      const command = time === 1 || given.resume_with === null ? given.command : shellFor(given.resume_with);
      let ranHere = false;
      const end = await task.tool<AttachedEnd>(
        'shell',
        { command, dir: given.dir },
        async ({ unknown, signal }) => {
          if (unknown) return CUT_OFF;
          assertAgreed(command, options);
          ranHere = true;
          return runHere(task, command, given, options, signal);
        },
        { dangerous: 'shell_command' },
      );
      if (end.code === 0) return { code: 0 };
      // A command that ended in an earlier run is why it was resumed: continue with the next one.
      if (!ranHere) continue;
      if (!wasInterrupted(end) || !options.pause) throw failed(end);
      await options.pause(task.id, phrase`stopped by ${end.signal ?? 'SIGINT'}`);
    }
  };
  return defineTask(COMMAND_TASK, run, { version: '1' });
}

function assertAgreed(command: readonly string[], { agreed }: CommandOptions): void {
  if (!agreed || agreed.some((seen) => isDeepStrictEqual(command, seen))) return;
  throw new EngineError(
    'NOT_RESUMABLE',
    phrase`The task would run a different command from the one that was shown.`,
    {
      data: { command, agreed },
      hint: phrase`Resume it again, and check the command that is shown.`,
    },
  );
}

const CUT_OFF: AttachedEnd = { code: null, signal: null };

async function runHere(
  task: TaskContext,
  command: readonly string[],
  { dir, every_ms }: CommandInput,
  { aside = false, onStart, onEnd }: CommandOptions,
  atOnce: AbortSignal,
): Promise<AttachedEnd> {
  const active = runContextOf(task);
  await active.fileAccess?.mayRun({ owner: task.id, signal: atOnce });
  active.assertOwned();
  const program = await runAttached(command, {
    cwd: resolve(active.working_dir, dir),
    env: { ...process.env, VIBE_ENGINE_TASK: task.id },
    aside,
  });
  const sessions = sessionsWithin(active);
  onStart?.(program, sessions);
  const stop = AbortSignal.any([task.signal, atOnce]);
  stop.addEventListener('abort', program.stop);
  if (stop.aborted) program.stop();
  const over = new AbortController();
  const watching = capture(task, markOf(program.pid), every_ms, over.signal);
  watching.catch(() => {}); // It is reported when the command has ended.
  const end = await program.ended;
  onEnd?.(end);
  stop.removeEventListener('abort', program.stop);
  over.abort();
  await watching;
  await sessions.end();
  atOnce.throwIfAborted(); // It was ended with the run: its outcome is not known.
  return end;
}

/** A checkpoint as it begins, then one whenever files have changed. */
async function capture(
  task: TaskContext,
  mark: ProcessMark,
  every_ms: number,
  signal: AbortSignal,
): Promise<void> {
  const { snapshot } = runContextOf(task);
  try {
    let last = await snapshot();
    await task.checkpoint({ metadata: { [PROCESS]: mark } });
    for (;;) {
      await sleep(every_ms, undefined, { signal });
      const now = await snapshot();
      if (now === last) continue;
      last = now;
      await task.checkpoint({ metadata: { [PROCESS]: mark } });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const INTERRUPTS: ReadonlySet<unknown> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP', 129, 130, 143]);

/** By a signal, or with the exit code for one. */
function wasInterrupted({ code, signal }: AttachedEnd): boolean {
  return INTERRUPTS.has(signal) || INTERRUPTS.has(code);
}

function failed({ code, signal }: AttachedEnd): EngineError {
  const message =
    signal === null
      ? phrase`The command exited with code ${code!}.`
      : phrase`The command was ended by ${signal}.`;
  return new EngineError('COMMAND_FAILED', message, {
    data: { code, signal },
    hint: phrase`Resume the task to run it again, or roll it back.`,
  });
}
