/**
 * A command line as a task: each run is a tool call, with the files before and after it, and a checkpoint whenever files
 * have changed in the meantime. What it does on its terminal is not recorded.
 */
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { TaskContext } from '../../engine/api/context.ts';
import { defineTask } from '../../engine/api/definition.ts';
import type { AnyDefinition } from '../../engine/lifecycle/registry.ts';
import type { CommandInput } from '../../engine/reading/command.ts';
import { PROCESS } from '../../engine/run/still-running.ts';
import { runContextOf } from '../../engine/run/task-context.ts';
import { EngineError } from '../../errors.ts';
import { markOf, type ProcessMark } from '../../system/process/alive.ts';
import { type Attached, type AttachedEnd, runAttached } from '../../system/process/attached.ts';
import { shellFor } from '../../system/process/shell.ts';
import type { Say } from '../../verbs/text/choose.ts';

/** Shared with the code that runs it. */
export interface CommandHost {
  readonly say: Say;
  /** What a person has typed or seen. */
  readonly agreed: readonly (readonly string[])[];
  /** What the command says goes to the error output. */
  readonly aside: boolean;
  pause(task: string, reason: string): Promise<void>;
  /** The command while it runs. */
  current: Attached | null;
  /** How it ended last. */
  end: AttachedEnd | null;
}

export const COMMAND_TASK = 'exec';

export function commandTask(host: CommandHost): AnyDefinition {
  const run = async (task: TaskContext, given: CommandInput): Promise<{ code: number }> => {
    for (let time = 1; ; time++) {
      const command = time === 1 || given.resume_with === null ? given.command : shellFor(given.resume_with);
      let ranHere = false;
      const end = await task.tool<AttachedEnd>(
        'shell',
        { command, dir: given.dir },
        async ({ unknown, signal }) => {
          if (unknown) return CUT_OFF;
          assertAgreed(command, host);
          ranHere = true;
          return runHere(task, command, given, host, signal);
        },
        { dangerous: 'shell_command' },
      );
      if (end.code === 0) return { code: 0 };
      // A command that ended in an earlier run is why it was resumed: continue with the next one.
      if (!ranHere) continue;
      if (!wasInterrupted(end)) throw failed(end, host.say);
      await host.pause(task.id, host.say('run.stopped_by', { signal: end.signal ?? 'SIGINT' }));
    }
  };
  return defineTask(COMMAND_TASK, run, { version: '1' });
}

function assertAgreed(command: readonly string[], { agreed, say }: CommandHost): void {
  if (agreed.some((seen) => isDeepStrictEqual(command, seen))) return;
  throw new EngineError('NOT_RESUMABLE', say('exec.not_agreed'), {
    data: { command, agreed },
    hint: say('exec.not_agreed_hint'),
  });
}

const CUT_OFF: AttachedEnd = { code: null, signal: null };

async function runHere(
  task: TaskContext,
  command: readonly string[],
  { dir, every_ms }: CommandInput,
  host: CommandHost,
  atOnce: AbortSignal,
): Promise<AttachedEnd> {
  const core = runContextOf(task);
  await core.desk?.mayRun({ owner: task.id, signal: atOnce });
  core.assertOwned();
  const program = await runAttached(command, {
    cwd: resolve(core.working_dir, dir),
    env: { ...process.env, VIBE_ENGINE_TASK: task.id },
    aside: host.aside,
  });
  host.current = program;
  const stop = AbortSignal.any([task.signal, atOnce]);
  stop.addEventListener('abort', program.stop);
  if (stop.aborted) program.stop();
  const over = new AbortController();
  const watching = capture(task, markOf(program.pid), every_ms, over.signal);
  watching.catch(() => {}); // It is reported when the command has ended.
  host.end = await program.ended;
  host.current = null;
  stop.removeEventListener('abort', program.stop);
  over.abort();
  await watching;
  atOnce.throwIfAborted(); // It was ended with the run: its outcome is not known.
  return host.end;
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

function failed({ code, signal }: AttachedEnd, say: Say): EngineError {
  const message = signal === null ? say('exec.ended', { code: code! }) : say('exec.ended_by', { signal });
  return new EngineError('COMMAND_FAILED', message, {
    data: { code, signal },
    hint: say('exec.failed_hint'),
  });
}
