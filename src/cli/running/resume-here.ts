/** Resumes a task for any verb: finds its code, and follows its run as fits its kind. */
import { resolve } from 'node:path';
import { EngineError } from '../../errors.ts';
import { onEndSignal } from '../../system/process/signals.ts';
import { EXIT } from '../../verbs/kit/exit.ts';
import type { Answer, Call, Followed, Resuming } from '../../verbs/kit/verb.ts';
import { agreeToCommand, agreeToFile, hasAgreedToCommand, needsAgreementTo } from './agreed.ts';
import { follow } from './follow.ts';
import { loadTask } from './load.ts';

type Caller = Omit<Call, 'args' | 'options'>;

export async function resumeHere(call: Caller, id: string, how: Resuming): Promise<Answer<Followed>> {
  if (how.program) return (await import('./client.ts')).resumeWithClient(call, id, how.program);
  const file = how.file ?? (await agreedFile(call, id, how));
  if (typeof file !== 'string') return file;
  const { task } = await loadTask(call.path(file), call.say);
  const engine = await call.worker([task]);
  return follow(engine, () => how.begin(engine), call);
}

/** The file of its code, or the answer where there is none to load. */
async function agreedFile(call: Caller, id: string, how: Resuming): Promise<string | Answer<Followed>> {
  const runs = await (await call.reader()).whatRuns(id);
  if (!runs) throw noCode(id, call);
  if (runs.kind === 'command') return resumeCommand(call, id, how);
  const file = runs.what;
  if (!needsAgreementTo(runs)) return file;
  call.note(call.say('resume.imported', { file }));
  const question = call.say('resume.imported_ask');
  if (how['agree-to'] !== file && !(await confirmed(call, id, how, question, file)))
    return declined(call, id);
  agreeToFile(id, file);
  return file;
}

/** What is shown is what runs, and nothing else does. */
async function resumeCommand(call: Caller, id: string, how: Resuming): Promise<Answer<Followed>> {
  const { say } = call;
  const { again = false, begin } = how;
  const { openCommand, filesLines } = await import('./command-follow.ts');
  const reader = await call.reader();
  const next = await reader.nextCommand(id, { again });
  if (!next) throw noCode(id, call);
  const { engine, follow: followCommand } = await openCommand(call, next.argvs);
  const [pid] = await reader.leftRunning(id);
  if (pid !== undefined) throw stillRuns(id, pid, call);
  if (again) return followed(await followCommand(() => begin(engine)));
  const first = (await engine.checkpoints.listCheckpoints(id))[0];
  const so_far = first ? await engine.previewRollback(first.id) : null;
  if (so_far?.plan) {
    const changes = so_far.plan.filter(({ action }) => action !== 'keep');
    const of = (doubtful: boolean) =>
      changes.filter((one) => one.doubtful === doubtful).map(({ path }) => path);
    for (const line of filesLines({ changed: of(false), in_doubt: of(true) }, say)) call.note(line);
  }
  call.note(say('exec.resume_with', { command: next.line }));
  if (next.given.resume_with === null && so_far?.files?.length) {
    const { short } = await call.ids();
    call.note(say('exec.runs_on_top', { command: call.invoke(`restart ${short(id)}`) }));
  }
  const dir = resolve(next.head.working_dir, next.given.dir);
  const known = hasAgreedToCommand(next);
  if (!known) {
    if (next.or !== null) call.note(say('exec.may_run', { command: next.or }));
    call.note(say('exec.runs_in', { dir }));
  }
  const asks = (next.given.resume_with === null || !known) && how['agree-to'] !== next.line;
  if (asks && !(await confirmed(call, id, how, say('exec.ask'), next.line))) return declined(call, id);
  agreeToCommand(id, next.head.working_dir, next.given);
  return followed(await followCommand(() => begin(engine)));
}

/** Here, or by another process, if that is waited for. `what` is what would run. */
async function confirmed(
  call: Caller,
  task: string,
  { yes, 'wait-for-answers': waits = false }: Resuming,
  question: string,
  what: string,
): Promise<boolean> {
  if (yes) return true;
  if (call.interactive || !waits) return call.ask.confirm(question, '--yes');
  const { askingAnywhere, toRun } = await import('../../engine/questions/anywhere.ts');
  const { storage } = await call.store();
  const { note, invoke, now } = call;
  const notify = (lines: readonly string[]): void => lines.forEach((line) => void note(call.translate(line)));
  const asking = askingAnywhere({ storage, clock: { now }, notify, command: invoke }, undefined);
  const ignore = onEndSignal(() => void asking.close());
  try {
    return (await asking.ask(toRun(task, what))) === 'yes';
  } finally {
    ignore();
  }
}

async function declined({ reader, say }: Caller, task: string): Promise<Answer<Followed>> {
  const { status } = await (await reader()).requireState(task);
  const data = { task, status: status as Followed['status'], output: null, error: null };
  return { data, lines: [say('ask.declined')], exit: EXIT.declined };
}

function followed({ data, ...rest }: Answer<Followed>): Answer<Followed> {
  const { task, status, output, error } = data;
  return { ...rest, data: { task, status, output, error } };
}

function stillRuns(task: string, pid: number, { say }: Pick<Call, 'say'>): EngineError {
  return new EngineError('NOT_RESUMABLE', say('exec.still_runs', { pid }), {
    data: { task, pid },
    hint: say('exec.still_runs_hint', { pid }),
  });
}

function noCode(task: string, { say }: Pick<Call, 'say'>): EngineError {
  return new EngineError('TASK_UNKNOWN', say('resume.no_code', { task }), {
    data: { task },
    hint: say('resume.no_code_hint'),
  });
}
