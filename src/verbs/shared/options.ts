/** Options that several verbs share. */

import { FILE_CHOICES as CHOICES } from '../../config/schema.ts';
import type { FileChoices } from '../../engine/files/choices.ts';

/** For a process without a terminal. */
export const ANSWERS = { 'wait-for-answers': { about: 'option.wait_for_answers' } } as const;

/** What happens to the task's files that others changed, too. */
export const FILE_CHOICES = {
  ...ANSWERS,
  'on-modified': {
    value: 'choice',
    choices: CHOICES.modified,
    accepts: (text: string) => isForOne(text, CHOICES.modified),
    many: true,
    about: 'option.on_modified',
  },
  'on-deleted': {
    value: 'choice',
    choices: CHOICES.deleted,
    accepts: (text: string) => isForOne(text, CHOICES.deleted),
    many: true,
    about: 'option.on_deleted',
  },
} as const;

const OF_ONE = [...new Set([...CHOICES.modified, ...CHOICES.deleted])];

/** A preview, and being held to it. */
export const PREVIEWED = {
  ...FILE_CHOICES,
  file: {
    value: 'path=choice',
    choices: OF_ONE.map((choice) => `path=${choice}`),
    accepts: (text: string) => isForOne(text, OF_ONE),
    many: true,
    whole: true,
    about: 'option.file',
  },
  hunk: {
    value: 'path:n=choice',
    accepts: (text: string) => HUNK_OF.test(text),
    many: true,
    whole: true,
    about: 'option.hunk',
  },
  content: { value: 'path=file', accepts: isOfPath, many: true, whole: true, about: 'option.content' },
  text: { value: 'path=text', accepts: isOfPath, many: true, whole: true, about: 'option.text' },
  'expect-file': {
    value: 'path=hash',
    accepts: (text: string) => /^.+=[0-9a-f]{64}$/s.test(text),
    many: true,
    whole: true,
    about: 'option.expect_file',
  },
  'dry-run': { about: 'option.dry_run' },
  summary: { about: 'option.summary' },
  patch: { about: 'option.patch' },
  path: { value: 'path', many: true, whole: true, about: 'option.path' },
  context: { value: 'lines', number: { min: 0, whole: true }, about: 'checkpoints.diff.option.context' },
  expect: { value: 'position', number: { min: 0, whole: true }, about: 'option.expect' },
} as const;

/**
 * What becomes of lines that the task and others changed: as they are, as they were before the task, or as it left them. Where
 * they are taken from another task: as they are, as it left them, or as they were before.
 */
export const LINES = {
  ...({ yours: 'theirs', before: 'ours', task: 'base', both: 'both' } as const),
  ...({ taken: 'ours', base: 'base' } as const),
} as const;
export const HUNK_OF = new RegExp(`^(.+):([1-9]\\d*)=(${Object.keys(LINES).join('|')})$`, 's');

function isOfPath(text: string): boolean {
  return text.indexOf('=') > 0;
}

/** `path=choice`: for one file. */
function isForOne(text: string, choices: readonly string[]): boolean {
  const at = text.lastIndexOf('=');
  return at > 0 && choices.includes(text.slice(at + 1));
}

/** What happens about other changes while a task was stopped. */
export const RECOVERY_CHOICES = {
  ...FILE_CHOICES,
  'on-upstream': {
    value: 'choice',
    choices: ['ignore', 'rebase', 'restart', 'abort'],
    about: 'option.on_upstream',
  },
  'on-environment': {
    value: 'choice',
    choices: ['continue', 'go_back', 'abort'],
    about: 'option.on_environment',
  },
} as const;

/** Options of every verb that resumes a task. */
export const CODE = {
  file: { value: 'file', about: 'resume.option.file' },
  'agree-to': { value: 'command', about: 'resume.option.agree_to' },
  by: { value: 'name', about: 'answer.option.by' },
} as const;

/** Its answer. */
export const OUTCOME = { task: 'string', status: 'string', output: 'any', error: 'any' } as const;

/** As operations of the engine take it. */
export function doneBy({ by }: { readonly by: string | null }): { by?: string } {
  return by === null ? {} : { by };
}

export const YES = { yes: { short: 'y', about: 'option.yes' } } as const;
export const DRY_RUN = { 'dry-run': { about: 'option.dry_run' } } as const;

interface Chosen {
  readonly 'on-modified': readonly string[];
  readonly 'on-deleted': readonly string[];
}

interface Previewed {
  readonly 'dry-run': boolean;
  readonly path: readonly string[];
  readonly context: number | undefined;
}

/** With the contents of the files that are asked for; without --path, of all of them. */
export function detailed({ 'dry-run': dry, path, context }: Previewed) {
  return {
    details: dry && (path.length > 0 ? path : true),
    ...(context === undefined ? {} : { context }),
  };
}

export function expected({ expect }: { readonly expect: number | undefined }): { readonly expect?: number } {
  return expect === undefined ? {} : { expect };
}

interface ChosenOfAll extends Chosen {
  readonly 'on-upstream': 'ignore' | 'rebase' | 'restart' | 'abort' | undefined;
  readonly 'on-environment': 'continue' | 'go_back' | 'abort' | undefined;
  readonly yes: boolean;
  readonly by: string | undefined;
}

/** Continuing without questions changes nothing: files and the branch stay as they are. */
export function recoveryChoices(options: ChosenOfAll) {
  const { yes, by, 'on-upstream': upstream, 'on-environment': environment } = options;
  const on_upstream = upstream ?? (yes ? 'ignore' : undefined);
  const on_environment = environment ?? (yes ? 'continue' : undefined);
  return {
    ...fileChoices(options),
    ...(by === undefined ? {} : { asked_by: by }),
    ...(on_upstream ? { on_upstream } : {}),
    ...(on_environment ? { on_environment } : {}),
  };
}

/** `single`: for one file each. */
export function fileChoices(chosen: Chosen, single: readonly string[] = []): FileChoices {
  const { 'on-modified': modified, 'on-deleted': deleted } = chosen;
  const forAll = (given: readonly string[]) => given.findLast((text) => !text.includes('='));
  const on_modified = forAll(modified) as FileChoices['on_modified'];
  const on_deleted = forAll(deleted) as FileChoices['on_deleted'];
  const files = Object.fromEntries(
    [...modified, ...deleted, ...single]
      .filter((text) => text.includes('='))
      .map((text) => [text.slice(0, text.lastIndexOf('=')), text.slice(text.lastIndexOf('=') + 1)]),
  ) as NonNullable<FileChoices['files']>;
  return {
    ...(on_modified ? { on_modified } : {}),
    ...(on_deleted ? { on_deleted } : {}),
    ...(Object.keys(files).length > 0 ? { files } : {}),
  };
}
