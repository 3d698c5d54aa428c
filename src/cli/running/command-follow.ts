/** Follows an `exec` task: signals go to the command, and at the end its changes to files are listed. */

import type { TaskDefinition } from '../../engine/api/definition.ts';
import { messageOf } from '../../engine/api/thrown.ts';
import { commandTask } from '../../engine/command/command-task.ts';
import type { CommandInput } from '../../engine/command/next-command.ts';
import type { Engine, TaskHandle } from '../../engine/engine.ts';
import type { AnyDefinition } from '../../engine/lifecycle/registry.ts';
import type { ChangedFiles } from '../../engine/reading/changed-files.ts';
import type { RunOutcome } from '../../engine/run/services.ts';
import { type Attached, type AttachedEnd, exitCodeOf } from '../../system/process/attached.ts';
import type { LocalService } from '../../system/process/local-service.ts';
import { onEndSignal } from '../../system/process/signals.ts';
import type { Answer, Call, Followed } from '../../verbs/kit/verb.ts';
import { inDoubt, named } from '../../verbs/shared/file-lines.ts';

export const FILES_CHANGED = { code: 'number|null', changed: ['string'], checkpoint: 'string|null' } as const;

interface FollowedCommand extends Followed {
  /** The exit code as a shell reports it; null if it did not get that far. */
  readonly code: number | null;
  readonly changed: readonly string[];
  /** From before the command. */
  readonly checkpoint: string | null;
}

type Caller = Pick<Call, 'say' | 'translate' | 'note' | 'json' | 'invoke' | 'worker'>;

interface OpenCommand {
  readonly engine: Engine;
  readonly task: TaskDefinition<CommandInput, unknown>;
  follow(begin: () => Promise<TaskHandle>): Promise<Answer<FollowedCommand>>;
}

/** Of the command: while it runs, and how it ended last. */
interface Seen {
  current: Attached | null;
  end: AttachedEnd | null;
}

/** `agreed`: what was shown; nothing else is run. */
export async function openCommand(
  call: Caller,
  agreed: readonly (readonly string[])[],
): Promise<OpenCommand> {
  const seen: Seen = { current: null, end: null };
  let within: Promise<LocalService | null> | undefined;
  const task = commandTask({
    agreed,
    aside: call.json,
    pause: (id, reason) => engine.pause(id, reason),
    onStart: (current, sessions) => {
      Object.assign(seen, { current });
      within = import('./within.ts').then(({ serveWithin }) => serveWithin(engine, sessions, call));
      within.catch(() => {}); // The command is recorded all the same.
    },
    onEnd: (end) => {
      Object.assign(seen, { current: null, end });
      void within?.then((service) => service?.close()).catch(() => {});
    },
  });
  const engine = await call.worker([task as unknown as AnyDefinition]);
  return { engine, task, follow: (begin) => followCommand(engine, begin, seen, call) };
}

async function followCommand(
  engine: Engine,
  begin: () => Promise<TaskHandle>,
  seen: Seen,
  call: Caller,
): Promise<Answer<FollowedCommand>> {
  const ignore = onEndSignal((signal) => {
    if (seen.current) seen.current.passOn(signal);
    else if (!seen.end) void engine.close(); // It has not started: there is no command to leave it to.
  });
  try {
    const { id, outcome } = await begin();
    const { readIds } = await import('../../verbs/kit/ids.ts');
    const short = (await readIds(engine.reader, call.say)).short(id);
    call.note(call.say('exec.began', { task: short }));
    return await answerOf(engine, { task: id, short }, await outcome, seen, call);
  } finally {
    ignore();
  }
}

async function answerOf(
  engine: Engine,
  { task, short }: { readonly task: string; readonly short: string },
  outcome: RunOutcome,
  { end }: Seen,
  { say, translate, invoke }: Caller,
): Promise<Answer<FollowedCommand>> {
  const { status } = outcome;
  const files = await engine.reader.changedFiles(task);
  const { changed, in_doubt } = files ?? { changed: [], in_doubt: [] };
  const first = (await engine.checkpoints.listCheckpoints(task))[0];
  const code = end && exitCodeOf(end);
  const data = {
    task,
    status,
    output: status === 'completed' ? (outcome.output ?? null) : null,
    error: 'error' in outcome ? messageOf(outcome.error) : null,
    code,
    changed,
    checkpoint: first?.id ?? null,
  };
  const over = status === 'completed' || status === 'cancelled';
  const lines = [
    say(`exec.${status}`, {
      task: short,
      why: translate(data.error ?? ('reason' in outcome ? outcome.reason : '')),
    }),
    ...filesLines({ changed, in_doubt }, say),
    ...(over ? [] : [say('run.resume_with', { command: invoke(`resume ${short}`) })]),
    ...(changed.length + in_doubt.length === 0
      ? []
      : [say('run.undo', { command: invoke(`undo ${short}`) })]),
  ];
  return { data, lines, aside: true, exit: code ?? (status === 'completed' ? 0 : 1) };
}

export function filesLines(
  { changed, in_doubt }: Pick<ChangedFiles, 'changed' | 'in_doubt'>,
  say: Call['say'],
): string[] {
  const doubts = inDoubt(in_doubt, say);
  const none = doubts === null ? [say('exec.no_files')] : [];
  return [
    ...(changed.length === 0 ? none : [say('exec.files', { count: changed.length, names: named(changed) })]),
    ...(doubts === null ? [] : [doubts]),
  ];
}
