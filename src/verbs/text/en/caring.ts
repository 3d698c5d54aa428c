/** Caring for a store. */
export const caring = {
  'completion.summary': 'print what lets a shell complete commands and ids on Tab',
  'completion.argument': 'the shell',
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
  'export.summary': 'write one task, with everything it needs, into one file',
  'export.argument.file': 'where to; the end of its id and .vibe-task unless told',
  'export.option.replace': 'replace a file that is there',
  'export.done':
    '{file} has the task: {entries} {entries|entry|entries}, {blobs} {blobs|blob|blobs}, {size}.',
  'export.with': 'It comes with {count} {count|task|tasks} that it was forked from.',
  'export.missing':
    '{count} {count|content is|contents are} missing here already: files of some checkpoints cannot be put back from it.',
  'import.summary': 'take in a task that was exported, from whichever store',
  'import.argument.file': 'what an export wrote',
  'import.option.max_size': 'refuse what unpacks to more than so many MB; 16384 unless told',
  'import.done': '"{name}" is here as {id}: {entries} {entries|entry|entries}, {blobs} {blobs|blob|blobs}.',
  'import.runs': 'Resumed, it runs: {code}',
  'import.next': 'See what it is: {command}',
} as const;
