/**
 * Two agents work side by side in one repository: one writes the code of a feature, the other its page.
 *
 *     vibe-engine run two-agents.ts --input '{ "feature": "search" }'
 *
 * Each is assigned its own files before it starts: two assignments that overlap would be refused. The changelog is
 * nobody's; both edit it, one after the other, and neither loses a line. Killed, each agent resumes after its own last step.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTask } from 'vibe-engine';

export default defineTask('two-agents', async (task, { feature }: { feature: string }) => {
  const code = `src/${feature}.js`;
  const page = `docs/${feature}.md`;

  const [coded, written] = await Promise.all([
    task.agent('coder', { files: [code] }, async (agent) => {
      await agent.message('user', `Write ${code}`);
      const text = await agent.step('think', () => model(`export function ${feature}() {}\n`));
      await agent.files.write(code, text);
      await agent.files.edit('CHANGELOG.md', (log) => `${log}- ${feature}: the code\n`);
      return code;
    }),
    task.agent('writer', { files: [page] }, async (agent) => {
      await agent.message('user', `Describe ${feature} in ${page}`);
      const text = await agent.step('think', () => model(`# ${feature}\n`));
      await agent.files.write(page, text);
      await agent.files.edit('CHANGELOG.md', (log) => `${log}- ${feature}: the page\n`);
      return page;
    }),
  ]);

  await task.commit(`Add ${feature}`);
  return { files: [coded, written, 'CHANGELOG.md'] };
});

/** Yours would ask a model. */
async function model(reply: string): Promise<string> {
  await sleep(200);
  return reply;
}
