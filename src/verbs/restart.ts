/** `restart`: starts a task again with the code and the input it had; the old one is cancelled. Shows what that means, then asks. */
import { OwnershipError } from '../errors.ts';
import { isFinal } from '../task/status.ts';
import { named } from './changing/files-told.ts';
import { CODE, DRY_RUN, FILE_CHOICES, fileChoices, OUTCOME, YES } from './changing/options.ts';
import { theResumable } from './changing/which.ts';
import { EXIT } from './kit/exit.ts';
import { type Call, verb } from './kit/verb.ts';

export const restart = verb({
  name: 'restart',
  group: 'run',
  files: true,
  summary: 'restart.summary',
  arguments: { task: { about: 'restart.argument', of: 'task', optional: true } },
  options: { undo: { about: 'restart.option.undo' }, ...CODE, ...FILE_CHOICES, ...DRY_RUN, ...YES },
  examples: ['restart', 'restart x7k2qf --undo', 'restart x7k2qf --yes'],
  data: { ...OUTCOME, restarted: 'string', files: ['string'], done: 'boolean' },
  async run(call) {
    const { say, options } = call;
    const ids = await call.ids();
    const given = call.args.task;
    const id =
      given === undefined ? await theResumable(call, 'restart', say('restart.which')) : await ids.task(given);
    const old = await read(call, id);
    const lines = previewLines(old, ids.short(id), options.undo, call);
    const data = { restarted: id, files: [...old.changed], done: false };
    const left = { ...data, task: id, status: old.status, output: null, error: null };
    if (options['dry-run']) return { data: left, lines };
    for (const line of lines) call.note(line);
    const choice = await choose(old, options, call);
    if (choice === 'no') return { data: left, lines: [say('ask.declined')], exit: EXIT.declined };
    const undo = choice === 'undo' ? { undo: true, ...fileChoices(options) } : {};
    const answer = await call.goOn(id, {
      ...options,
      again: true,
      begin: (engine) => engine.restart(id, undo),
    });
    return { ...answer, data: { ...answer.data, ...data, done: true } };
  },
});

interface Old {
  readonly name: string;
  readonly status: string;
  readonly over: boolean;
  /** How its code is told: a command line, or a file. */
  readonly command: string | null;
  readonly changed: readonly string[];
}

/** From the store alone: the engine that runs it is opened with its code. */
async function read(
  { store, say, invoke }: Pick<Call, 'store' | 'say' | 'invoke'>,
  id: string,
): Promise<Old> {
  const { storage } = await store();
  const [{ requireTask }, { changedByItself }] = await Promise.all([
    import('../engine/tasks.ts'),
    import('./looking/changed-files.ts'),
  ]);
  const { head, state } = await requireTask(storage, id);
  const name = head.task_name;
  const owner = await storage.owner(id);
  if (owner)
    throw new OwnershipError('TASK_OWNED', say('restart.owned', { name, holder: owner.holder }), {
      data: { task: id, holder: owner.holder },
      hint: say('restart.owned_hint', { command: invoke(`pause ${id}`) }),
    });
  const { kind, command } = head.origin ?? {};
  const line = kind === 'command' && Array.isArray(command) ? command.join(' ') : null;
  const { changed } = (await changedByItself(storage, id)) ?? { changed: [] };
  return { name, status: state.status, over: isFinal(state.status), command: line, changed };
}

function previewLines(
  { name, over, command, changed }: Old,
  short: string,
  undo: boolean,
  { say, paint }: Pick<Call, 'say' | 'paint'>,
): string[] {
  const files = { count: changed.length, names: named(changed) };
  return [
    paint.bold(say('restart.title', { name, id: short })),
    ...(command === null ? [] : [say('restart.command', { command })]),
    ...(over ? [] : [say('restart.old')]),
    ...(changed.length === 0 ? [] : [say(undo ? 'restart.files_undone' : 'restart.files_stay', files)]),
  ].map((line, at) => (at === 0 ? line : `  ${line}`));
}

type Choice = 'leave' | 'undo' | 'no';

/** What is to become of the old one's files is part of the question, where it changed some. */
async function choose(
  { changed }: Old,
  { undo, yes }: { readonly undo: boolean; readonly yes: boolean },
  { ask, say }: Pick<Call, 'ask' | 'say'>,
): Promise<Choice> {
  if (yes) return undo ? 'undo' : 'leave';
  const question = say('restart.ask');
  if (undo || changed.length === 0)
    return (await ask.confirm(question, '--yes')) ? (undo ? 'undo' : 'leave') : 'no';
  const choices = [
    { value: 'leave', label: say('restart.leave') },
    { value: 'undo', label: say('restart.undo') },
    { value: 'no', label: say('ask.no') },
  ];
  return (await ask.choose(question, choices, '--yes')) as Choice;
}
