/**
 * Renames something in a whole repository: finds the places, asks a person, edits file by file, runs the tests, commits.
 *
 *     vibe-engine run refactor.ts --input '{ "from": "getUser", "to": "findUser", "test": "npm test" }'
 *     vibe-engine answer refactor true
 *
 * Killed between two files, it resumes with the next. What people edit in the same files meanwhile is merged.
 */
import { defineTask } from 'vibe-engine';

interface Input {
  readonly from: string;
  readonly to: string;
  /** A command that fails when the change is not good. */
  readonly test?: string;
}

export default defineTask('refactor', async (task, { from, to, test }: Input) => {
  const intent = `Rename ${from} to ${to}`;
  await task.message('user', intent);
  const found = await task.shell(['git', 'grep', '--files-with-matches', '--fixed-strings', from]);
  const files = found.stdout.split('\n').filter((name) => name !== '');
  if (files.length === 0) return { files, commit: null };

  const prompt = `${intent} in ${files.join(', ')}?`;
  if (!(await task.waitFor<boolean>('human_approval', { prompt }))) return { files: [], commit: null };
  await task.decide({ what: intent, why: 'a person agreed' });

  for (const [done, file] of files.entries()) {
    await task.files.edit(file, (text) => text.replaceAll(from, to), { intent });
    await task.progress(Math.round((90 * (done + 1)) / files.length), `changed ${file}`);
  }

  if (test !== undefined) {
    const { code, stdout, stderr } = await task.shell(test);
    await task.verified({ test, code });
    // A failure can be looked into and retried, or rolled back: nothing is committed yet.
    if (code !== 0) throw new Error(`The tests fail: ${(stdout + stderr).slice(-1000)}`);
  }
  const made = await task.commit(intent);
  return { files, commit: made?.commit ?? null };
});
