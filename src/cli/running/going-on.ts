/** Going on with a task, however it is asked for: its code found again, and its run followed as one of its kind is. */
import { EngineError } from '../../errors.ts';
import { isAlive, type ProcessMark } from '../../system/alive.ts';
import { EXIT } from '../../verbs/kit/exit.ts';
import type { Answer, Call, Followed, GoingOn } from '../../verbs/kit/verb.ts';
import { type CommandOrigin, PROCESS } from './command.ts';
import { follow } from './follow.ts';
import { fileOf, loadTask } from './load.ts';

type Caller = Omit<Call, 'args' | 'options'>;

export async function goOn(call: Caller, id: string, going: GoingOn): Promise<Answer<Followed>> {
  const { loadHead } = await import('../../engine/head.ts');
  const { storage } = await call.store();
  const origin = (await loadHead(storage, id))?.origin ?? null;
  const command = going.file === undefined && origin?.kind === 'command' ? (origin as CommandOrigin) : null;
  if (command) return goOnWithCommand(call, id, command, going);
  const file = going.file ?? fileOf(origin);
  if (file === null) throw noCode(id, call);
  const { task } = await loadTask(call.path(file), call.say);
  const engine = await call.worker([task]);
  return follow(engine, () => going.begin(engine), call);
}

async function goOnWithCommand(
  call: Caller,
  id: string,
  { command, resume_with }: CommandOrigin,
  { yes, again: fromStart = false, begin }: GoingOn,
): Promise<Answer<Followed>> {
  const { say } = call;
  const { openCommand, filesLine } = await import('./command-follow.ts');
  const { engine, follow: followCommand } = await openCommand(call);
  const checkpoints = await engine.checkpoints.listCheckpoints(id);
  // They are listed by step; one made before a step stands behind those made while it runs.
  const newest = checkpoints.toSorted((a, b) => a.sequence_number - b.sequence_number).at(-1);
  const mark = newest?.metadata[PROCESS] as ProcessMark | undefined;
  if (mark && isAlive(mark)) throw stillRuns(id, mark, call);
  if (fromStart) return followed(await followCommand(() => begin(engine)));
  const first = checkpoints[0];
  const so_far = first ? await engine.previewRollback(first.id) : null;
  if (so_far?.files) call.note(filesLine(so_far.files, say));
  const again = resume_with ?? command.join(' ');
  call.note(say('exec.goes_on', { command: again }));
  if (resume_with === null && !yes && !(await call.ask.confirm(say('exec.ask'), '--yes'))) {
    const status = (await engine.state(id))!.status as Followed['status'];
    const data = { task: id, status, output: null, error: null };
    return { data, lines: [say('ask.declined')], exit: EXIT.declined };
  }
  return followed(await followCommand(() => begin(engine)));
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
