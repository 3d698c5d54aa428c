/** Caring for a store. */
export const caring = {
  'clean.summary': 'remove the checkpoints that the policies name, and free what nothing needs',
  'clean.argument.tasks': 'only checkpoints of these tasks',
  'clean.option.older_than': 'checkpoints that are older than so many days',
  'clean.option.keep': 'all but the newest so many of each task',
  'clean.option.completed': 'all checkpoints of tasks that completed',
  'clean.would':
    '{count} {count|checkpoint|checkpoints} would go, freeing {freed} now and about {pending} after the grace period',
  'clean.goes': '{id}: {why}',
  'clean.more': 'and {count} more',
  'clean.forgotten': '{count} {count|rollback|rollbacks} could no longer be redone',
  'clean.spared': '{count} named by a policy are kept, since something needs them',
  'clean.skipped': '{task} is left alone: {why}',
  'clean.nothing': 'There is nothing to clean up.',
  'clean.ask': 'Remove them?',
  'clean.done':
    '{count} {count|checkpoint|checkpoints} removed, {freed} freed; about {pending} more after the grace period.',
} as const;
