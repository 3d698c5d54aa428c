/** The task that is damaged: steps whose results build on each other, small and large, a conversation, edits of files. */
import { appendFileSync } from 'node:fs';
import { defineTask } from 'vibe-engine';
import { large, resultOf, STEPS } from './job-steps.ts';

/** What a step really did is noted here, past everything that is stored. */
const ran = (name: string): void => appendFileSync(process.env.DAMAGE_RAN!, `${name}\n`);

export default defineTask('job', async (task, given: { start: string }) => {
  let before = given.start;
  await task.message('user', large('please', before));
  for (const name of STEPS) {
    const at = Number(name.slice(1));
    before = await task.step(name, () => {
      ran(name);
      return resultOf(name, before);
    });
    if (at % 4 === 2) await task.set('newest', large('kept', before));
    if (at % 4 === 3) await task.message('assistant', large('done', before));
    if (at % 3 === 2) {
      await task.files.edit(`file${at % 2}.txt`, (text) => {
        ran(`edit ${name}`);
        return `${text ?? ''}${name}\n`;
      });
    }
    await task.progress(at * 10, name);
  }
  const context = await task.context();
  const newest = await task.get<string>('newest');
  if (process.env.DAMAGE_STOP) throw new Error('stopped here');
  return { before, newest: newest?.slice(0, 90), messages: context.messages.length };
});
