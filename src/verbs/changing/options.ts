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

export const YES = { yes: { short: 'y', about: 'option.yes' } } as const;
export const DRY_RUN = { 'dry-run': { about: 'option.dry_run' } } as const;

interface Chosen {
  readonly 'on-modified': 'use_current' | 'use_checkpoint' | 'merge' | 'abort' | undefined;
  readonly 'on-deleted': 'restore' | 'skip' | 'abort' | undefined;
}

export function fileChoices({ 'on-modified': on_modified, 'on-deleted': on_deleted }: Chosen) {
  return { ...(on_modified ? { on_modified } : {}), ...(on_deleted ? { on_deleted } : {}) };
}
