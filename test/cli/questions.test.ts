/** Questions of a task are asked at the terminal it runs in. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { onEachStore } from '../engine/stores.ts';
import { ask, cli } from './cli.ts';
import { atTerminal, KEY } from './terminal.ts';
import { configure } from './world.ts';

const TASK = `import { defineTask } from 'vibe-engine';
export default defineTask('deploy', async (task) => {
  const ok = await task.waitFor('human_approval', { prompt: 'Deploy to production?' });
  const port = await task.waitFor('user_input', { prompt: 'Which port?' });
  return { ok, port };
});
`;

onEachStore((fresh) => {
  const project = async (): Promise<string> => {
    const store = await fresh();
    configure(store);
    writeFileSync(join(store.dir, 'deploy.ts'), TASK);
    return store.dir;
  };

  test('answers are given where the task runs', async () => {
    const dir = await project();
    const { exit, screen } = await atTerminal(
      dir,
      ['run', 'deploy.ts'],
      [
        { when: /Deploy to production\?[\s\S]*no/, type: `y${KEY.enter}` },
        { when: /Which port\?/, type: `8080${KEY.enter}` },
      ],
    );
    expect(exit).toBe(0);
    expect(screen).toMatch(/is completed\.\n\{\n {2}"ok": true,\n {2}"port": 8080\n\}/);
  });

  test('words typed at a yes/no question change nothing', async () => {
    const dir = await project();
    const { screen } = await atTerminal(
      dir,
      ['run', 'deploy.ts'],
      [
        { when: /Deploy to production\?[\s\S]*no/, type: `maybe${KEY.enter}` },
        { when: /Type yes or no\./, type: `${'\u007f'.repeat(5)}no${KEY.enter}` },
        { when: /Which port\?/, type: `8080${KEY.enter}` },
      ],
    );
    expect(screen).toMatch(/"ok": false,/);
  });

  test('Ctrl-C at a question pauses the task; resumed, it asks again, and elsewhere can be answered, too', async () => {
    const dir = await project();
    const left = await atTerminal(
      dir,
      ['run', 'deploy.ts'],
      [{ when: /Deploy to production\?[\s\S]*no/, type: KEY.ctrlC }],
    );
    expect(left.exit).toBe(130);
    expect(left.screen).toMatch(/is paused; nothing is lost\.\nResume with: vibe-engine resume \w+/);
    const answerElsewhere = (value: string) => () => void cli(dir, ['answer', 'deploy', value]);
    const again = await atTerminal(
      dir,
      ['resume'],
      [
        { when: /Deploy to production\?[\s\S]*no/, type: answerElsewhere('false') },
        { when: /Which port\?/, type: answerElsewhere('22') },
      ],
    );
    expect(again.exit).toBe(0);
    expect(await ask(dir, 'show', 'deploy')).toMatchObject({ task: { status: 'completed' } });
    expect(again.screen).toMatch(/"ok": false,\n {2}"port": 22\n/);
  });
});
