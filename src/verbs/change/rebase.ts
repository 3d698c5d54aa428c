/** `rebase`: rebases the branch of a task onto upstream, even after the task has ended. Shows what that does, then asks. */
import type { RebasePreview } from '../../drift/rebase/preview.ts';
import type { Engine } from '../../engine/engine.ts';
import { DriftError } from '../../errors.ts';
import { EXIT } from '../kit/exit.ts';
import { type Call, verb } from '../kit/verb.ts';
import { named } from '../shared/file-lines.ts';
import { DRY_RUN, doneBy, YES } from '../shared/options.ts';

export const rebase = verb({
  name: 'rebase',
  group: 'change',
  files: true,
  arguments: { task: { about: 'rebase.argument', of: 'task', optional: true } },
  options: { ...DRY_RUN, ...YES },
  examples: ['rebase', 'rebase x7k2qf --dry-run', 'rebase x7k2qf --yes'],
  data: {
    task: 'string',
    done: 'boolean',
    branch: 'string',
    onto: 'string',
    commits_behind: 'number',
    commits: [{ id: 'string', subject: 'string' }],
    files: ['string'],
    test_command: 'string|null',
    old_head: 'string|null',
    new_head: 'string|null',
    backup_ref: 'string|null',
  },
  async run(call) {
    const { say, options } = call;
    const ids = await call.ids();
    const engine = await call.engine();
    const given = call.args.task;
    const task = given === undefined ? await newestInGit(engine, call) : await ids.task(given);
    // The user has read that no tests are run, and said yes.
    const wanted = { without_tests: true };
    const preview = await engine.previewRebase(task, wanted);
    const lines = previewLines(preview, call);
    const data = { ...dataOf(task, preview), old_head: null, new_head: null, backup_ref: null, done: false };
    if (options['dry-run']) return { data, lines };
    for (const line of lines) call.tell(line);
    const { branch } = preview;
    if (!options.yes && !(await call.ask.confirm(say('rebase.ask', { branch }), '--yes')))
      return { data, lines: [say('ask.declined')], exit: EXIT.declined };
    const { onto, old_head, new_head, backup_ref, tested } = await engine.rebase(task, {
      ...wanted,
      ...doneBy(call),
    });
    return {
      data: { ...data, old_head, new_head, backup_ref, done: true },
      lines: [
        call.paint.good(say(tested ? 'rebase.done_tested' : 'rebase.done', { branch, onto })),
        say('rebase.back', { commit: old_head.slice(0, 12) }),
        say('rebase.backup', { ref: backup_ref }),
      ],
    };
  },
});

function dataOf(task: string, { commits, files, ...preview }: RebasePreview) {
  return {
    task,
    ...preview,
    commits: commits.map(({ id, subject }) => ({ id, subject })),
    files: [...files],
  };
}

/** The newest task on a branch determines which branch moves. */
async function newestInGit(engine: Engine, { say }: Pick<Call, 'say'>): Promise<string> {
  for (const { task_id } of await engine.tasks({ limit: Number.MAX_SAFE_INTEGER }))
    if ((await engine.versions(task_id))?.upstream) return task_id;
  throw new DriftError('REBASE_REFUSED', say('drift.none'), { data: {}, hint: say('rebase.none_hint') });
}

function previewLines(preview: RebasePreview, { say, paint }: Pick<Call, 'say' | 'paint'>): string[] {
  const { branch, onto, commits_behind, commits, files, test_command } = preview;
  return [
    paint.bold(say('rebase.title', { branch, onto, count: commits_behind })),
    commits.length === 0
      ? say('rebase.no_commits')
      : say('rebase.commits', {
          count: commits.length,
          names: named(commits.map(({ id, subject }) => `${id.slice(0, 10)} ${subject}`)),
        }),
    ...(files.length > 0 ? [say('rebase.files', { count: files.length, names: named(files) })] : []),
    test_command === null
      ? paint.warn(say('rebase.no_tests'))
      : say('rebase.tests', { command: test_command }),
  ].map((line, at) => (at === 0 ? line : `  ${line}`));
}
