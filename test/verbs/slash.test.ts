import { beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { handleSlashCommand } from '../../src/index.ts';
import { populate, type Tasks } from '../cli/world.ts';
import { onEachStore } from '../engine/stores.ts';

onEachStore(
  (fresh) => {
    let open: () => Promise<Engine>;
    let made: Tasks;
    beforeAll(async () => {
      const store = await fresh();
      made = await populate(store);
      open = store.open;
    });

    describe('slash commands', () => {
      test('give the data and the lines of the same verbs', async () => {
        const answer = await handleSlashCommand('/tasks --status failed', await open());
        expect(answer).toMatchObject({ ok: true, data: { tasks: [{ id: made.failed }] } });
        expect(answer.lines).toHaveLength(1);
        expect(answer.lines[0]).toContain('the API answered 503');
        const shown = await handleSlashCommand(`/show ${made.paused.slice(-6)}`, await open());
        expect(shown.lines).toContain(`  /resume ${made.paused.slice(-6)}`);
      });

      test('answer errors with code and hint, in the language asked for', async () => {
        const engine = await open();
        expect(await handleSlashCommand('/shwo x', engine)).toMatchObject({
          ok: false,
          error: {
            code: 'USAGE',
            message: 'There is no command "shwo".',
            hint: expect.stringContaining('"show"'),
          },
        });
        const { lines } = await handleSlashCommand('/show nothing', engine, { language: 'zh-Hant' });
        expect(lines[0]).toBe('錯誤 TASK_NOT_FOUND：這裡沒有任務「nothing」。');
        expect(await handleSlashCommand('tasks', engine)).toMatchObject({
          ok: false,
          error: { code: 'USAGE' },
        });
      });

      test('have help', async () => {
        const engine = await open();
        const all = await handleSlashCommand('/', engine);
        expect(all.lines.join('\n')).toMatch(/Usage: \/<command>[\s\S]* {2}tasks +list the tasks/);
        const one = await handleSlashCommand('/tasks --help', engine);
        expect(one.lines[0]).toBe('Usage: /tasks [options]');
      });
    });
  },
  ['json', 'sqlite'],
);
