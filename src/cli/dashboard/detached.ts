/**
 * Resumes a task for the page, in a process of its own: neither ends the other. Its questions are recorded, and wait for the
 * page or a terminal to answer them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EngineError, type ErrorCode, VibeError } from '../../errors.ts';
import { jsonIn } from '../../system/json.ts';
import { packaged } from '../../system/packaged.ts';
import { type Detached, startDetached } from '../../system/user/detached.ts';
import type { AskedVerb } from '../../verbs/kit/perform.ts';
import type { Answer, Call, Followed, Resuming } from '../../verbs/kit/verb.ts';
import { wordsOf } from '../../verbs/kit/words-of.ts';

type Caller = Omit<Call, 'args' | 'options'>;

/** How long it may take until the task is taken up; after that it is said to be on its way. */
const PATIENCE_MS = 20_000;
const AGAIN_MS = 50;

export async function resumeDetached(
  call: Caller,
  task: string,
  how: Resuming,
  asked: AskedVerb,
): Promise<Answer<Followed>> {
  if (how.program && !how.program.headless) throw needsTerminal(call, task, how.program.line);
  const words = wordsFor(asked, task);
  const { storage } = await call.store();
  const holder = await storage.owner(task);
  const place = [`--project=${call.project_dir}`, `--lang=${call.language}`, '--json', '--wait-for-answers'];
  const program = [process.execPath, fileURLToPath(packaged('bin/vibe-engine.js')), ...place, ...words];
  const run = await startDetached(program, { cwd: call.project_dir, sort: 'runs', name: task });
  const reader = await call.reader();
  const end = performance.now() + PATIENCE_MS;
  while (run.ended() === null && performance.now() < end) {
    const owner = await storage.owner(task);
    if (owner !== null && owner.fence !== holder?.fence) break;
    if ((await reader.questions(task)).some(({ pid }) => pid === run.pid)) break;
    await sleep(AGAIN_MS);
  }
  return run.ended() === null ? onItsWay(task) : answerOf(run, task, call);
}

/** The task by its id, also where none was named. */
function wordsFor({ verb, args, options }: AskedVerb, task: string): string[] {
  const said = 'by' in verb.options ? { ...options, by: 'dashboard' } : options;
  return wordsOf(verb, 'task' in verb.arguments ? { ...args, task } : args, said);
}

function onItsWay(task: string): Answer<Followed> {
  return { data: { task, status: 'in_progress', output: null, error: null }, lines: [] };
}

/** It has ended already: its own answer, or its own error. */
function answerOf(run: Detached, task: string, { say }: Pick<Call, 'say'>): Answer<Followed> {
  const said = (jsonIn(run.output()) ?? null) as Said | null;
  if (said?.ok) return { data: said.data as Followed, lines: [] };
  const { code, message, hint, data } = said?.error ?? {};
  if (code === undefined || message === undefined)
    throw new EngineError('RUN_STOPPED', say('ui.ended_early'), {
      data: { task, log: run.log },
      hint: say('ui.ended_early_hint', { log: run.log ?? '–' }),
    });
  throw new VibeError(code, message, { data: data ?? {}, hint: hint ?? '' });
}

interface Said {
  readonly ok: boolean;
  readonly data?: unknown;
  readonly error?: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly hint: string;
    readonly data: Record<string, unknown>;
  };
}

/** An agent's own program talks to a person. */
function needsTerminal({ say }: Pick<Call, 'say'>, task: string, command: string): EngineError {
  return new EngineError('NOT_RESUMABLE', say('ui.not_here'), {
    data: { task, command },
    hint: say('ui.not_here_hint', { command }),
  });
}
