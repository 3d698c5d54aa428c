/** Resumes a task for any verb: finds its code, and follows its run as fits its kind. */
import { resolve } from 'node:path';
import { isCommand } from '../../engine/reading/command.ts';
import { PROCESS } from '../../engine/run/still-running.ts';
import { EngineError } from '../../errors.ts';
import { isAlive, type ProcessMark } from '../../system/process/alive.ts';
import { onEndSignal } from '../../system/process/signals.ts';
import { EXIT } from '../../verbs/kit/exit.ts';
import type { Answer, Call, Followed, GoingOn } from '../../verbs/kit/verb.ts';
import { agreeToCommand, agreeToFile, hasAgreedToCommand, needsAgreementTo } from './agreed.ts';
import { follow } from './follow.ts';
import { fileOf, loadTask } from './load.ts';

type Caller = Omit<Call, 'args' | 'options'>;

export async function goOn(call: Caller, id: string, going: GoingOn): Promise<Answer<Followed>> {
  if (going.program) return (await import('./client.ts')).goOnWithClient(call, id, going.program);
  const { loadHead } = await import('../../engine/task/records/head.ts');
  const { storage } = await call.store();
  const head = await loadHead(storage, id);
  if (!head) throw noCode(id, call);
  if (going.file === undefined && isCommand(head)) return goOnWithCommand(call, id, going);
  const file = going.file ?? fileOf(head.origin ?? null);
  if (file === null) throw noCode(id, call);
  if (going.file === undefined && (await needsAgreementTo(storage, head, file))) {
    call.note(call.say('resume.imported', { file }));
    const question = call.say('resume.imported_ask');
    if (going['agree-to'] !== file && !(await confirmed(call, id, going, question, file)))
      return declined(call, id);
    agreeToFile(id, file);
  }
  const { task } = await loadTask(call.path(file), call.say);
  const engine = await call.worker([task]);
  return follow(engine, () => going.begin(engine), call);
}

/** What is shown is what runs, and nothing else does. */
async function goOnWithCommand(call: Caller, id: string, going: GoingOn): Promise<Answer<Followed>> {
  const { say } = call;
  const { again = false, begin } = going;
  const { openCommand, filesLine } = await import('./command-follow.ts');
  const next = await (await call.reader()).nextCommand(id, { again });
  if (!next) throw noCode(id, call);
  const { engine, follow: followCommand } = await openCommand(call, next.argvs);
  const checkpoints = await engine.checkpoints.listCheckpoints(id);
  // They are listed by step; one made before a step comes after those made while it runs.
  const newest = checkpoints.toSorted((a, b) => a.sequence_number - b.sequence_number).at(-1);
  const mark = newest?.metadata[PROCESS] as ProcessMark | undefined;
  if (mark && isAlive(mark)) throw stillRuns(id, mark, call);
  if (again) return followed(await followCommand(() => begin(engine)));
  const first = checkpoints[0];
  const so_far = first ? await engine.previewRollback(first.id) : null;
  if (so_far?.files) call.note(filesLine(so_far.files, say));
  call.note(say('exec.goes_on', { command: next.line }));
  if (next.given.resume_with === null && so_far?.files?.length) {
    const { short } = await call.ids();
    call.note(say('exec.goes_on_top', { command: call.invoke(`restart ${short(id)}`) }));
  }
  const dir = resolve(next.head.working_dir, next.given.dir);
  const known = hasAgreedToCommand(next.head, next.given);
  if (!known) {
    if (next.or !== null) call.note(say('exec.goes_on_or', { command: next.or }));
    call.note(say('exec.goes_on_in', { dir }));
  }
  const asks = (next.given.resume_with === null || !known) && going['agree-to'] !== next.line;
  if (asks && !(await confirmed(call, id, going, say('exec.ask'), next.line))) return declined(call, id);
  agreeToCommand(id, next.head.working_dir, next.given);
  return followed(await followCommand(() => begin(engine)));
}

/** Here, or by another process, if that is waited for. `what` is what would run. */
async function confirmed(
  call: Caller,
  task: string,
  { yes, 'wait-for-answers': waits = false }: GoingOn,
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

function stillRuns(task: string, { pid }: ProcessMark, { say }: Pick<Call, 'say'>): EngineError {
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
