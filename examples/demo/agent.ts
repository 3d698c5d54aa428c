/** The agent of `vibe-engine demo`. Its model is a script, so that it needs no key and no network. */
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTask } from 'vibe-engine';

export default defineTask('rename', async (task) => {
  await task.message('user', 'Rename getPrice to priceOf everywhere. The tests must pass.');
  const { stdout } = await task.shell('git grep -l getPrice -- src test');
  const files = stdout.trim().split('\n');
  const plan = await task.step('think', () => model(`It is used in ${files.length} files.`));
  await task.message('assistant', plan);
  await task.decide({ what: 'edit the files one by one', why: 'the tests use the name, too' });

  const prompt = `Rename getPrice to priceOf in ${files.length} files?`;
  if (!(await task.waitFor<boolean>('human_approval', { prompt }))) return { renamed: 0 };

  for (const [done, file] of files.entries()) {
    await task.message('assistant', await task.step(`think about ${file}`, () => model(`Now ${file}.`)));
    await task.files.edit(file, (text) => text.replaceAll('getPrice', 'priceOf'));
    await task.progress(Math.round((100 * (done + 1)) / (files.length + 2)), `renamed it in ${file}`);
  }

  const { code } = await task.shell('node --test');
  await task.verified({ tests: code === 0 ? 'pass' : 'fail' });
  if (code !== 0) throw new Error('The tests fail.');
  await task.commit('Rename getPrice to priceOf');
  return { renamed: files.length, tests: 'pass' };
});

/** As slow as a quick model. */
async function model(reply: string): Promise<string> {
  await sleep(400);
  return reply;
}
