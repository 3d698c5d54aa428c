/** Options that several verbs share. */

/** What becomes of the task's files that others changed too. */
export const FILE_CHOICES = {
  'on-modified': {
    value: 'choice',
    choices: ['use_current', 'use_checkpoint', 'merge', 'abort'],
    about: 'option.on_modified',
  },
  'on-deleted': { value: 'choice', choices: ['restore', 'skip', 'abort'], about: 'option.on_deleted' },
} as const;

/** What becomes of whatever else changed while a task lay still. */
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

/** What every verb takes that goes on with a task. */
export const CODE = { file: { value: 'file', about: 'resume.option.file' } } as const;

/** What it answers. */
export const OUTCOME = { task: 'string', status: 'string', output: 'any', error: 'any' } as const;

export const YES = { yes: { short: 'y', about: 'option.yes' } } as const;
export const DRY_RUN = { 'dry-run': { about: 'option.dry_run' } } as const;

interface Chosen {
  readonly 'on-modified': 'use_current' | 'use_checkpoint' | 'merge' | 'abort' | undefined;
  readonly 'on-deleted': 'restore' | 'skip' | 'abort' | undefined;
}

interface ChosenOfAll extends Chosen {
  readonly 'on-upstream': 'ignore' | 'rebase' | 'restart' | 'abort' | undefined;
  readonly 'on-environment': 'continue' | 'go_back' | 'abort' | undefined;
  readonly yes: boolean;
}

/** Going on without being asked changes nothing: files stay as they are, and the branch where it is. */
export function recoveryChoices(options: ChosenOfAll) {
  const { yes, 'on-upstream': upstream, 'on-environment': environment } = options;
  const on_upstream = upstream ?? (yes ? 'ignore' : undefined);
  const on_environment = environment ?? (yes ? 'continue' : undefined);
  return {
    ...fileChoices(options),
    ...(on_upstream ? { on_upstream } : {}),
    ...(on_environment ? { on_environment } : {}),
  };
}

export function fileChoices({ 'on-modified': on_modified, 'on-deleted': on_deleted }: Chosen) {
  return { ...(on_modified ? { on_modified } : {}), ...(on_deleted ? { on_deleted } : {}) };
}
