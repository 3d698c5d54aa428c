/** Who decides about files that others changed too: the call, the settings, what was answered before, then the user. */
import type { Config } from '../../config/types.ts';
import { phrase } from '../../phrase.ts';
import type { FileQuestion, RestoreChoices } from '../../workspace/decide.ts';
import type { Prompter } from '../prompter.ts';

export type FileChoices = Pick<RestoreChoices, 'on_modified' | 'on_deleted' | 'files'>;

export interface Deciding {
  readonly choices: RestoreChoices & Required<Pick<RestoreChoices, 'on_modified' | 'on_deleted'>>;
  /** What was chosen so far: by kind of question and path. */
  readonly answers: Readonly<Record<string, string>>;
}

export function deciding(
  { recovery }: Pick<Config, 'recovery'>,
  given: FileChoices,
  user: { readonly task: string; readonly prompter: Prompter | undefined },
  before: Readonly<Record<string, string>> = {},
): Deciding {
  const answers: Record<string, string> = { ...before };
  const { on_modified = recovery.on_modified, on_deleted = recovery.on_deleted, files } = given;
  for (const [path, choice] of Object.entries(files ?? {})) {
    answers[`modified ${path}`] ??= choice;
    answers[`deleted ${path}`] ??= choice;
  }
  const { prompter } = user;
  const canAsk = prompter !== undefined || Object.keys(answers).length > 0;
  const ask = async (question: FileQuestion): Promise<string> => {
    const key = `${question.kind} ${question.path}`;
    const known = question.options.find((option) => option === answers[key]);
    const chosen = known ?? (await prompter?.ask(asked(user.task, question))) ?? '';
    answers[key] = chosen;
    return chosen;
  };
  const choices = { on_modified, on_deleted, ...(files ? { files } : {}), ...(canAsk ? { ask } : {}) };
  return { choices, answers };
}

function asked(task: string, { path, kind, options, runs, current, checkpoint }: FileQuestion) {
  const message = {
    modified: phrase`${path} was changed by others too. What is to hold?`,
    deleted: phrase`${path} was deleted by others. What is to hold?`,
    conflict: phrase`${path}: the task's lines cannot be taken out without others'. What is to hold?`,
  }[kind];
  return {
    kind: kind === 'deleted' ? ('file_deleted' as const) : ('file_modified' as const),
    task,
    message: runs ? `${message} ${phrase`Tools run what this file says.`}` : message,
    options,
    data: { path, conflict: kind === 'conflict', current, checkpoint, runs },
  };
}
