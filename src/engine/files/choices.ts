/** Who decides about files that others changed too: the call, the settings, what was answered before, then the user. */
import type { Config } from '../../config/types.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import type { FileQuestion, RestoreChoices } from '../../workspace/restore/decide.ts';
import type { Prompter, Question } from '../api/prompter.ts';

export type FileChoices = Pick<
  RestoreChoices,
  'on_modified' | 'on_deleted' | 'files' | 'hunks' | 'contents' | 'expect_files'
>;

export interface Deciding {
  readonly choices: RestoreChoices & Required<Pick<RestoreChoices, 'on_modified' | 'on_deleted'>>;
  /** What was chosen so far: by kind of question and path. */
  readonly answers: Readonly<Record<string, string>>;
}

interface Asked {
  readonly task: string;
  readonly prompter: Prompter | undefined;
  /** The task's changes are undone: its files become what they were before. */
  readonly going_back?: boolean;
  /** The task whose changes are brought here. */
  readonly taking?: string;
}

export function deciding(
  { recovery }: Pick<Config, 'recovery'>,
  given: FileChoices,
  user: Asked,
  before: Readonly<Record<string, string>> = {},
): Deciding {
  const answers: Record<string, string> = { ...before };
  const { on_modified = recovery.on_modified, on_deleted = recovery.on_deleted, ...single } = given;
  const { files } = single;
  for (const [path, choice] of Object.entries(files ?? {})) {
    answers[`modified ${path}`] ??= choice;
    answers[`deleted ${path}`] ??= choice;
  }
  const { prompter } = user;
  const canAsk = prompter !== undefined || Object.keys(answers).length > 0;
  const ask = async (question: FileQuestion): Promise<string> => {
    const key = `${question.kind} ${question.path}`;
    const known = question.options.find((option) => option === answers[key]);
    const chosen = known ?? (await prompter?.ask(asked(user, question)));
    answers[key] = typeof chosen === 'string' ? chosen : '';
    return answers[key];
  };
  const { hunks, contents, expect_files } = single;
  const choices = {
    on_modified,
    on_deleted,
    ...(files ? { files } : {}),
    ...(hunks ? { hunks } : {}),
    ...(contents ? { contents } : {}),
    ...(expect_files ? { expect_files } : {}),
    ...(canAsk ? { ask } : {}),
  };
  return { choices, answers };
}

function asked({ task, going_back = false, taking }: Asked, question: FileQuestion): Question {
  const { path, kind, options, runs, doubtful = false, current, checkpoint } = question;
  const unknown = phrase`${path} was changed by the task, by others, or by both; it is not known which. Which version should be kept?`;
  const message = taking
    ? takingMessage(taking, question)
    : {
        modified: doubtful
          ? unknown
          : phrase`${path} was changed by others, too. Which version should be kept?`,
        deleted: phrase`${path} was deleted by others. Which version should be kept?`,
        conflict: doubtful
          ? unknown
          : phrase`${path}: the task's lines cannot be removed without those of others. Which version should be kept?`,
      }[kind];
  const recommended = going_back ? { recommended: safest(question) } : {};
  return {
    kind: kind === 'deleted' ? 'file_deleted' : 'file_modified',
    task,
    message: runs ? `${message} ${phrase`Tools execute the content of this file.`}` : message,
    options,
    ...recommended,
    data: { path, conflict: kind === 'conflict', current, checkpoint, runs, doubtful, going_back },
  };
}

function takingMessage(from: string, { path, kind }: FileQuestion): string {
  return kind === 'deleted'
    ? phrase`Task ${from} changed ${path}, which is not here. Which version should be kept?`
    : phrase`What task ${from} did to ${path} does not fit what is here. Which version should be kept?`;
}

/** The choice that loses no work, and does none twice. */
function safest({ kind, doubtful }: FileQuestion): string {
  if (kind === 'deleted') return 'skip';
  return kind === 'conflict' || doubtful ? 'abort' : 'merge';
}

const CONTENT = 'content ';

/** Files about whose lines somebody decided, as answers that outlive the process. */
export function contentsNoted(blobs: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(blobs).map(([path, blob]) => [`${CONTENT}${path}`, blob]));
}

/** What was noted, in the place of what is given; a blob that is gone is asked about again. */
export async function withContents<T extends FileChoices>(
  storage: Pick<Storage, 'getBlob'>,
  given: T,
  answers: Readonly<Record<string, string>> | undefined,
): Promise<T> {
  if (answers === undefined) return given;
  const contents: Record<string, Uint8Array> = {};
  for (const [name, blob] of Object.entries(answers)) {
    const bytes = name.startsWith(CONTENT) ? await storage.getBlob(null, `file/${blob}`) : null;
    if (bytes) contents[name.slice(CONTENT.length)] = bytes;
  }
  return { ...given, contents };
}
