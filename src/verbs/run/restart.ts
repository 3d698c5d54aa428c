/**
 * `restart`: starts a task again with the same code and input; its changes to files are undone. Shows what that means, then
 * asks.
 */
import type { FileChoices } from '../../engine/files/choices.ts';
import type { PlannedFile } from '../../engine/files/workspace-link.ts';
import { OwnershipError } from '../../errors.ts';
import { isFinal, type TaskStatus } from '../../task/status.ts';
import { EXIT } from '../kit/exit.ts';
import { type Call, verb } from '../kit/verb.ts';
import { named, plannedLines } from '../shared/file-lines.ts';
import { CODE, DRY_RUN, FILE_CHOICES, fileChoices, OUTCOME, YES } from '../shared/options.ts';
import { theResumable } from '../shared/which.ts';

export const restart = verb({
  name: 'restart',
  group: 'run',
  files: true,
  arguments: { task: { about: 'restart.argument', of: 'task', optional: true } },
  options: {
    'keep-files': { about: 'restart.option.keep_files' },
    upstream: { about: 'restart.option.upstream' },
    ...CODE,
    ...FILE_CHOICES,
    ...DRY_RUN,
    ...YES,
  },
  examples: ['restart', 'restart x7k2qf --dry-run', 'restart x7k2qf --upstream --yes'],
  data: { ...OUTCOME, restarted: 'string', files: ['string'], done: 'boolean' },
  async run(call) {
    const { say, options } = call;
    const ids = await call.ids();
    const given = call.args.task;
    const id =
      given === undefined ? await theResumable(call, 'restart', say('restart.which')) : await ids.task(given);
    const { plan, ...old } = await planned(call, await read(call, id), id, options);
    const heading = headLines(old, ids.short(id), options.upstream, call);
    const data = { restarted: id, files: [...old.changed], done: false };
    const left = { ...data, task: id, status: old.status, output: null, error: null };
    const becomes = options['keep-files']
      ? filesLines(old, true, call)
      : undoLines(old, plan, call, fileChoices(options));
    const lines = indented([...heading, ...becomes]);
    if (options['dry-run']) return { data: left, lines };
    for (const line of lines) call.note(line);
    const choice = await choose(old, options, call);
    if (choice === 'no') return { data: left, lines: [say('ask.declined')], exit: EXIT.declined };
    const { upstream } = options;
    const wanted = { undo: choice === 'undo', upstream, ...fileChoices(options) };
    const answer = await call.resume(id, {
      ...options,
      again: true,
      begin: (engine) => engine.restart(id, wanted),
    });
    return { ...answer, data: { ...answer.data, ...data, done: true } };
  },
});

interface Old {
  readonly name: string;
  readonly status: TaskStatus;
  readonly over: boolean;
  /** Its code: a command line, or a file. */
  readonly command: string | null;
  readonly changed: readonly string[];
}

/** Only from the store: the engine that runs it is opened with its code. */
async function read(
  { say, invoke, ...call }: Pick<Call, 'reader' | 'say' | 'invoke'>,
  id: string,
): Promise<Old> {
  const reader = await call.reader();
  const { status, task_name: name } = await reader.requireState(id);
  const holder = await reader.holder(id);
  if (holder !== null)
    throw new OwnershipError('TASK_OWNED', say('restart.owned', { name, holder }), {
      data: { task: id, holder },
      hint: say('restart.owned_hint', { command: invoke(`pause ${id}`) }),
    });
  const line = (await reader.nextCommand(id, { again: true }))?.line ?? null;
  const { changed } = (await reader.changedFiles(id)) ?? { changed: [] };
  return { name, status, over: isFinal(status), command: line, changed };
}

/** What would happen to its files. Taken from the plan, which also knows the changes of interrupted operations. */
async function planned(
  call: Pick<Call, 'engine'>,
  old: Old,
  id: string,
  options: Parameters<typeof fileChoices>[0] & { readonly 'keep-files': boolean },
): Promise<Old & { readonly plan: readonly PlannedFile[] | null }> {
  if (options['keep-files']) return { ...old, plan: null };
  const { plan } = await (await call.engine()).previewUndo(id);
  const { files, on_modified, on_deleted } = fileChoices(options);
  const stays = ({ path, action, why }: PlannedFile): boolean => {
    const chosen = files?.[path] ?? (why === 'deleted' ? on_deleted : on_modified);
    return action === 'keep' || (action === 'ask' && (chosen === 'use_current' || chosen === 'skip'));
  };
  const changed = plan?.filter((file) => !stays(file)).map(({ path }) => path) ?? old.changed;
  return { ...old, plan, changed };
}

function headLines(
  { name, status, over, command }: Old,
  short: string,
  upstream: boolean,
  { say, paint }: Teller,
): string[] {
  return [
    paint.bold(say('restart.title', { name, id: short })),
    command === null ? say('restart.code') : say('restart.command', { command }),
    over ? say('restart.over', { status: say(`status.${status}`) }) : say('restart.old'),
    ...(upstream ? [say('restart.upstream')] : []),
  ];
}

function filesLines({ changed }: Old, keep: boolean, { say }: Teller): string[] {
  const files = { count: changed.length, names: named(changed) };
  if (changed.length === 0) return [say('restart.no_files')];
  return [say(keep ? 'restart.files_stay' : 'restart.files_undone', files)];
}

/** The same file by file. */
function undoLines(
  old: Old,
  plan: readonly PlannedFile[] | null,
  teller: Teller,
  choices: FileChoices,
): string[] {
  const told = plan?.some(({ action, why }) => action !== 'keep' || why !== 'already') ?? false;
  if (!told) return filesLines(old, false, teller);
  const lines = plannedLines(plan, teller, choices);
  if (old.changed.length === 0) return lines;
  return [...filesLines(old, false, teller), ...lines.map((line) => `  ${line}`)];
}

type Teller = Pick<Call, 'say' | 'paint'>;

function indented([title, ...lines]: readonly string[]): string[] {
  return [title!, ...lines.map((line) => `  ${line}`)];
}

type Choice = 'leave' | 'undo' | 'no';

/** If the old task changed files, the question includes what to do with them. */
async function choose(
  { changed }: Old,
  { 'keep-files': keep, yes }: { readonly 'keep-files': boolean; readonly yes: boolean },
  { ask, say }: Pick<Call, 'ask' | 'say'>,
): Promise<Choice> {
  const wanted = keep ? 'leave' : 'undo';
  if (yes) return wanted;
  const question = say('restart.ask');
  if (keep || changed.length === 0) return (await ask.confirm(question, '--yes')) ? wanted : 'no';
  const choices = [
    { value: 'undo', label: say('restart.undo') },
    { value: 'leave', label: say('restart.leave') },
    { value: 'no', label: say('ask.no') },
  ];
  return (await ask.choose(question, choices, '--yes')) as Choice;
}
