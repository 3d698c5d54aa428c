/** Every verb as somebody might type it who looks around in a directory, its tasks and checkpoints by turns. */
import { CLI_VERBS } from '../../src/cli/verbs.ts';

export interface Known {
  readonly tasks: readonly string[];
  readonly checkpoints: readonly string[];
  /** What the tasks' snapshots have files of. */
  readonly paths: readonly string[];
  readonly archive: string;
  /** A task's file. */
  readonly script: string;
  /** Where something new may be put. */
  readonly fresh: () => string;
}

/** Those that look come first, those that change or remove last. */
export function everyVerb({ tasks, checkpoints, paths, archive, script, fresh }: Known): string[][] {
  const each = (...make: ((id: string) => string[])[]) => make.flatMap((one) => tasks.map(one));
  const [checkpoint, second] = [checkpoints.at(-1) ?? 'none-1', checkpoints.at(0) ?? 'none-1'];
  const path = paths.at(0) ?? 'a.txt';
  return [
    ['tasks'],
    ['tasks', '--all'],
    ...each(
      (id) => ['show', id],
      (id) => ['checkpoints', 'list', id],
      (id) => ['history', id],
      (id) => ['conversations', id],
      (id) => ['drift', id],
      (id) => ['timeline', id],
      (id) => ['tree', id],
      (id) => ['entry', id, '1'],
      (id) => ['conversation', id],
      (id) => ['questions', id],
      (id) => ['conflicts', 'show', id, path],
    ),
    ['compare', tasks.at(0) ?? 'none', tasks.at(-1) ?? 'none'],
    ...checkpoints.slice(-3).flatMap((id) => [
      ['checkpoints', 'inspect', id],
      ['files', id],
      ['files', id, '--all'],
      ['files', id, '--show', path],
    ]),
    ['checkpoints', 'diff', second, checkpoint],
    ['checkpoints', 'diff', second, checkpoint, '--show'],
    ['locks'],
    ['doctor'],
    ['doctor', '--repair'],
    ['config'],
    ['config', 'get', 'drift.test_command'],
    ['config', 'set', 'history.keep_days', path],
    ['config', 'explain'],
    ['trust'],
    ['keys', 'status'],
    ['keys', 'init'],
    ['keys', 'rotate'],
    ['completion', 'bash'],
    ['import', archive],
    ...each((id) => ['export', id, '--output', fresh()]),
    ...each(
      (id) => ['rebase', id, '--dry-run'],
      (id) => ['rebase', id, '--yes'],
      (id) => ['restart', id, '--dry-run'],
      (id) => ['undo', id, '--dry-run'],
      (id) => ['resume', id],
      (id) => ['retry', id],
      (id) => ['answer', id],
      (id) => ['answer', id, 'no'],
      (id) => ['questions', 'answer', id, path, 'no'],
      (id) => ['conflicts', 'resolve', id, path, '--hunk', '1=ours'],
      (id) => ['pause', id],
    ),
    ['rollback', checkpoint, '--dry-run'],
    ['rewind', checkpoint, '--dry-run'],
    ['checkpoints', 'rollback', checkpoint, '--yes'],
    ['take', tasks.at(0) ?? 'none', tasks.at(-1) ?? 'none', '--dry-run', '--patch'],
    ['take', tasks.at(0) ?? 'none', tasks.at(-1) ?? 'none', '--yes'],
    ['redo'],
    ['redo', '--yes'],
    ['finish'],
    ...each((id) => ['finish', id]),
    ['fork', checkpoint],
    ['checkpoints', 'resume', checkpoint],
    ['run', script],
    ['exec', '--', 'true'],
    ...each(
      (id) => ['undo', id, '--yes'],
      (id) => ['restart', id, '--yes'],
      (id) => ['cancel', id],
    ),
    ['clean', '--dry-run'],
    ['checkpoints', 'clean', '--dry-run'],
    ['clean', '--yes'],
    ['keys', 'encrypt', '--dry-run'],
    ['keys', 'decrypt', '--dry-run'],
    ['tasks', `no such ${path}`],
    ['show', path],
    [path],
    ['demo', '--help'],
    // It runs until it is ended; what it answers is attacked in test/dashboard.
    ['ui', '--help'],
    // They are about the agents of this machine, and nothing in the directory.
    ['hooks', 'install', '--help'],
    ['hooks', 'status', '--help'],
    ['hooks', 'remove', '--help'],
  ];
}

/** Verbs that none of these is; there should be none. */
export function untriedVerbs(commands: readonly (readonly string[])[]): string[] {
  const tried = (name: string) =>
    commands.some((words) => words.slice(0, name.split(' ').length).join(' ') === name);
  return [...CLI_VERBS.keys()].filter((name) => !tried(name));
}
