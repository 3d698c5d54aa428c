/** What looks like a secret is masked in whatever is printed, until somebody asks to see it. */
import { beforeAll, describe, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { tempDirs } from '../support/temp.ts';
import { cli } from './cli.ts';

const tempDir = tempDirs();
const TOKEN = `gh${'p_'}${'aB3d'.repeat(9)}`;
const MASKED = 'ghp_••••••';

const careless = defineTask('careless', async (task) => {
  await task.message('user', `Use ${TOKEN} to push.`);
  await task.step('push', () => `pushed with ${TOKEN}`);
  await task.decide(`Keep ${TOKEN}`);
  throw new Error(`the remote refused ${TOKEN}`);
});

describe('a task that has a token in it', () => {
  let dir: string;
  let id: string;
  let checkpoint: string;

  beforeAll(async () => {
    dir = tempDir();
    const engine = await openEngine({ project_dir: dir, tasks: [careless], signals: false });
    const handle = await engine.start(careless, undefined);
    id = handle.id;
    await handle.outcome;
    checkpoint = (await engine.checkpoints.listCheckpoints(id)).at(-1)!.id;
    await engine.close();
  });

  const said = async (args: readonly string[]): Promise<string> => {
    const { out, err } = await cli(dir, [...args]);
    return out + err;
  };

  test.each([
    ['tasks'],
    ['show', 'ID'],
    ['history', 'ID'],
    ['checkpoints', 'inspect', 'CHECKPOINT'],
    ['conversations', 'ID'],
  ])('%s %s', async (...words) => {
    const args = words.map((word) => ({ ID: id, CHECKPOINT: checkpoint })[word] ?? word);
    for (const form of [[], ['--json']]) {
      const plain = await said([...args, ...form]);
      expect(plain).not.toContain(TOKEN);
      const revealed = await said([...args, ...form, '--reveal']);
      expect(revealed.includes(TOKEN)).toBe(plain.includes(MASKED));
      if (form.length > 0) expect(JSON.parse(plain).ok).toBe(true);
    }
  });

  test('errors too', async () => {
    expect(await said(['show', TOKEN])).not.toContain(TOKEN);
    expect(await said(['show', TOKEN, '--json'])).not.toContain(TOKEN);
    expect(await said(['show', TOKEN, '--reveal'])).toContain(TOKEN);
  });
});
